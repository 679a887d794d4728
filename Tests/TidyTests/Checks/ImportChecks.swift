/// The allowed imports of modules.
enum ImportChecks {
    /// The few modules that talk to each C library.
    static let importers: [String: Set<String>] = [
        "COpenSSL": [
            "Certificates", "Digests", "FileCiphers", "OneTimeCodes", "Primitives", "PrivateKeys",
            "Secrets",
        ],
        "CArgon2": ["FileCiphers"],
        "CExpat": ["KeePass"],
        "CGcrypt": ["FileCiphers"],
        "CZlib": ["KeePass"],
        "CCurl": ["Transport"],
        "CPostgreSQL": ["PostgreSQLStore"],
        "CZip": ["Archives"],
        "CSystemd": ["SecretService"],
        "CLinux": [
            "Agent", "Clipboards", "Editing", "KeychainTool", "Running", "RunningSupport",
            "Terminals",
            "Transport",
        ],
    ]

    /// The pure modules and their allowed imports, none of which does input or output.
    static let pure: [String: Set<String>] = [
        "Causality": [],
        "Records": ["Causality", "Digests"],
        "Redaction": [],
        "Resolution": ["Causality", "Records", "Redaction"],
        "KeyValues": ["Causality", "Digests", "Records", "Redaction", "Resolution"],
        "Merging": ["Causality", "Digests", "Records", "Wire"],
        "Importing": [],
        "JSON": [],
        "Moving": [
            "Archives", "Bytes", "Digests", "FileCiphers", "Importing", "JSON", "KeePass",
            "Matching", "OneTimeCodes", "Redaction",
        ],
        "Matching": [],
        "QRCodes": [],
    ]

    /// Benchmarks measure against the bare libraries, so they are left out.
    static func cLibraries(_ file: SourceFile) -> [Finding] {
        guard !file.path.hasPrefix("Benchmarks/") else { return [] }
        return imports(file).compactMap { line, module in
            guard let allowed = importers[module], !allowed.contains(file.module ?? "") else {
                return nil
            }
            return Finding(
                path: file.path,
                line: line,
                message: "only \(allowed.sorted().joined(separator: ", ")) may import \(module)"
            )
        }
    }

    static func pureModules(_ file: SourceFile) -> [Finding] {
        guard !file.isTest, let allowed = pure[file.module ?? ""] else { return [] }
        return imports(file).compactMap { line, module in
            guard !allowed.contains(module) else { return nil }
            return Finding(
                path: file.path,
                line: line,
                message: "\(file.module ?? "") is pure and may not import \(module)"
            )
        }
    }

    /// In a release build, which users run, tests do not see internal declarations.
    static func testable(_ file: SourceFile) -> [Finding] {
        file.code.enumerated().compactMap { index, line in
            guard line.contains("@testable") else { return nil }
            return Finding(
                path: file.path,
                line: index + 1,
                message: "what tests need is `package`; import it without @testable"
            )
        }
    }

    /// Line and module of each import, with any access level.
    private static func imports(_ file: SourceFile) -> [(line: Int, module: String)] {
        guard file.isSwift, file.text.contains("import ") else { return [] }
        let before: Set<Substring> = ["public", "package", "internal", "private", "fileprivate"]
        let kinds: Set<Substring> = [
            "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
        ]
        return file.code.enumerated().compactMap { index, line in
            var words = line.split(separator: " ")[...]
            while let word = words.first, before.contains(word) || word.hasPrefix("@") {
                words.removeFirst()
            }
            guard words.popFirst() == "import" else { return nil }
            if let word = words.first, kinds.contains(word) { words.removeFirst() }
            guard let module = words.first?.split(separator: ".").first else { return nil }
            return (index + 1, PackageChecks.withoutPrefix(String(module)))
        }
    }
}
