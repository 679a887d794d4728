// swift-tools-version: 6.2
import PackageDescription

// Random input for some decoders; `make fuzz SECONDS=60` builds and runs them all.
//
// A package of its own, since nothing of it links without libFuzzer. Its modules are the project's
// own, by a link to the folder of sources, so that the fuzzer sees every branch of theirs and can
// reach what is `package` there.

/// Each is a program with the one function that libFuzzer calls.
let fuzzers = [
    ("AgentMessageFuzz", ["KSAgent"]),
    ("BatchHeaderFuzz", ["KSRecords"]),
    ("CallsFuzz", ["KSAgent", "KSDaemon", "KSDeviceKeys"]),
    ("CircleEntryFuzz", ["KSRecords"]),
    ("EntriesFuzz", ["KSMoving"]),
    ("KeePassFuzz", ["KSFileCiphers", "KSKeePass"]),
    ("PassEntriesFuzz", ["KSMoving"]),
    ("ItemStateFuzz", ["KSRecords", "KSResolution"]),
    ("PendingEditFuzz", ["KSRecords", "KSResolution"]),
]

func product(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package)
}

let crypto = product("Crypto", "swift-crypto")
let grdb = product("GRDB", "GRDB.swift")
let lifecycle = product("ServiceLifecycle", "swift-service-lifecycle")
let logging = product("Logging", "swift-log")
let protobuf = product("SwiftProtobuf", "swift-protobuf")
let sqlite = product("GRDBSQLite", "GRDB.swift")

let package = Package(
    name: "fuzz",
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "KSCOpenSSL", pkgConfig: "openssl"),
        .systemLibrary(name: "KSCArgon2", pkgConfig: "libargon2"),
        .systemLibrary(name: "KSCExpat", pkgConfig: "expat"),
        .systemLibrary(name: "KSCGcrypt", pkgConfig: "libgcrypt"),
        .systemLibrary(name: "KSCZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "KSCCurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "KSCZip", pkgConfig: "libzip"),
        .systemLibrary(name: "KSCLinux"),
        .target(name: "KSArchives", dependencies: ["KSCZip"]),
        .target(name: "KSBytes"),
        .target(name: "KSFiles", dependencies: ["KSBytes"]),
        .target(name: "KSJSON"),
        .target(name: "KSRedaction"),
        .target(name: "KSQueues"),
        .target(name: "KSDigests", dependencies: ["KSCOpenSSL"]),
        .target(name: "KSCertificates", dependencies: ["KSCOpenSSL", "KSDigests"]),
        .target(name: "KSSecurityNames"),
        .target(
            name: "KSPrivateKeys",
            dependencies: ["KSCOpenSSL", "KSCertificates", "KSDigests", "KSRedaction"]
        ),
        .target(name: "KSSecrets", dependencies: ["KSCOpenSSL", "KSDigests"]),
        .target(
            name: "KSPrimitives",
            dependencies: ["KSCOpenSSL", "KSDigests", "KSSecrets", crypto]
        ),
        .target(name: "KSMatching"),
        .target(name: "KSGenerating", dependencies: ["KSBytes", "KSDigests"]),
        .target(name: "KSFileCiphers", dependencies: ["KSCArgon2", "KSCGcrypt", "KSCOpenSSL"]),
        .target(name: "KSOneTimeCodes", dependencies: ["KSCOpenSSL", "KSRedaction"]),
        .target(name: "KSCausality"),
        .target(name: "KSRecords", dependencies: ["KSCausality", "KSDigests"]),
        .target(name: "KSResolution", dependencies: ["KSCausality", "KSRecords", "KSRedaction"]),
        .target(
            name: "KSKeyValues",
            dependencies: ["KSCausality", "KSDigests", "KSRecords", "KSRedaction", "KSResolution"]
        ),
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
        .target(
            name: "KSKeychain",
            dependencies: [
                "KSBytes", "KSDeviceKeys", "KSDigests", "KSRecords", "KSRedaction", "KSResolution",
                "KSSealing", "KSSecurityNames", grdb, sqlite,
            ],
            resources: [.embedInCode("Migrations/v01-items.sql")]
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
        .target(name: "KSSecretReferences"),
        .target(
            name: "KSAgent",
            dependencies: ["KSCLinux", "KSRedaction", "KSSecretReferences", "KSSecurityNames"]
        ),
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
            name: "KSKeychainFiles",
            dependencies: [
                "KSAgent", "KSCertificates", "KSDeviceKeys", "KSDigests", "KSFiles", "KSKeychain",
                "KSPrivateKeys", "KSQueues", "KSRPC", "KSSealing", "KSSecItem", "KSSecurityNames",
                grdb, sqlite,
            ],
            resources: [.embedInCode("Migrations/v01-parts.sql")]
        ),
        .target(
            name: "KSRPC",
            dependencies: ["KSAgent", "KSBytes", "KSJSON", "KSKeyValues", "KSSecurityNames"]
        ),
        .target(
            name: "KSDaemon",
            dependencies: [
                "KSAgent", "KSBytes", "KSCertificates", "KSDeviceKeys", "KSDigests", "KSFiles",
                "KSGenerating", "KSImporting", "KSKeyValueCalls", "KSKeyValueRecords",
                "KSKeyValues", "KSKeychain", "KSKeychainFiles", "KSKeychainRecords", "KSMatching",
                "KSMoving", "KSOneTimeCodes", "KSPersonalItems", "KSPrimitives", "KSQueues",
                "KSRPC", "KSRecords", "KSRedaction",
                "KSResolution", "KSSealing", "KSSecItem", "KSSecretReferences", "KSSecurityNames",
                "KSSyncEngine", "KSTransport", "KSWire", grdb, lifecycle, logging,
            ]
        ),
        .target(name: "FuzzInput", path: "FuzzInput"),
    ]
        + fuzzers.map { name, modules in
            .executableTarget(
                name: name,
                dependencies: ["FuzzInput"] + modules.map { .byName(name: $0) }
                    + (name == "CallsFuzz" ? [logging] : []),
                path: "Targets/\(name)",
                swiftSettings: [.unsafeFlags(["-parse-as-library"])]
            )
        },
    swiftLanguageModes: [.v6]
)

/// The floors of `Sources`, as in the project's own manifest.
let floors = [
    "Base": [
        "COpenSSL", "CArgon2", "CGcrypt", "CExpat", "CZlib", "CCurl", "CZip", "CLinux", "Archives",
        "Bytes", "Files", "JSON", "Masking", "Matching", "Queues",
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
        "Importing", "KeePass", "Moving", "Agent", "Clipboards", "Prompting", "Running", "Editing",
        "SecItem", "KeyValueCalls",
        "RPC", "KeychainFiles", "Daemon", "TestBench",
    ],
    "Products": [
        "Security", "KeychainSync", "KeyValueStore", "UbiquitousKeyValueStore", "Simulation",
    ],
]

// A folder has the name of its target without the prefix.
for target in package.targets where target.path == nil {
    let name = String(target.name.trimmingPrefix("KS"))
    let floor = floors.first { $0.value.contains(name) }?.key ?? ""
    target.path = "Modules/\(floor)/\(name)"
}

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
