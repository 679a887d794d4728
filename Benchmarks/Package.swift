// swift-tools-version: 6.2
import PackageDescription

// Ratios against what the machine can do, measured in one run: `make bench`.
//
// A package of its own, so that nobody who uses the libraries builds it. Its modules are the
// project's own, by a link to the folder of sources, since it measures what is `package` there.

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")
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
        .target(
            name: "Records",
            dependencies: ["Causality", "Digests"],
            path: "Modules/Records"
        ),
        .target(
            name: "Sealing",
            dependencies: ["Causality", "Digests", "Primitives", "Records", "Secrets"],
            path: "Modules/Sealing"
        ),
        .executableTarget(
            name: "benchmarks",
            dependencies: ["COpenSSL", "Digests", "Sealing", "Secrets"],
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
