import Foundation

/// The layers of Package.swift.
enum PackageChecks {
    /// The floors of `Sources`, bottom-up: a module may depend only on earlier ones.
    static let floors: [(name: String, modules: [String])] = [
        (
            "Base",
            [
                "COpenSSL", "CArgon2", "CGcrypt", "CExpat", "CZlib", "CCurl", "CPostgreSQL", "CZip",
                "CSystemd", "CLinux", "Archives", "Bytes", "Files", "JSON", "Masking", "Matching",
                "QRCodes", "Queues", "Redaction", "SecretReferences", "SecurityNames", "Screens",
                "Picking",
            ]
        ),
        (
            "Crypto",
            [
                "Digests", "Certificates", "PrivateKeys", "Secrets", "Primitives", "Generating",
                "FileCiphers", "OneTimeCodes",
            ]
        ),
        (
            "Sync",
            [
                "Causality", "Records", "Resolution", "Wire", "Sealing", "DeviceKeys", "Transport",
                "SyncEngine",
            ]
        ),
        (
            "Stores",
            ["Keychain", "KeyValues", "PersonalItems", "KeychainRecords", "KeyValueRecords"]
        ),
        (
            "Device",
            [
                "Importing", "KeePass", "Moving", "Agent", "Clipboards", "Prompting", "Running",
                "PassFolders", "SecretService", "Editing", "SecItem", "KeyValueCalls",
                "RPC", "KeychainFiles", "Daemon",
            ]
        ),
        ("Products", ["Security", "KeychainSync", "KeyValueStore", "UbiquitousKeyValueStore"]),
    ]

    /// What stands above the floors: the server, the simulator, which runs it, and programs.
    private static let above: [[String]] = [
        serverTargets,
        ["Simulation"],
        [
            "Everyday", "SyncClient", "KeychainTool", "RealStories", "SyncSimulate", "SharedState",
        ],
        // For tests and `keychain rpc --test` only.
        ["TestBench", "KeychainTestBench"],
        [
            "TestPrograms", "TestSupport", "KeychainTestSupport", "MainLoopProgram",
            "TestTerminals", "TerminalProgram", "RunningProgram", "RunningTestSupport",
            "PostgreSQLTestSupport", "ServerBenchmarks",
        ],
    ]

    /// Bottom-up, all modules.
    private static let order = floors.flatMap(\.modules) + above.flatMap(\.self)

    /// The modules that stand on a floor although they depend on higher ones.
    private static let guests = ["Simulation": "Products", "TestBench": "Device"]

    static let serverTargets = ["Merging", "Store", "PostgreSQLStore", "OpenMetrics", "SyncServer"]
    /// These modules could open a record.
    static let clientOnly: Set<String> = [
        "Sealing", "DeviceKeys", "Primitives", "PrivateKeys", "Secrets",
    ]

    /// The prefix of every target that programs do not import.
    static let prefix = "KS"
    /// The modules that programs import; their names are part of our promises.
    static let imported: Set<String> = [
        "KeyValueStore", "KeychainSync", "Security", "Simulation", "UbiquitousKeyValueStore",
    ]

    struct Target: Equatable {
        /// The folder's name, without the prefix.
        let name: String
        let hasPrefix: Bool
        let isTest: Bool
        let dependencies: [String]
        let line: Int
    }

    static func layerRule(_ package: SourceFile) -> [Finding] {
        let targets = targets(package)
        return targets.filter { !$0.isTest }.flatMap { target -> [Finding] in
            guard let own = order.firstIndex(of: target.name) else {
                return [finding(package, target, "\(target.name) is in no layer of this test")]
            }
            return target.dependencies.compactMap { dependency in
                guard let other = order.firstIndex(of: dependency), other < own else {
                    return finding(package, target, "\(target.name) points up to \(dependency)")
                }
                return nil
            }
        }
    }

    /// Each folder of `Sources` is a floor, and each module stands on its own.
    static func floorRule(_ paths: Set<String>) -> [Finding] {
        paths.filter { $0.hasPrefix("Sources/") }.sorted().compactMap { path in
            let parts = path.split(separator: "/").map(String.init)
            func finding(_ message: String) -> Finding {
                Finding(path: path, line: 1, message: message)
            }
            let floor = floors.first { $0.name == parts[1] }
            guard parts.count == 3 else {
                return parts.count == 2 && floor == nil ? finding("this is no floor") : nil
            }
            let stands = floor?.modules.contains(parts[2]) ?? false
            // Data from which the modules of several floors are made.
            let isGuest = guests[parts[2]] == parts[1] || path == "Sources/Base/Tables"
            return stands || isGuest ? nil : finding("\(parts[2]) does not stand on \(parts[1])")
        }
    }

    /// Target names are global in a graph of packages, so ours leave the plain words to others.
    static func prefixRule(_ package: SourceFile) -> [Finding] {
        targets(package).filter { !$0.isTest && $0.hasPrefix == imported.contains($0.name) }.map {
            let rule = $0.hasPrefix ? "programs import it without" : "its name starts with"
            return finding(package, $0, "\($0.name): \(rule) \(prefix)")
        }
    }

    static func withoutPrefix(_ name: String) -> String {
        name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    }

    /// Checks direct and indirect dependencies.
    static func serverRule(_ package: SourceFile) -> [Finding] {
        let targets = targets(package)
        return serverTargets.flatMap { name -> [Finding] in
            guard let server = targets.first(where: { $0.name == name }) else {
                return [Finding(path: package.path, line: 1, message: "no target \(name)")]
            }
            return reach(server, in: targets).intersection(clientOnly).sorted().map {
                finding(package, server, "\(name) can reach \($0)")
            }
        }
    }

    /// The benchmarks and the fuzzers build some of the project's modules in packages of their own,
    /// which no other test builds.
    static func sameModulesRule(_ package: SourceFile, in other: SourceFile) -> [Finding] {
        let targets = targets(package)
        return self.targets(other).compactMap { copy in
            guard let target = targets.first(where: { $0.name == copy.name }),
                Set(target.dependencies) != Set(copy.dependencies)
            else { return nil }
            return finding(other, copy, "\(copy.name) depends on other modules in Package.swift")
        }
    }

    /// Checks that every module is compiled with these settings, and that none is turned off.
    static func settingsRule(_ package: SourceFile) -> [Finding] {
        let lines = package.lines.map { $0.trimmingCharacters(in: .whitespaces) }
            .map { $0.hasPrefix("//") ? "" : $0 }
        func finding(_ message: String, line: Int = 0) -> Finding {
            Finding(path: package.path, line: line + 1, message: message)
        }
        let isOwn = package.path == "Package.swift"
        let required = settings + (isOwn ? ownSettings : [])
        let missing = required.filter { !lines.joined(separator: "\n").contains($0) }
        let loosened = lines.indices.filter { number in
            isOwn && lines[number] != unoptimized
                && loosening.contains { lines[number].contains($0) }
        }
        return missing.map { finding("no \($0)") }
            + loosened.map { finding("it takes a setting back", line: $0) }
    }

    /// Makes tests build faster, and loosens nothing.
    private static let unoptimized =
        #"target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))"#

    private static let settings =
        [
            "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
            "NonisolatedNonsendingByDefault", "InferIsolatedConformances", "ImmutableWeakCaptures",
        ].map { ".enableUpcomingFeature(\"\($0)\")," } + [
            ".strictMemorySafety(),", "swiftLanguageModes: [.v6]",
            "for target in package.targets where target.type != .system",
        ]
    private static let ownSettings = [
        ".treatAllWarnings(as: .error),",
        "target.swiftSettings = (target.swiftSettings ?? []) + settings",
    ]
    private static let loosening = [
        ".unsafeFlags(", ".treatWarning(", ".swiftLanguageMode(", ".disableWarning(",
    ]

    private static func reach(_ target: Target, in targets: [Target]) -> Set<String> {
        var reached: Set<String> = []
        var open = target.dependencies
        while let name = open.popLast() {
            guard reached.insert(name).inserted else { continue }
            open += targets.first { $0.name == name }?.dependencies ?? []
        }
        return reached
    }

    private static func finding(
        _ package: SourceFile,
        _ target: Target,
        _ message: String
    ) -> Finding {
        Finding(path: package.path, line: target.line, message: message)
    }

    /// Reads the targets' names and the modules of this package that they list.
    static func targets(_ package: SourceFile) -> [Target] {
        let kinds = [".systemLibrary(", ".target(", ".executableTarget(", ".testTarget("]
        var found: [Target] = []
        var rest = package.text[...]
        var line = 1
        while let (kind, range) = next(kinds, in: rest) {
            line += rest[..<range.lowerBound].count { $0 == "\n" }
            rest = rest[range.lowerBound...]
            let call = rest.prefix(callLength(rest))
            if let name = strings(argument("name:", of: call)).first {
                let listed = argument("dependencies:", of: call)
                found.append(
                    Target(
                        name: withoutPrefix(name),
                        hasPrefix: name.hasPrefix(prefix),
                        isTest: kind == ".testTarget(",
                        dependencies: strings(withoutProducts(listed)).map(withoutPrefix),
                        line: line
                    )
                )
            }
            line += call.count { $0 == "\n" }
            rest = rest.dropFirst(call.count)
        }
        return found
    }

    private static func next(
        _ kinds: [String],
        in text: Substring
    ) -> (kind: String, range: Range<String.Index>)? {
        kinds.compactMap { kind in text.firstRange(of: kind).map { (kind, $0) } }
            .min { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Up to the parenthesis that closes the first one.
    private static func callLength(_ text: Substring) -> Int {
        var depth = 0
        for (offset, character) in text.enumerated() {
            if character == "(" { depth += 1 }
            if character == ")" {
                depth -= 1
                if depth == 0 { return offset + 1 }
            }
        }
        return text.count
    }

    /// A string, or a whole list.
    private static func argument(_ label: String, of call: Substring) -> Substring {
        guard let start = call.firstRange(of: label)?.upperBound else { return "" }
        let value = call[start...].drop(while: \.isWhitespace)
        let end: Character = value.first == "[" ? "]" : ","
        return value.prefix { $0 != end }
    }

    private static func withoutProducts(_ list: Substring) -> Substring {
        var text = list
        while let product = text.firstRange(of: ".product(") {
            let length = callLength(text[product.lowerBound...])
            let end = text.index(product.lowerBound, offsetBy: length)
            text = Substring(text[..<product.lowerBound] + text[end...])
        }
        return text
    }

    private static func strings(_ text: Substring) -> [String] {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
    }
}
