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
        .systemLibrary(name: "KSCOpenSSL", path: "Modules/COpenSSL", pkgConfig: "openssl"),
        .target(name: "KSDigests", dependencies: ["KSCOpenSSL"], path: "Modules/Digests"),
        .target(name: "KSBytes", path: "Modules/Bytes"),
        .target(name: "KSFiles", dependencies: ["KSBytes"], path: "Modules/Files"),
        .target(
            name: "KSSecrets",
            dependencies: ["KSCOpenSSL", "KSDigests"],
            path: "Modules/Secrets"
        ),
        .target(
            name: "KSPrimitives",
            dependencies: [
                "KSCOpenSSL", "KSDigests", "KSSecrets",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Modules/Primitives"
        ),
        .target(name: "KSCausality", path: "Modules/Causality"),
        .target(name: "KSSecurityNames", path: "Modules/SecurityNames"),
        .target(name: "KSRedaction", path: "Modules/Redaction"),
        .target(
            name: "KSRecords",
            dependencies: ["KSCausality", "KSDigests"],
            path: "Modules/Records"
        ),
        .target(
            name: "KSSealing",
            dependencies: [
                "KSCausality", "KSDigests", "KSFiles", "KSPrimitives", "KSRecords", "KSRedaction",
                "KSSecrets",
            ],
            path: "Modules/Sealing"
        ),
        .target(
            name: "KSResolution",
            dependencies: ["KSCausality", "KSRecords", "KSRedaction"],
            path: "Modules/Resolution"
        ),
        .target(
            name: "KSKeychain",
            dependencies: [
                "KSBytes", "KSDigests", "KSRecords", "KSRedaction", "KSResolution", "KSSealing",
                "KSSecurityNames",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Modules/Keychain",
            resources: [.embedInCode("Migrations/v01-items.sql")]
        ),
        .systemLibrary(name: "KSCLinux", path: "Modules/CLinux"),
        .target(
            name: "KSAgent",
            dependencies: ["KSCLinux", "KSRedaction", "KSSecurityNames"],
            path: "Modules/Agent"
        ),
        .target(
            name: "KSKeyValues",
            dependencies: ["KSCausality", "KSDigests", "KSRecords", "KSRedaction", "KSResolution"],
            path: "Modules/KeyValues"
        ),
        .target(
            name: "KeyValueStore",
            dependencies: ["KSAgent", "KSKeyValues"],
            path: "Modules/KeyValueStore"
        ),
        .target(
            name: "UbiquitousKeyValueStore",
            dependencies: ["KeyValueStore"],
            path: "Modules/UbiquitousKeyValueStore"
        ),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "KSAgent", "KSCOpenSSL", "KSDigests", "KSKeychain", "KSSealing", "KSSecrets",
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
