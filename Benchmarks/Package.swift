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
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "COpenSSL", path: "Modules/COpenSSL", pkgConfig: "openssl"),
        .target(name: "Digests", dependencies: ["COpenSSL"], path: "Modules/Digests"),
        .target(name: "Secrets", dependencies: ["COpenSSL", "Digests"], path: "Modules/Secrets"),
        .target(
            name: "Primitives",
            dependencies: [
                "COpenSSL", "Digests", "Secrets",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Modules/Primitives"
        ),
        .target(name: "Causality", path: "Modules/Causality"),
        .target(name: "Redaction", path: "Modules/Redaction"),
        .target(
            name: "Records",
            dependencies: ["Causality", "Digests"],
            path: "Modules/Records"
        ),
        .target(
            name: "Sealing",
            dependencies: [
                "Causality", "Digests", "Primitives", "Records", "Redaction", "Secrets",
            ],
            path: "Modules/Sealing"
        ),
        .target(
            name: "Resolution",
            dependencies: ["Causality", "Records", "Redaction"],
            path: "Modules/Resolution"
        ),
        .target(
            name: "Keychain",
            dependencies: [
                "Causality", "Digests", "Primitives", "Records", "Redaction", "Resolution",
                "Sealing", "Secrets",
                .product(name: "Collections", package: "swift-collections"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Modules/Keychain",
            resources: [
                .embedInCode("Migrations/v01-items.sql"),
                .embedInCode("Migrations/v02-classes.sql"),
                .embedInCode("Migrations/v02-always.sql"),
            ]
        ),
        .systemLibrary(name: "CLinux", path: "Modules/CLinux"),
        .target(name: "Agent", dependencies: ["CLinux", "Redaction"], path: "Modules/Agent"),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "Agent", "COpenSSL", "Digests", "Keychain", "Sealing", "Secrets",
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
