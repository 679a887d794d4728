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

/// Starts the names of all targets but those that programs import: names are global in a graph of
/// packages, and others may want a `Store` or a `Keychain` of their own.
let prefix = "KS"

func product(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package)
}

let argumentParser = product("ArgumentParser", "swift-argument-parser")
let crypto = product("Crypto", "swift-crypto")
let grdb = product("GRDB", "GRDB.swift")
let http =
    ["Hummingbird", "HummingbirdCore", "HummingbirdHTTP2"]
    .map { product($0, "hummingbird") } + [product("HTTPTypes", "swift-http-types")]
let coreMetrics = product("CoreMetrics", "swift-metrics")
let lifecycle = product("ServiceLifecycle", "swift-service-lifecycle")
let logging = product("Logging", "swift-log")
let nio = [
    product("NIOCore", "swift-nio"), product("NIOPosix", "swift-nio"),
    product("NIOSSL", "swift-nio-ssl"), product("NIOTLS", "swift-nio"),
]
let protobuf = product("SwiftProtobuf", "swift-protobuf")
let signals = product("UnixSignals", "swift-service-lifecycle")
let sqlite = product("GRDBSQLite", "GRDB.swift")
let subprocess = product("Subprocess", "swift-subprocess")
let systemPackage = product("SystemPackage", "swift-system")

/// What most tests of records, of keys and calls, of items and of the daemon depend on.
let values: [Target.Dependency] = ["KSCausality", "KSDigests", "KSRecords", "KSTestSupport"]
let keys: [Target.Dependency] = [
    "KSAgent", "KSCertificates", "KSDigests", "KSPrivateKeys", "KSTestSupport",
]
let items = keys + ["KSDeviceKeys", "KSKeychain", "KSKeychainTestSupport", "KSSealing", grdb]
let daemonModules: [Target.Dependency] =
    values + [
        "KSAgent", "KSCertificates", "KSDeviceKeys", "KSFiles", "KSImporting",
        "KSKeyValueCalls", "KSKeyValueRecords", "KSKeyValues",
        "KSKeychain", "KSKeychainFiles", "KSKeychainRecords", "KSMoving", "KSPrimitives",
        "KSPrivateKeys", "KSResolution", "KSSealing", "KSSecItem", "KSTransport", "KSWire",
        "KSSyncEngine", grdb, logging,
    ]
let merging = values + ["KSMerging"]
let clients: [Target.Dependency] = ["KSDaemon", "KSRPC", "KSSyncClient"]

let package = Package(
    name: "keychain-sync",
    products: [
        .library(name: "KeychainSync", targets: ["KeychainSync"]),
        .library(name: "KeyValueStore", targets: ["KeyValueStore"]),
        .library(name: "Security", targets: ["Security"]),
        .library(name: "Simulation", targets: ["Simulation"]),
        .library(name: "UbiquitousKeyValueStore", targets: ["UbiquitousKeyValueStore"]),
        .executable(name: "sync-server", targets: ["KSSyncServer"]),
        .executable(name: "sync-client", targets: ["KSSyncClient"]),
        .executable(name: "keychain", targets: ["KSKeychainTool"]),
        .executable(name: "keychain-test-bench", targets: ["KSKeychainTestBench"]),
        .executable(name: "sync-simulate", targets: ["KSSyncSimulate"]),
        .executable(name: "shared-state", targets: ["KSSharedState"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
        // For the tests alone; its extensions of Foundation are of no use to them.
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        // Base: C libraries, bytes, files, threads, Apple's names. A C library is a module map and,
        // where Swift cannot import something, a static inline shim; TidyTests checks its few
        // importers.
        .systemLibrary(name: "KSCOpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "KSCCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]
        ),
        .systemLibrary(
            name: "KSCPostgreSQL",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"])]
        ),
        .systemLibrary(
            name: "KSCArgon2",
            pkgConfig: "libargon2",
            providers: [.apt(["libargon2-dev"])]
        ),
        .systemLibrary(
            name: "KSCExpat",
            pkgConfig: "expat",
            providers: [.apt(["libexpat1-dev"])]
        ),
        .systemLibrary(
            name: "KSCGcrypt",
            pkgConfig: "libgcrypt",
            providers: [.apt(["libgcrypt20-dev"])]
        ),
        .systemLibrary(name: "KSCZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "KSCZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
        // The client of the session bus.
        .systemLibrary(
            name: "KSCSystemd",
            pkgConfig: "libsystemd",
            providers: [.apt(["libsystemd-dev"])]
        ),
        .systemLibrary(name: "KSCLinux"),
        .target(name: "KSArchives", dependencies: ["KSCZip"]),
        .target(name: "KSBytes"),
        .target(name: "KSFiles", dependencies: ["KSBytes"]),
        .target(name: "KSJSON"),
        // Masking and SecretReferences are pure.
        .target(name: "KSMasking"),
        .target(name: "KSMatching"),
        .target(name: "KSQueues"),
        .target(name: "KSRedaction"),
        .target(name: "KSSecretReferences"),
        .target(name: "KSSecurityNames"),
        .target(name: "KSScreens"),
        .target(name: "KSPicking", dependencies: ["KSMatching", "KSScreens"]),
        .target(name: "KSQRCodes"),

        // Crypto. No secret goes into Digests and Certificates: the server may use these two.
        .target(name: "KSDigests", dependencies: ["KSCOpenSSL"]),
        .target(name: "KSCertificates", dependencies: ["KSCOpenSSL", "KSDigests"]),
        .target(
            name: "KSPrivateKeys",
            dependencies: ["KSCOpenSSL", "KSCertificates", "KSDigests", "KSRedaction"]
        ),
        .target(name: "KSSecrets", dependencies: ["KSCOpenSSL", "KSDigests"]),
        .target(
            name: "KSPrimitives",
            dependencies: ["KSCOpenSSL", "KSDigests", "KSSecrets", crypto]
        ),
        .target(name: "KSGenerating", dependencies: ["KSBytes", "KSDigests"]),
        .target(
            name: "KSFileCiphers",
            dependencies: ["KSCArgon2", "KSCGcrypt", "KSCOpenSSL"]
        ),
        .target(name: "KSOneTimeCodes", dependencies: ["KSCOpenSSL", "KSRedaction"]),

        // Sync. Causality, Records and Resolution are pure: no clock, no randomness, no disk,
        // no network.
        .target(name: "KSCausality"),
        .target(name: "KSRecords", dependencies: ["KSCausality", "KSDigests"]),
        .target(name: "KSResolution", dependencies: ["KSCausality", "KSRecords", "KSRedaction"]),
        .target(
            name: "KSWire",
            dependencies: ["KSCausality", "KSRecords", protobuf],
            exclude: ["Protocol"]
        ),
        .target(
            name: "KSSealing",
            dependencies: [
                "KSCausality", "KSDigests", "KSPrimitives", "KSRecords", "KSRedaction", "KSSecrets",
            ]
        ),
        .target(
            name: "KSDeviceKeys",
            dependencies: [
                "KSCausality", "KSDigests", "KSFiles", "KSPrimitives", "KSRecords", "KSSealing",
                "KSSecrets",
            ]
        ),
        .target(name: "KSTransport", dependencies: ["KSCCurl", "KSCLinux", "KSRedaction"]),
        .target(
            name: "KSSyncEngine",
            dependencies: [
                "KSCausality", "KSDeviceKeys", "KSDigests", "KSPrimitives", "KSQueues", "KSRecords",
                "KSRedaction", "KSResolution", "KSSealing", "KSTransport", "KSWire", grdb, logging,
                protobuf,
            ],
            resources: [.embedInCode("Migrations/v01-sync.sql")]
        ),

        // Stores: what a user keeps, and how it becomes records.
        .target(
            name: "KSKeychain",
            dependencies: [
                "KSBytes", "KSDeviceKeys", "KSDigests", "KSRecords", "KSRedaction", "KSResolution",
                "KSSealing", "KSSecurityNames", grdb, sqlite,
            ],
            resources: [.embedInCode("Migrations/v01-items.sql")]
        ),
        .target(
            name: "KSKeyValues",
            dependencies: ["KSCausality", "KSDigests", "KSRecords", "KSRedaction", "KSResolution"]
        ),
        .target(
            name: "KSPersonalItems",
            dependencies: ["KSKeychain", "KSMatching", "KSRedaction", "KSResolution"]
        ),
        .target(
            name: "KSKeychainRecords",
            dependencies: [
                "KSCausality", "KSKeychain", "KSRecords", "KSRedaction", "KSResolution",
                "KSSealing", "KSSyncEngine", grdb,
            ]
        ),
        .target(
            name: "KSKeyValueRecords",
            dependencies: [
                "KSCausality", "KSDeviceKeys", "KSDigests", "KSKeyValues", "KSKeychain",
                "KSRecords", "KSRedaction", "KSResolution", "KSSealing", "KSSyncEngine", grdb,
            ],
            resources: [.embedInCode("Migrations/v01-entries.sql")]
        ),

        // Device: the calls of programs, and the daemon that answers them. No program of users
        // links TestBench, which `keychain rpc --test` starts.
        .target(name: "KSImporting"),
        .target(
            name: "KSKeePass",
            dependencies: [
                "KSBytes", "KSCExpat", "KSCZlib", "KSDigests", "KSFileCiphers", "KSRedaction",
            ]
        ),
        .target(
            name: "KSMoving",
            dependencies: [
                "KSArchives", "KSBytes", "KSDigests", "KSFileCiphers", "KSImporting", "KSJSON",
                "KSKeePass", "KSMatching", "KSOneTimeCodes", "KSRedaction",
            ]
        ),
        .target(
            name: "KSAgent",
            dependencies: ["KSCLinux", "KSRedaction", "KSSecretReferences", "KSSecurityNames"]
        ),
        .target(name: "KSClipboards", dependencies: ["KSAgent", "KSCLinux", "KSSecrets"]),
        .target(name: "KSPrompting"),
        .target(name: "KSRunning", dependencies: ["KSCLinux", "KSMasking"]),
        .target(name: "KSPassFolders", dependencies: ["KSMoving", "KSRunning"]),
        .target(name: "KSSecretService", dependencies: ["KSCSystemd", "KSMoving"]),
        .target(name: "KSEditing", dependencies: ["KSAgent", "KSCLinux", "KSRunning"]),
        .target(
            name: "KSSecItem",
            dependencies: [
                "KSAgent", "KSBytes", "KSCertificates", "KSDigests", "KSKeychain", "KSPrivateKeys",
                "KSSealing",
            ]
        ),
        .target(
            name: "KSKeyValueCalls",
            dependencies: [
                "KSAgent", "KSDigests", "KSKeyValueRecords", "KSKeyValues", "KSRecords",
                "KSResolution", "KSSyncEngine",
            ]
        ),
        .target(
            name: "KSRPC",
            dependencies: ["KSAgent", "KSBytes", "KSJSON", "KSKeyValues", "KSSecurityNames"]
        ),
        .target(
            name: "KSKeychainFiles",
            dependencies: [
                "KSAgent", "KSCertificates", "KSDeviceKeys", "KSDigests", "KSFiles", "KSKeychain",
                "KSPrivateKeys", "KSQueues", "KSRPC", "KSSealing", "KSSecItem", "KSSecurityNames",
                grdb, sqlite,
            ],
            resources: [.embedInCode("Migrations/v01-parts.sql")]
        ),
        .target(
            name: "KSDaemon",
            dependencies: [
                "KSAgent", "KSBytes", "KSCertificates", "KSDeviceKeys", "KSDigests", "KSFiles",
                "KSGenerating", "KSImporting", "KSKeyValueCalls", "KSKeyValueRecords",
                "KSKeyValues", "KSKeychain", "KSKeychainFiles", "KSKeychainRecords", "KSMatching",
                "KSMoving", "KSOneTimeCodes", "KSPersonalItems",
                "KSPrimitives", "KSQueues", "KSRPC", "KSRecords",
                "KSRedaction", "KSResolution", "KSSealing", "KSSecItem", "KSSecretReferences",
                "KSSecurityNames", "KSSyncEngine", "KSTransport", "KSWire", grdb, lifecycle,
                logging,
            ]
        ),
        .target(
            name: "KSTestBench",
            dependencies: [
                "KSAgent", "KSCertificates", "KSDaemon", "KSDigests", "KSKeychain", "KSPrimitives",
                "KSPrivateKeys", "KSRPC", "KSSealing", "KSSecItem", "KSSecurityNames", grdb,
            ],
            resources: [.embedInCode("test-objects.txt")]
        ),

        // The server. It lists none of Sealing, Primitives, PrivateKeys, Secrets: it cannot open a
        // record.
        .target(name: "KSMerging", dependencies: ["KSCausality", "KSRecords", "KSWire"]),
        .target(
            name: "KSStore",
            dependencies: [
                "KSBytes", "KSCausality", "KSDigests", "KSFiles", "KSMerging", "KSRecords",
                "KSWire", grdb,
            ],
            resources: [.embedInCode("Migrations/v01-store.sql")]
        ),
        .target(name: "KSOpenMetrics", dependencies: [coreMetrics]),
        .target(
            name: "KSPostgreSQLStore",
            dependencies: [
                "KSBytes", "KSCPostgreSQL", "KSCausality", "KSDigests", "KSMerging", "KSRecords",
                "KSStore", "KSWire",
            ],
            resources: [.embedInCode("Migrations/v01-postgresql.sql")]
        ),
        .executableTarget(
            name: "KSSyncServer",
            dependencies: [
                "KSBytes", "KSCausality", "KSCertificates", "KSDigests", "KSFiles", "KSMerging",
                "KSOpenMetrics", "KSPostgreSQLStore", "KSQueues", "KSRecords", "KSStore", "KSWire",
                argumentParser, coreMetrics, lifecycle, logging, signals, protobuf,
            ] + http + nio
        ),

        // Products: what programs import.
        .target(
            name: "Security",
            dependencies: [
                "KSAgent", "KSCertificates", "KSDigests", "KSPrivateKeys", "KSSecurityNames",
            ]
        ),
        .target(name: "KeychainSync", dependencies: ["KSAgent", "KSSecurityNames"]),
        .target(name: "KeyValueStore", dependencies: ["KSAgent", "KSKeyValues"]),
        .target(name: "UbiquitousKeyValueStore", dependencies: ["KeyValueStore"]),
        .target(
            name: "Simulation",
            dependencies: [
                "KSAgent", "KSBytes", "KSCausality", "KSDeviceKeys", "KSDigests", "KSFiles",
                "KSKeyValueCalls", "KSKeyValueRecords", "KSKeyValues", "KSKeychain",
                "KSKeychainRecords", "KSMatching", "KSMerging", "KSPersonalItems", "KSPrimitives",
                "KSRecords", "KSResolution", "KSSealing", "KSSecItem", "KSStore", "KSSyncEngine",
                "KSWire", "KeyValueStore", "KeychainSync", "UbiquitousKeyValueStore", grdb,
                protobuf, sqlite,
            ]
        ),

        // The programs: thin mains.
        .executableTarget(
            name: "KSSyncClient",
            dependencies: [
                "KSAgent", "KSBytes", "KSClipboards", "KSDaemon", "KSDeviceKeys", "KSEveryday",
                "KSFiles", "KSImporting", "KSKeyValues", "KSKeychain", "KSMatching", "KSMoving",
                "KSPicking",
                "KSPassFolders", "KSPrompting", "KSQRCodes", "KSRPC", "KSRunning", "KSScreens",
                "KSSealing", "KSSecItem", "KSSecretService", "KSSecrets",
                "KSSyncEngine", "KSTransport", "KeyValueStore", argumentParser, lifecycle, logging,
                signals,
            ]
        ),
        .target(
            name: "KSEveryday",
            dependencies: [
                "KSAgent", "KSBytes", "KSEditing", "KSFiles", "KSMatching", "KSPrompting",
                "KSQRCodes", "KSRunning", "KSScreens", "KSSecretReferences",
            ]
        ),
        .executableTarget(
            name: "KSKeychainTool",
            dependencies: [
                "KSAgent", "KSBytes", "KSCLinux", "KSEveryday", "KSFiles", "KSPrompting",
                "KSSecurityNames",
            ]
        ),
        // Plays stories on the built programs, and compares them with the simulated ones.
        .target(
            name: "KSRealStories",
            dependencies: ["KSAgent", "KSKeyValues", "KSRPC", "KSRunning", "Simulation"]
        ),
        .executableTarget(
            name: "KSSyncSimulate",
            dependencies: ["KSBytes", "KSRealStories", "Simulation", argumentParser]
        ),
        .executableTarget(
            name: "KSSharedState",
            dependencies: ["KeyValueStore"],
            path: "Examples/SharedState"
        ),
        .executableTarget(
            name: "KSKeychainTestBench",
            dependencies: ["KSAgent", "KSBytes", "KSRPC", "KSTestBench"]
        ),

        // Tests, in the same order; then those of the whole product.
        .target(
            name: "KSTestSupport",
            dependencies: ["KSAgent", "KSDigests"],
            path: "Tests/Support",
            exclude: ["daemon-of-tests"]
        ),
        .target(
            name: "KSTestPrograms",
            dependencies: [subprocess, systemPackage],
            path: "Tests/Programs"
        ),
        // Hears of changes through Apple's class, as a program with a main loop does.
        .executableTarget(
            name: "KSMainLoopProgram",
            dependencies: ["UbiquitousKeyValueStore"],
            path: "Tests/MainLoopProgram"
        ),
        // Pseudo-terminals, and what tests start on them.
        .target(name: "KSTestTerminals", dependencies: ["KSCLinux"], path: "Tests/Terminals"),
        .executableTarget(
            name: "KSTerminalProgram",
            dependencies: ["KSClipboards", "KSPicking", "KSScreens", "KSSecrets"],
            path: "Tests/TerminalProgram"
        ),
        // Runs a program or edits a text, as `keychain` does.
        .executableTarget(
            name: "KSRunningProgram",
            dependencies: ["KSEditing", "KSRunning"],
            path: "Tests/RunningProgram"
        ),
        .target(
            name: "KSRunningTestSupport",
            dependencies: ["KSRunning"],
            path: "Tests/Device/RunningSupport"
        ),
        // A PostgreSQL server for the tests of a process.
        .target(
            name: "KSPostgreSQLTestSupport",
            dependencies: ["KSDigests", "KSMerging", "KSPostgreSQLStore", "KSStore"],
            path: "Tests/Server/PostgreSQLSupport"
        ),
        // Measures the server as a process: `make bench-server`.
        .executableTarget(
            name: "KSServerBenchmarks",
            dependencies: [
                "KSCausality", "KSDigests", "KSMerging", "KSPostgreSQLStore",
                "KSPostgreSQLTestSupport", "KSRecords", "KSSealing", "KSStore", "KSTestSupport",
                "KSWire", argumentParser, grdb, protobuf,
            ] + nio,
            path: "Benchmarks/Server",
            exclude: ["kinto-upload"]
        ),
        .target(
            name: "KSKeychainTestSupport",
            dependencies: ["KSDeviceKeys", "KSDigests", "KSKeychain", "KSSealing"],
            path: "Tests/Stores/KeychainSupport"
        ),
        .testTarget(name: "FilesTests", dependencies: ["KSBytes", "KSFiles"]),
        .testTarget(
            name: "SecretReferencesTests",
            dependencies: ["KSSecretReferences", "KSTestSupport"]
        ),
        .testTarget(name: "MaskingTests", dependencies: ["KSMasking", "KSTestSupport"]),
        .testTarget(name: "MatchingTests", dependencies: ["KSMatching", "KSTestSupport"]),
        .testTarget(name: "ScreensTests", dependencies: ["KSScreens", "KSTestTerminals"]),
        .testTarget(
            name: "PickingTests",
            dependencies: ["KSMatching", "KSPicking", "KSScreens", "KSTestTerminals"]
        ),
        .testTarget(name: "QRCodesTests", dependencies: ["KSDigests", "KSQRCodes"]),
        .testTarget(name: "CertificatesTests", dependencies: keys + ["KSTestPrograms"]),
        .testTarget(name: "PrivateKeysTests", dependencies: keys),
        .testTarget(name: "SecretsTests", dependencies: keys + ["KSPrimitives", "KSSecrets"]),
        .testTarget(
            name: "PrimitivesTests",
            dependencies: ["KSDigests", "KSPrimitives", "KSSecrets", "KSTestSupport", crypto],
            resources: [.copy("Vectors")]
        ),
        .testTarget(
            name: "GeneratingTests",
            dependencies: ["KSDigests", "KSGenerating", "KSTestSupport"]
        ),
        .testTarget(name: "FileCiphersTests", dependencies: ["KSFileCiphers", "KSTestSupport"]),
        .testTarget(name: "OneTimeCodesTests", dependencies: ["KSOneTimeCodes"]),
        .testTarget(
            name: "CausalityTests",
            dependencies: ["KSCausality", "KSTestSupport"],
            exclude: ["Vectors/README.md"],
            resources: [.embedInCode("Vectors/version-vector-cases.jsonl")]
        ),
        .testTarget(name: "RecordsTests", dependencies: values),
        .testTarget(name: "ResolutionTests", dependencies: values + ["KSResolution"]),
        .testTarget(name: "WireTests", dependencies: values + ["KSWire", protobuf]),
        .testTarget(
            name: "SealingTests",
            dependencies: values + [
                "KSDeviceKeys", "KSFiles", "KSPrimitives", "KSSealing", "KSSecrets",
            ],
            resources: [.copy("Vectors")]
        ),
        .testTarget(
            name: "TransportTests",
            dependencies: ["KSCertificates", "KSTestSupport", "KSTransport", logging] + http + nio
        ),
        .testTarget(
            name: "SyncEngineTests",
            dependencies: values + [
                "KSDeviceKeys", "KSKeychain", "KSKeychainRecords", "KSPrimitives", "KSQueues",
                "KSResolution", "KSSealing", "KSSyncEngine", "KSTransport", "KSWire", grdb, logging,
                protobuf,
            ]
        ),
        .testTarget(
            name: "PersonalItemsTests",
            dependencies: ["KSKeychain", "KSPersonalItems", "KSResolution", "KSTestSupport"]
        ),
        .testTarget(name: "KeychainTests", dependencies: items + ["KSPrimitives", "KSResolution"]),
        .testTarget(
            name: "KeyValuesTests",
            dependencies: values + ["KSKeyValues", "KSResolution"]
        ),
        .testTarget(
            name: "ImportingTests",
            dependencies: ["KSImporting", "KSTestSupport"]
        ),
        .testTarget(
            name: "MovingTests",
            dependencies: [
                "KSArchives", "KSDigests", "KSImporting", "KSKeePass", "KSMoving", "KSTestSupport",
            ],
            resources: [.copy("Archives"), .copy("Cases"), .copy("Files")]
        ),
        .testTarget(
            name: "PassFoldersTests",
            dependencies: ["KSMoving", "KSPassFolders", "KSRunning"]
        ),
        .testTarget(name: "AgentTests", dependencies: ["KSAgent", "KSTestSupport"]),
        .testTarget(
            name: "ClipboardsTests",
            dependencies: ["KSClipboards", "KSSecrets", "KSTestTerminals"]
        ),
        .testTarget(name: "RunningTests", dependencies: ["KSRunning", "KSRunningTestSupport"]),
        .testTarget(
            name: "EditingTests",
            dependencies: ["KSEditing", "KSRunningTestSupport", "KSTestSupport"]
        ),
        .testTarget(name: "SecItemTests", dependencies: items + ["KSSecItem"]),
        .testTarget(name: "KeychainFilesTests", dependencies: daemonModules),
        .testTarget(name: "DaemonTests", dependencies: daemonModules + clients),
        .testTarget(
            name: "SecurityTests",
            dependencies: keys + ["Security", "KSSecurityNames"],
            exclude: ["Vectors/README.md"],
            resources: [.embedInCode("Vectors/encryption.json")]
        ),
        .testTarget(name: "KeychainSyncTests", dependencies: keys + ["KeychainSync"]),
        .testTarget(
            name: "KeyValueStoreTests",
            dependencies: keys + ["KeyValueStore", "KSKeyValues", "UbiquitousKeyValueStore"]
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: values + [
                "KSKeychain", "KSKeychainRecords", "KSKeyValues", "KSResolution", "KSSealing",
                "KeychainSync", "KeyValueStore", "Simulation", "KSSyncEngine",
                "UbiquitousKeyValueStore", "KSWire",
            ]
        ),
        // An app with a merge bug, and its story.
        .testTarget(
            name: "MergeBugTests",
            dependencies: ["KeyValueStore", "Simulation", "UbiquitousKeyValueStore"],
            path: "Examples/MergeBug",
            exclude: ["README.md", "story.svg"]
        ),
        .testTarget(
            name: "MergingTests",
            dependencies: merging + ["KSPrimitives", "KSSealing", "KSWire"]
        ),
        .testTarget(
            name: "StoreTests",
            dependencies: merging + [
                "KSPostgreSQLStore", "KSPostgreSQLTestSupport", "KSStore", "KSWire", grdb,
            ]
        ),
        .testTarget(name: "OpenMetricsTests", dependencies: ["KSOpenMetrics", coreMetrics]),
        .testTarget(
            name: "SyncServerTests",
            dependencies: [
                "KSCausality", "KSCertificates", "KSDigests", "KSMerging", "KSPostgreSQLStore",
                "KSPostgreSQLTestSupport", "KSPrimitives",
                "KSRecords", "KSSealing", "KSStore", "KSSyncServer", "KSTestPrograms",
                "KSTestSupport", "KSTransport", "KSWire", grdb, logging, protobuf,
                product("NIOEmbedded", "swift-nio"),
            ] + http + nio
        ),
        .testTarget(name: "SyncClientTests", dependencies: daemonModules + clients),
        .testTarget(
            name: "KeychainToolTests",
            dependencies: ["KSAgent", "KSEveryday", "KSFiles", "KSKeychainTool", "KSPrompting"]
        ),
        .testTarget(
            name: "RealStoriesTests",
            dependencies: ["KSAgent", "KSKeyValues", "KSRealStories", "Simulation"]
        ),
        .testTarget(name: "ProgramsTests", dependencies: ["KSTestPrograms"]),
        // Drives the built programs, which `swift build --build-tests` makes beside it.
        .testTarget(
            name: "EndToEndTests",
            dependencies: items + [
                "KeyValueStore", "KSCausality", "KSDaemon", "KSKeyValueRecords", "KSKeyValues",
                "KSPostgreSQLTestSupport", "KSRecords", "KSResolution", "KSTestPrograms",
                "KSTestTerminals", "KSTransport", "KSWire", "KSSyncEngine",
                "UbiquitousKeyValueStore", logging,
            ] + http + nio
        ),
        .testTarget(
            name: "SecItemCaseTests",
            dependencies: ["KSAgent", "KSRPC", "KSTestBench"],
            resources: [.copy("Vectors")]
        ),
        .testTarget(
            name: "TidyTests",
            dependencies: ["KSDigests", "KSTestPrograms"],
            exclude: ["Migrations.sha256"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system && target.type != .plugin {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}

// The optimizer would take half of the time of a build with tests, most of it for `#expect`. What
// they test is optimized as users run it. The checks of the source read each line of it.
for target in package.targets where target.type == .test && target.name != "TidyTests" {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
}

/// The floors of `Sources`, and which modules stand on each.
///
/// A module uses what stands on lower floors, or before it on its own.
let floors = [
    "Base": [
        "COpenSSL", "CArgon2", "CGcrypt", "CExpat", "CZlib", "CCurl", "CPostgreSQL", "CZip",
        "CSystemd", "CLinux", "Archives", "Bytes", "Files", "JSON", "Masking", "Matching", "Queues",
        "Redaction", "SecretReferences", "SecurityNames", "Screens", "Picking", "QRCodes",
    ],
    "Crypto": [
        "Digests", "Certificates", "PrivateKeys", "Secrets", "Primitives", "Generating",
        "FileCiphers", "OneTimeCodes",
    ],
    "Sync": [
        "Causality", "Records", "Resolution", "Wire", "Sealing", "DeviceKeys", "Transport",
        "SyncEngine",
    ],
    "Stores": [
        "Keychain", "KeyValues", "PersonalItems", "KeychainRecords", "KeyValueRecords",
    ],
    "Device": [
        "Importing", "KeePass", "Moving", "Agent", "Clipboards", "Prompting", "Running",
        "PassFolders", "SecretService", "Editing", "SecItem", "KeyValueCalls", "RPC",
        "KeychainFiles", "Daemon", "TestBench",
    ],
    "Products": [
        "Security", "KeychainSync", "KeyValueStore", "UbiquitousKeyValueStore", "Simulation",
    ],
]

/// What does not stand in `Sources`.
let server = ["Merging", "Store", "PostgreSQLStore", "OpenMetrics", "SyncServer"]
let client = [
    "Everyday", "SyncClient", "KeychainTool", "RealStories", "SyncSimulate", "KeychainTestBench",
]

/// The folder of a module, without the prefix of its target.
func folder(_ name: String) -> String {
    if server.contains(name) { return "Server/" + name }
    if client.contains(name) { return "Client/" + name }
    return floors.first { $0.value.contains(name) }.map { "Sources/\($0.key)/\(name)" } ?? ""
}

/// The folder of a module's tests; those of the whole product stand in `Tests` itself.
func testFolder(_ name: String) -> String {
    let module = name == "SecItemCaseTests" ? "SecItem" : String(name.dropLast("Tests".count))
    let parts = folder(module).split(separator: "/")
    guard let first = parts.first else { return "Tests/" + name }
    return "Tests/\(first == "Sources" ? parts[1] : first)/\(name)"
}

for target in package.targets where target.path == nil {
    let name = target.name.hasPrefix(prefix) ? String(target.name.dropFirst(2)) : target.name
    target.path = target.type == .test ? testFolder(name) : folder(name)
}
