/// The classes of items that the tool handles, by the names of `security`'s output.
enum ItemClass: String {
    case genericPassword = "genp"
    case internetPassword = "inet"
}

/// What can be done.
enum Command: Equatable {
    case help
    case add(ItemClass)
    case find(ItemClass)
    case delete(ItemClass)
    case error
    /// `security` has it and this tool does not; it stands here for what is typed short.
    case missing
}

/// A command's name and what is said about it.
struct CommandDescription {
    let name: String
    let command: Command
    let synopsis: String
    let summary: String

    /// Finds a command by the beginning of its name; the first in the table's order counts.
    static func find(_ typed: String) -> CommandDescription? {
        let found = table.first { $0.name.hasPrefix(typed) }
        return found?.command == .missing ? nil : found
    }

    /// What is printed after a usage error.
    var usage: String {
        "Usage: \(name) \(synopsis)\n        \(summary)\n"
    }

    /// In the order of `security help`, on which short forms depend: `delete` alone must not
    /// become another command here than it is there.
    static let table = [
        CommandDescription(
            name: "help",
            command: .help,
            synopsis: "[command ...]",
            summary: "Show all commands, or show usage for a command."
        ),
        missing("default-keychain"),
        missing("delete-keychain"),
        CommandDescription(
            name: "add-generic-password",
            command: .add(.genericPassword),
            synopsis: "-a account -s service [-w password | -X hex] [-l label] [-D kind]"
                + " [-G generic] [-j comment] [-c creator] [-C type] [-A] [-T app] [-U] [--sync]"
                + " [--home DIR] [keychain]",
            summary: "Add a generic password. With -w last and no password, it is asked for."
        ),
        CommandDescription(
            name: "add-internet-password",
            command: .add(.internetPassword),
            synopsis: "-a account -s server [-w password | -X hex] [-d domain] [-p path] [-P port]"
                + " [-r protocol] [-t type] [-l label] [-D kind] [-j comment] [-c creator]"
                + " [-C type] [-A] [-T app] [-U] [--sync] [--home DIR] [keychain]",
            summary: "Add an internet password. With -w last and no password, it is asked for."
        ),
        CommandDescription(
            name: "find-generic-password",
            command: .find(.genericPassword),
            synopsis: genericCriteria + " [-g] [-w] [--sync] [--home DIR] [keychain ...]",
            summary: "Show a generic password: the first that matches."
        ),
        CommandDescription(
            name: "delete-generic-password",
            command: .delete(.genericPassword),
            synopsis: genericCriteria + " [--sync] [--home DIR] [keychain ...]",
            summary: "Delete a generic password: the first that matches."
        ),
        CommandDescription(
            name: "find-internet-password",
            command: .find(.internetPassword),
            synopsis: internetCriteria + " [-g] [-w] [--sync] [--home DIR] [keychain ...]",
            summary: "Show an internet password: the first that matches."
        ),
        CommandDescription(
            name: "delete-internet-password",
            command: .delete(.internetPassword),
            synopsis: internetCriteria + " [--sync] [--home DIR] [keychain ...]",
            summary: "Delete an internet password: the first that matches."
        ),
        missing("export"),
        CommandDescription(
            name: "error",
            command: .error,
            synopsis: "code [code ...]",
            summary: "Say what an error code means."
        ),
    ]

    private static let genericCriteria =
        "[-a account] [-s service] [-l label] [-D kind] [-G generic] [-j comment] [-c creator]"
        + " [-C type]"
    private static let internetCriteria =
        "[-a account] [-s server] [-d domain] [-p path] [-P port] [-r protocol] [-t type]"
        + " [-l label] [-D kind] [-j comment] [-c creator] [-C type]"

    private static func missing(_ name: String) -> CommandDescription {
        CommandDescription(name: name, command: .missing, synopsis: "", summary: "")
    }
}
