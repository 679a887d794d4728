import Foundation

/// One file of the project, by its path from the root.
struct SourceFile: Sendable {
    let path: String
    let text: String
    /// Swift's lines without comments and without the contents of strings; empty for other files.
    let code: [String]

    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
        code = path.hasSuffix(".swift") ? SwiftCode(text).texts : []
    }

    /// The lines, without their ends, from line 1 at index 0.
    var lines: [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var isMarkdown: Bool { path.hasSuffix(".md") }
    var isTable: Bool { path.hasSuffix(".table") }
    var isGenerated: Bool { path.contains("/Generated/") }
    var isTest: Bool { path.hasPrefix("Tests/") }

    private static let places: Set<String> = ["Sources", "Server", "Client", "Tests"]

    /// The module whose code this is, by the folders of the layout.
    var module: String? {
        var parts = path.split(separator: "/").map(String.init)[...]
        guard let place = parts.popFirst(), Self.places.contains(place) else { return nil }
        let isOnFloor = PackageChecks.floors.contains { $0.name == parts.first }
        let isTestOfProgram = place == "Tests" && ["Server", "Client"].contains(parts.first ?? "")
        if isOnFloor || isTestOfProgram { parts.removeFirst() }
        return parts.count > 1 ? parts.first : nil
    }
}

/// A violation of a rule.
struct Finding: Hashable, CustomStringConvertible {
    let path: String
    let line: Int
    let message: String

    var description: String { "\(path):\(line): \(message)" }
}

/// The project's own files, as they are on disk.
struct SourceTree {
    static let shared = Result { try SourceTree() }

    let root: URL
    let files: [SourceFile]
    /// Every path, including folders and files that are not read.
    let paths: Set<String>

    private static let folders = [
        ".ci", "Benchmarks", "Client", "Examples", "Server", "Sources", "Tests", "docs",
        "scripts",
    ]
    private static let readEndings = [
        "swift", "md", "sql", "h", "modulemap", "proto", "json", "sha256", "suppressions", "table",
        "",
    ]

    init(file: String = #filePath) throws {
        root = URL(filePath: file).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        var paths = try FileManager.default.contentsOfDirectory(atPath: root.path)
        for folder in Self.folders {
            let url = root.appending(path: folder)
            let enumerator = FileManager.default.enumerator(atPath: url.path)
            while let path = enumerator?.nextObject() as? String {
                let isBuilt = path.split(separator: "/").contains { $0.hasPrefix(".build") }
                if !isBuilt { paths.append(folder + "/" + path) }
            }
        }
        self.paths = Set(paths)
        files = try paths.sorted().compactMap { [root] path in
            try Self.read(path, root: root)
        }
    }

    /// The file, if it is text that people write: vectors stay as their makers wrote them.
    private static func read(_ path: String, root: URL) throws -> SourceFile? {
        let url = root.appending(path: path)
        let name = url.lastPathComponent
        let isHidden = path.hasPrefix(".") && !path.hasPrefix(".ci/")
        // Neither a folder nor a link: the target of a link is read at its own place.
        let isFile = try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
        let ending = name.contains(".") ? url.pathExtension : ""
        guard !isHidden, isFile, readEndings.contains(ending),
            !path.contains("/Vectors/"), path != "Package.resolved"
        else { return nil }
        let data = try Data(contentsOf: url)
        // A file without an ending may not be text; then there is nothing to check.
        guard let text = String(data: data, encoding: .utf8) else { return nil }
        return SourceFile(path, text)
    }

    func file(_ path: String) -> SourceFile? { files.first { $0.path == path } }
}
