/// A command for people: its exact name, its options, its help, and what carries it out.
package struct EverydayCommand: Sendable {
    package let name: String
    package let synopsis: String
    /// One line of the help.
    package let summary: String
    package private(set) var accepted: WordOptions.Accepted
    /// Nil for a command that `sync-client` carries out, which has the cryptography for it, or the
    /// formats of other programs: what this program links makes each of its starts longer.
    package let run: (@Sendable (Everyday, WordOptions) throws -> Void)?

    init(
        _ name: String,
        _ synopsis: String,
        _ summary: String,
        _ accepted: WordOptions.Accepted = .init(),
        run: (@Sendable (Everyday, WordOptions) throws -> Void)?
    ) {
        self.name = name
        self.synopsis = synopsis
        self.summary = summary
        self.accepted = accepted
        if Self.answering.contains(name) { self.accepted.flags.append("json") }
        self.run = run
    }

    /// The word before a command that `sync-client` carries out.
    package static let replacementWord = "everyday"

    /// The same command, carried out by another program.
    package func carriedOut(
        by run: @escaping @Sendable (Everyday, WordOptions) throws -> Void
    ) -> EverydayCommand {
        EverydayCommand(name, synopsis, summary, accepted, run: run)
    }

    /// The command of exactly this name: abbreviations are those of `security`.
    package static func named(_ name: String) -> EverydayCommand? {
        table.first { $0.name == name }
    }

    /// What people type who come from other programs, and what it is called here.
    ///
    /// These words would be abbreviations of commands of `security` that nobody means by them.
    package static let otherNames: [String: String] = [
        "add": "keychain new", "insert": "keychain new", "create": "keychain new",
        "delete": "keychain rm", "remove": "keychain rm", "del": "keychain rm",
        "get": "keychain show", "view": "keychain show", "cat": "keychain show",
        "ls": "keychain list", "cp": "keychain copy", "mv": "keychain rename",
        "otp": "keychain totp",
        "undo": "keychain restore", "undelete": "keychain restore",
        "recover": "keychain restore", "trash": "keychain deleted",
        "status": "sync-client status", "backup": "sync-client backup",
        "sync": "sync-client sync", "login": "sync-client login",
        "logout": "sync-client logout", "setup": "sync-client setup",
        "signup": "sync-client signup", "devices": "sync-client devices",
        "revoke": "sync-client revoke", "doctor": "sync-client doctor",
    ]

    /// The most operands; nil if there may be any number.
    func operandsMax(_ options: WordOptions) -> Int? {
        switch name {
        case "history" where options.has("clear"): nil
        case "generate", "inject": 0
        case "show", "edit", "fav", "history", "names": 1
        case "copy", "totp", "new", "rename", "attach", "detach", "qr", "convert": 2
        default: nil
        }
    }

    package var usage: String {
        "Usage: keychain \(name)\(synopsis.isEmpty ? "" : " " + synopsis)\n       \(summary)\n"
    }

    /// The usage with all options.
    package var help: String { usage + "\n" + optionLines + fieldLines }

    /// The fields that `new` asks for on a terminal, and that options name elsewhere.
    private var fieldLines: String {
        guard name == "new" else { return "" }
        let types = ItemKinds.names.filter { ItemKinds.usualFields[$0]?.isEmpty == false }
        return "\nFields of the types, for --field:\n"
            + types.map { Self.wrapped("\($0): \(ItemKinds.usualNames(of: $0))") }.joined()
    }

    /// The line, in as many of 80 columns as it needs.
    private static func wrapped(_ line: String) -> String {
        guard line.count > 80, let end = line.prefix(80).lastIndex(of: " ") else {
            return line + "\n"
        }
        return line[..<end] + "\n" + wrapped(String(line[end...].dropFirst()))
    }

    /// The commands of a day, for somebody who types the program's name alone.
    package static var firstList: String {
        "Usage: keychain COMMAND ...\n" + lines(Array(table.prefix(12)))
            + beside + "\n  \"keychain help\" lists all, \"keychain help COMMAND\" explains one.\n"
    }

    /// A line for each command, in the order in which people need them.
    package static var list: String { lines(table.filter { $0.name != "names" }) + beside }

    /// What another program does for people.
    ///
    /// Completions and the manual page take indented lines for commands of this one.
    private static var beside: String {
        """

        sync-client setup         An account, and this device in it; then status, devices, sync.
        sync-client import FILE   What a browser or another manager has exported; export is back.
        sync-client backup FILE   Everything into a file; sync-client restore FILE brings it back.

        """
    }

    private static func lines(_ commands: [EverydayCommand]) -> String {
        commands.map { command in
            let padding = String(repeating: " ", count: max(1, 12 - command.name.count))
            return "  \(command.name)\(padding)\(command.summary)\n"
        }.joined()
    }
}

/// Ends a command whose message is already there.
package struct SilentEnd: Error {
    let status: Int32

    package init(status: Int32) { self.status = status }
}
