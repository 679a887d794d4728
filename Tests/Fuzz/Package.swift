// swift-tools-version: 6.2
import PackageDescription

// Random input for some decoders; `make fuzz SECONDS=60` builds and runs them all.
//
// A package of its own, since nothing of it links without libFuzzer. Its modules are the project's
// own, by a link to the folder of sources, so that the fuzzer sees every branch of theirs and can
// reach what is `package` there.

/// Each is one program, of the one function that libFuzzer calls.
let fuzzers = [
    ("AgentMessageFuzz", ["Agent"]),
    ("BatchHeaderFuzz", ["Records"]),
    ("CircleEntryFuzz", ["Records"]),
    ("ImportPlanFuzz", ["Importing"]),
    ("ItemStateFuzz", ["Records", "Resolution"]),
    ("PendingEditFuzz", ["Records", "Resolution"]),
]

let package = Package(
    name: "fuzz",
    targets: [
        .systemLibrary(name: "COpenSSL", path: "Modules/COpenSSL", pkgConfig: "openssl"),
        .systemLibrary(name: "CLinux", path: "Modules/CLinux"),
        .target(name: "Digests", dependencies: ["COpenSSL"], path: "Modules/Digests"),
        .target(name: "Causality", path: "Modules/Causality"),
        .target(name: "Redaction", path: "Modules/Redaction"),
        .target(
            name: "Records",
            dependencies: ["Causality", "Digests"],
            path: "Modules/Records"
        ),
        .target(
            name: "Resolution",
            dependencies: ["Causality", "Records", "Redaction"],
            path: "Modules/Resolution"
        ),
        .target(name: "Importing", dependencies: ["Redaction"], path: "Modules/Importing"),
        .target(
            name: "Agent",
            dependencies: ["CLinux", "Redaction"],
            path: "Modules/Agent"
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
