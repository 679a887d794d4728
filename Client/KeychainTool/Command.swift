/// The classes of items that the tool handles, by the names of `security`'s output.
enum ItemClass: String, CaseIterable {
    case genericPassword = "genp"
    case internetPassword = "inet"
    case certificate = "cert"
    case key = "keys"
}

/// What can be done.
enum Command: Equatable {
    case help
    case error
    case add(ItemClass)
    case find(ItemClass)
    case delete(ItemClass)
    case keychains(KeychainsCommand.Kind)
    case dump
    case certificates(CertificateCommand.Kind)
    case importFile
    case addCertificates
    case export
    case protect
    case unprotect
    /// Who may use an item without being asked; here nobody ever is.
    case setPartitions(ItemClass)
    /// What the daemon's program does in this one's place.
    case rpc
    /// `security` has it and this tool does not; it stands here for what is typed short.
    case missing
}

/// A command's name and what is said about it.
struct CommandDescription {
    let name: String
    let command: Command
    let letters: OptionLetters
    let synopsis: String
    let summary: String

    init(
        _ name: String,
        _ command: Command,
        _ letters: OptionLetters,
        _ synopsis: String,
        _ summary: String
    ) {
        self.name = name
        self.command = command
        self.letters = letters
        self.synopsis = synopsis
        self.summary = summary
    }

    /// Finds a command by the beginning of its name; the first in the table's order counts.
    static func find(_ typed: String) -> CommandDescription? {
        let found = table.first { $0.name.hasPrefix(typed) }
        return found?.command == .missing ? nil : found
    }

    /// What is printed after a usage error.
    var usage: String {
        "Usage: \(name)\(synopsis.isEmpty ? "" : " ")\(synopsis)\n        \(summary)\n"
    }
}
