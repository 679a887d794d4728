/// A call that is missing from the daemon's table compiles, and is unknown when it is made.
enum CallChecks {
    static let tablePath = "Sources/Device/Daemon/Calls/CallHandler.swift"
    private static let folders = ["Sources/Device/Agent/Calls/", "Sources/Device/Daemon/Calls/"]

    /// Every type in the folders of calls that has a name on the socket is in the table.
    static func handled(_ files: [SourceFile], table: SourceFile) -> [Finding] {
        let listed = Set(table.code.flatMap { words($0).filter { $0.hasSuffix(".self") } })
        return files.flatMap { file in
            folders.contains(where: file.path.hasPrefix)
                ? calls(file).filter { !listed.contains($0.type + ".self") }.map { call in
                    let message = "\(call.type) is not in the table of CallHandler"
                    return Finding(path: file.path, line: call.line, message: message)
                } : []
        }
    }

    static func calls(_ file: SourceFile) -> [(type: Substring, line: Int)] {
        var type: Substring?
        return file.code.enumerated().compactMap { index, line in
            let words = words(line)
            if let keyword = words.firstIndex(of: "struct"), keyword + 1 < words.count {
                type = words[keyword + 1]
            }
            guard let type, line.contains("static let name =") else { return nil }
            return (type, index + 1)
        }
    }

    private static func words(_ line: String) -> [Substring] {
        line.split { !$0.isLetter && !$0.isNumber && $0 != "." }
    }
}
