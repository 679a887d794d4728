// swift-tools-version: 6.2
import PackageDescription

/// Every module of ours is compiled this strictly; the C modules have no Swift to be strict about.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let collections = Target.Dependency.product(
    name: "OrderedCollections",
    package: "swift-collections"
)
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser",
    package: "swift-argument-parser"
)
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let lifecycle = Target.Dependency.product(
    name: "ServiceLifecycle",
    package: "swift-service-lifecycle"
)

let package = Package(
    name: "keychain-sync",
    products: [
        .library(name: "Keychain", targets: ["Keychain"]),
        .library(name: "KeychainSync", targets: ["KeychainSync"]),
        .library(name: "Security", targets: ["Security"]),
        .library(name: "SyncEngine", targets: ["SyncEngine"]),
        .library(name: "Simulation", targets: ["Simulation"]),
        .executable(name: "sync-server", targets: ["SyncServer"]),
        .executable(name: "sync-client", targets: ["SyncClient"]),
        .executable(name: "keychain", targets: ["KeychainTool"]),
        .executable(name: "sync-simulate", targets: ["SyncSimulate"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
    ],
    targets: [
        // C libraries: a module map and, where Swift cannot import something, a static inline shim.
        // Who may import each is a short list that TidyTests checks.
        .systemLibrary(
            name: "COpenSSL",
            path: "Sources/COpenSSL",
            pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]
        ),
        .systemLibrary(
            name: "CCurl",
            path: "Sources/CCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]
        ),
        .systemLibrary(name: "CLinux", path: "Sources/CLinux"),

        // How what holds a secret shows itself: not at all.
        .target(name: "Redaction"),

        // No secret goes in: the server may use these.
        .target(name: "Digests", dependencies: ["COpenSSL"]),
        .target(name: "Certificates", dependencies: ["COpenSSL", "Digests"]),

        // Apple's names: of constants, of statuses, of what they stand for.
        .target(name: "SecurityNames"),

        // Secrets go in: only the client may use these.
        .target(name: "PrivateKeys", dependencies: ["COpenSSL", "Certificates", "Redaction"]),
        .target(name: "Secrets", dependencies: ["COpenSSL", "Digests"]),
        .target(name: "Primitives", dependencies: ["COpenSSL", "Digests", "Secrets", crypto]),

        // Pure values and rules: no clock, no randomness, no disk, no network.
        .target(name: "Causality"),
        .target(name: "Records", dependencies: ["Causality", "Digests"]),
        .target(name: "Resolution", dependencies: ["Causality", "Records", "Redaction"]),

        // What both ends say to each other.
        .target(
            name: "Wire",
            dependencies: ["Causality", "Records", protobuf],
            exclude: ["Protocol"]
        ),

        // The client, bottom-up. Nothing here is awaited but Transport, Agent and SyncEngine's
        // actor.
        .target(
            name: "Sealing",
            dependencies: ["Causality", "Digests", "Primitives", "Records", "Redaction", "Secrets"]
        ),
        .target(
            name: "Keychain",
            dependencies: [
                "Causality", "Digests", "Primitives", "Records", "Redaction", "Resolution",
                "Sealing", "Secrets",
                collections, grdb, sqlite,
            ],
            resources: [
                .embedInCode("Migrations/v01-items.sql"),
                .embedInCode("Migrations/v02-classes.sql"),
                .embedInCode("Migrations/v02-always.sql"),
            ]
        ),
        .target(name: "Transport", dependencies: ["CCurl", "Redaction"]),
        .target(
            name: "SyncEngine",
            dependencies: [
                "Causality", "Digests", "Keychain", "Primitives", "Records", "Redaction",
                "Resolution",
                "Sealing", "Transport", "Wire", grdb, logging, protobuf,
            ],
            resources: [
                .embedInCode("Migrations/v01-sync.sql"),
                .embedInCode("Migrations/v02-waiting.sql"),
                .embedInCode("Migrations/v03-rewrites.sql"),
                .embedInCode("Migrations/v04-looked.sql"),
                .embedInCode("Migrations/v05-mirror-check.sql"),
            ]
        ),
        .target(name: "Importing", dependencies: ["Redaction"]),
        .target(name: "Agent", dependencies: ["CLinux", "Redaction"]),
        // Passwords from the terminal.
        .target(name: "Prompting"),
        // Apple's four calls, over the keychain.
        .target(
            name: "SecItem",
            dependencies: ["Agent", "Certificates", "Digests", "Keychain", "PrivateKeys"]
        ),

        // What programs import to work on their keychain.
        .target(
            name: "Security",
            dependencies: ["Agent", "Certificates", "Digests", "PrivateKeys", "SecurityNames"]
        ),

        .target(name: "KeychainSync", dependencies: ["Agent", "SecurityNames"]),

        // The server. It lists none of Sealing, Primitives, PrivateKeys, Secrets: it cannot open a
        // record.
        .target(
            name: "Merging",
            dependencies: ["Causality", "Digests", "Records"],
            path: "Server/Merging"
        ),
        .target(
            name: "Store",
            dependencies: [
                "Causality", "Digests", "Merging", "Records", "Wire", collections, grdb,
            ],
            path: "Server/Store",
            resources: [
                .embedInCode("Migrations/v01-store.sql"),
                .embedInCode("Migrations/v02-circle.sql"),
            ]
        ),
        .executableTarget(
            name: "SyncServer",
            dependencies: [
                "Causality", "Certificates", "Digests", "Merging", "Records", "Store", "Wire",
                argumentParser, lifecycle, logging,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                protobuf,
            ],
            path: "Server/SyncServer"
        ),

        // Devices and a server in one thread, from one seed.
        .target(
            name: "Simulation",
            dependencies: [
                "Causality", "Digests", "Keychain", "Primitives", "Records", "Resolution",
                "Sealing", "Store", "SyncEngine", "Wire", grdb, protobuf,
            ]
        ),

        // The client's programs: thin mains.
        .executableTarget(
            name: "SyncClient",
            dependencies: [
                "Agent", "Causality", "Certificates", "CLinux", "Digests", "Importing", "Keychain",
                "Primitives", "PrivateKeys", "Prompting", "Records", "Redaction", "Resolution",
                "Sealing", "SecItem",
                "Secrets", "SecurityNames", "SyncEngine", "Transport", "Wire",
                argumentParser, grdb, sqlite, lifecycle, logging,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            path: "Client/SyncClient",
            resources: [.embedInCode("RPC/test-objects.txt")]
        ),
        .executableTarget(
            name: "KeychainTool",
            dependencies: ["Agent", "CLinux", "Prompting", "SecurityNames"],
            path: "Client/KeychainTool"
        ),
        .executableTarget(
            name: "SyncSimulate",
            dependencies: ["Simulation", argumentParser],
            path: "Client/SyncSimulate"
        ),

        // Tests.
        .target(name: "TestSupport", dependencies: ["Digests"], path: "Tests/Support"),
        // Drives the built programs, which `swift build --build-tests` makes beside it.
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["Certificates", "Digests", "Sealing", "TestSupport", grdb]
        ),
        .testTarget(
            name: "SyncServerTests",
            dependencies: [
                "Causality", "Certificates", "Digests", "Primitives", "Records", "Sealing", "Store",
                "SyncServer", "TestSupport", "Transport", "Wire", logging, protobuf,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "WireTests",
            dependencies: ["Causality", "Records", "TestSupport", "Wire", protobuf]
        ),
        .testTarget(name: "AgentTests", dependencies: ["Agent", "TestSupport"]),
        .testTarget(
            name: "SecItemCaseTests",
            dependencies: ["Agent", "SyncClient"],
            resources: [.copy("Vectors")]
        ),
        .testTarget(
            name: "KeychainSyncTests",
            dependencies: ["Agent", "Certificates", "KeychainSync", "PrivateKeys", "TestSupport"]
        ),
        .testTarget(
            name: "SecurityTests",
            dependencies: ["Agent", "Digests", "Security", "SecurityNames", "TestSupport"]
        ),
        .testTarget(name: "KeychainToolTests", dependencies: ["Agent", "KeychainTool"]),
        .testTarget(
            name: "TransportTests",
            dependencies: [
                "Certificates", "Transport", logging,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        ),
        .testTarget(name: "ImportingTests", dependencies: ["Importing", "TestSupport"]),
        .testTarget(
            name: "TidyTests",
            dependencies: ["Digests"],
            exclude: ["Migrations.sha256"]
        ),
        .testTarget(
            name: "CausalityTests",
            dependencies: ["Causality", "TestSupport"],
            exclude: ["Vectors/README.md"],
            resources: [.embedInCode("Vectors/version-vector-cases.jsonl")]
        ),
        .testTarget(
            name: "RecordsTests",
            dependencies: ["Causality", "Digests", "Records", "TestSupport"]
        ),
        .testTarget(
            name: "ResolutionTests",
            dependencies: ["Causality", "Records", "Resolution", "TestSupport"]
        ),
        .testTarget(
            name: "PrimitivesTests",
            dependencies: ["Digests", "Primitives", "Secrets", "TestSupport"],
            resources: [.copy("Vectors")]
        ),
        .testTarget(
            name: "SecretsTests",
            dependencies: ["Digests", "Primitives", "Secrets", "TestSupport"]
        ),
        .testTarget(
            name: "StoreTests",
            dependencies: [
                "Causality", "Digests", "Merging", "Records", "Store", "TestSupport", "Wire", grdb,
            ]
        ),
        .testTarget(
            name: "MergingTests",
            dependencies: ["Causality", "Digests", "Merging", "Records", "TestSupport"]
        ),
        .testTarget(
            name: "SyncClientTests",
            dependencies: [
                "Agent", "Causality", "Certificates", "Digests", "Importing", "Keychain",
                "Primitives", "PrivateKeys", "Records", "Resolution", "Sealing", "SyncClient",
                "SyncEngine", "TestSupport", "Transport", "Wire", grdb, logging,
            ]
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Causality", "Digests", "Keychain", "Records", "Resolution", "Sealing",
                "Simulation", "SyncEngine", "Wire",
            ]
        ),
        .testTarget(
            name: "SyncEngineTests",
            dependencies: [
                "Causality", "Digests", "Keychain", "Primitives", "Records", "Resolution",
                "Sealing", "SyncEngine", "TestSupport", "Transport", "Wire", grdb,
                logging, protobuf,
            ]
        ),
        .testTarget(
            name: "CertificatesTests",
            dependencies: ["Certificates", "Digests", "TestSupport"]
        ),
        .testTarget(
            name: "PrivateKeysTests",
            dependencies: ["Certificates", "PrivateKeys", "TestSupport"]
        ),
        .testTarget(
            name: "SealingTests",
            dependencies: [
                "Causality", "Digests", "Primitives", "Records", "Sealing", "Secrets",
                "TestSupport",
            ],
            resources: [.copy("Vectors")]
        ),
        .testTarget(
            name: "KeychainTests",
            dependencies: [
                "Digests", "Keychain", "KeychainTestSupport", "Primitives", "Sealing",
                "TestSupport", grdb,
            ]
        ),
        .target(
            name: "KeychainTestSupport",
            dependencies: ["Digests", "Keychain"],
            path: "Tests/KeychainSupport"
        ),
        .testTarget(
            name: "SecItemTests",
            dependencies: [
                "Agent", "Certificates", "Keychain", "KeychainTestSupport", "PrivateKeys",
                "SecItem", "TestSupport", grdb,
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
