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
    ("CircleEntryFuzz", ["KSRecords"]),
    ("ImportPlanFuzz", ["KSImporting"]),
    ("ItemStateFuzz", ["KSRecords", "KSResolution"]),
    ("PendingEditFuzz", ["KSRecords", "KSResolution"]),
]

let package = Package(
    name: "fuzz",
    targets: [
        .systemLibrary(name: "KSCOpenSSL", path: "Modules/Base/COpenSSL", pkgConfig: "openssl"),
        .systemLibrary(name: "KSCLinux", path: "Modules/Base/CLinux"),
        .target(name: "KSDigests", dependencies: ["KSCOpenSSL"], path: "Modules/Crypto/Digests"),
        .target(name: "KSCausality", path: "Modules/Sync/Causality"),
        .target(name: "KSSecurityNames", path: "Modules/Base/SecurityNames"),
        .target(name: "KSRedaction", path: "Modules/Base/Redaction"),
        .target(
            name: "KSRecords",
            dependencies: ["KSCausality", "KSDigests"],
            path: "Modules/Sync/Records"
        ),
        .target(
            name: "KSResolution",
            dependencies: ["KSCausality", "KSRecords", "KSRedaction"],
            path: "Modules/Sync/Resolution"
        ),
        .target(
            name: "KSImporting",
            dependencies: ["KSRedaction"],
            path: "Modules/Device/Importing"
        ),
        .target(
            name: "KSAgent",
            dependencies: ["KSCLinux", "KSRedaction", "KSSecurityNames"],
            path: "Modules/Device/Agent"
        ),
        .target(name: "FuzzInput", path: "FuzzInput"),
    ]
        + fuzzers.map { name, modules in
            .executableTarget(
                name: name,
                dependencies: ["FuzzInput"] + modules.map { .byName(name: $0) },
                path: "Targets/\(name)",
                swiftSettings: [.unsafeFlags(["-parse-as-library"])]
            )
        },
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
