/// The classes of items that the tool handles, by the names of `security`'s output.
enum ToolClass: String, CaseIterable {
    case genericPassword = "genp"
    case internetPassword = "inet"
    case certificate = "cert"
    case key = "keys"
}

/// A command: its name, its options, its help text, and the function that carries it out.
package struct CommandDescription {
    package let name: String
    package let letters: OptionLetters
    package let synopsis: String
    let summary: String
    /// Nil for `rpc`, which another program answers, and for the commands of `security` that this
    /// tool does not have.
    var run: (@Sendable (Invocation) throws -> Int32)?

    /// Whether only `security` has it: it is in the table because abbreviations depend on it.
    package var isMissing: Bool { summary.isEmpty }

    /// Whether the command's file may stand before its options.
    var mayBeginWithFile: Bool { synopsis.hasPrefix("file ") }

    /// Finds a command by its name or, as `security` does, by the beginning of its name: there the
    /// first match in the table wins.
    package static func find(_ typed: String, isWhole: Bool) -> CommandDescription? {
        table.first { isWhole ? $0.name == typed : $0.name.hasPrefix(typed) }
            .flatMap { $0.isMissing ? nil : $0 }
    }

    static var names: [String] { table.filter { !$0.isMissing }.map(\.name) }

    /// What is printed after a usage error.
    var usage: String {
        "Usage: \(name)\(synopsis.isEmpty ? "" : " ")\(synopsis)\n        \(summary)\n"
    }

    /// One line for each command: its name and its summary.
    static var list: String {
        table.filter { !$0.isMissing }.map { description in
            let padding = String(repeating: " ", count: max(0, 36 - description.name.count))
            return "    \(description.name)\(padding) \(description.summary)\n"
        }.joined()
    }
}
