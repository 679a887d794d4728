// swift-tools-version: 6.2
import PackageDescription

// Ratios against what the machine can do, measured in one run: `make bench`.
//
// A package of its own, so that nobody who uses the libraries builds it. Its modules are the
// project's own, by a link to the folder of sources, since it measures what is `package` there.

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "KSCOpenSSL", path: "Modules/Base/COpenSSL", pkgConfig: "openssl"),
        .target(name: "KSDigests", dependencies: ["KSCOpenSSL"], path: "Modules/Crypto/Digests"),
        .target(name: "KSBytes", path: "Modules/Base/Bytes"),
        .target(name: "KSFiles", dependencies: ["KSBytes"], path: "Modules/Base/Files"),
        .target(name: "KSMatching", path: "Modules/Base/Matching"),
        .target(name: "KSScreens", path: "Modules/Base/Screens"),
        .target(
            name: "KSPicking",
            dependencies: ["KSMatching", "KSScreens"],
            path: "Modules/Base/Picking"
        ),
        .target(
            name: "KSSecrets",
            dependencies: ["KSCOpenSSL", "KSDigests"],
            path: "Modules/Crypto/Secrets"
        ),
        .target(
            name: "KSPrimitives",
            dependencies: [
                "KSCOpenSSL", "KSDigests", "KSSecrets",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Modules/Crypto/Primitives"
        ),
        .target(name: "KSCausality", path: "Modules/Sync/Causality"),
        .target(name: "KSSecurityNames", path: "Modules/Base/SecurityNames"),
        .target(name: "KSRedaction", path: "Modules/Base/Redaction"),
        .target(
            name: "KSRecords",
            dependencies: ["KSCausality", "KSDigests"],
            path: "Modules/Sync/Records"
        ),
        .target(
            name: "KSSealing",
            dependencies: [
                "KSCausality", "KSDigests", "KSPrimitives", "KSRecords", "KSRedaction", "KSSecrets",
            ],
            path: "Modules/Sync/Sealing"
        ),
        .target(
            name: "KSDeviceKeys",
            dependencies: [
                "KSCausality", "KSDigests", "KSFiles", "KSPrimitives", "KSRecords", "KSSealing",
                "KSSecrets",
            ],
            path: "Modules/Sync/DeviceKeys"
        ),
        .target(
            name: "KSResolution",
            dependencies: ["KSCausality", "KSRecords", "KSRedaction"],
            path: "Modules/Sync/Resolution"
        ),
        .target(
            name: "KSKeychain",
            dependencies: [
                "KSBytes", "KSDeviceKeys", "KSDigests", "KSRecords", "KSRedaction", "KSResolution",
                "KSSealing", "KSSecurityNames", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Modules/Stores/Keychain",
            resources: [.embedInCode("Migrations/v01-items.sql")]
        ),
        .systemLibrary(name: "KSCLinux", path: "Modules/Base/CLinux"),
        .target(name: "KSSecretReferences", path: "Modules/Base/SecretReferences"),
        .target(
            name: "KSAgent",
            dependencies: ["KSCLinux", "KSRedaction", "KSSecretReferences", "KSSecurityNames"],
            path: "Modules/Device/Agent"
        ),
        .target(
            name: "KSKeyValues",
            dependencies: ["KSCausality", "KSDigests", "KSRecords", "KSRedaction", "KSResolution"],
            path: "Modules/Stores/KeyValues"
        ),
        .target(
            name: "KeyValueStore",
            dependencies: ["KSAgent", "KSKeyValues"],
            path: "Modules/Products/KeyValueStore"
        ),
        .target(
            name: "UbiquitousKeyValueStore",
            dependencies: ["KeyValueStore"],
            path: "Modules/Products/UbiquitousKeyValueStore"
        ),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "KSAgent", "KSCOpenSSL", "KSDeviceKeys", "KSDigests", "KSKeychain", "KSMatching",
                "KSPicking", "KSScreens", "KSSealing", "KSSecrets",
                "KeyValueStore", "UbiquitousKeyValueStore",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Benchmarks"
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .enableUpcomingFeature("InferIsolatedConformances"),
            .enableUpcomingFeature("ImmutableWeakCaptures"),
            .strictMemorySafety(),
        ]
}
