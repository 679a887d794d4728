internal import KSBytes
package import KSDaemon
internal import KSTransport

/// What `setup` sets up.
package enum SetupWay: String, CaseIterable, Sendable {
    /// A new account.
    case new
    /// An account that other devices have.
    case login
    /// This device without an account.
    case local

    /// Reads the number of the choice, or its word.
    package init(answer: String) throws(CommandFailure) {
        let way = Int(answer).flatMap { number in
            Self.allCases.indices.contains(number - 1) ? Self.allCases[number - 1] : nil
        }
        guard let way = way ?? Self(rawValue: answer.lowercased()) else {
            throw .usage("Type 1, 2 or 3.")
        }
        self = way
    }

    static let question = """
        What do you want on this device?
          1  a new account, with this device as its first
          2  log in to an account that another device has
          3  this device only: nothing leaves it
        1, 2 or 3:\u{20}
        """

    /// The three commands that fit after it, each with what it does.
    ///
    /// `kit`: the path of the file with the Account Key. `home`: the folder that `--home` named.
    package func nextCommands(kit: String? = nil, home: String? = nil) -> [String] {
        let first = ("keychain new", "keeps a first password")
        let file = ("sync-client import FILE", "takes over what another password manager exports")
        let commands =
            switch self {
            case .new:
                [
                    first, file,
                    (
                        "sync-client setup login",
                        "on your next device" + (kit.map { ", with \($0)" } ?? "")
                    ),
                ]
            case .login:
                [
                    ("keychain list", "shows what the account has"),
                    ("keychain copy NAME", "puts a password into the clipboard"),
                    ("sync-client devices", "shows the account's devices"),
                ]
            case .local:
                [first, file, ("sync-client setup new", "makes an account later")]
            }
        let width = commands.map(\.0.count).max() ?? 0
        let lines = commands.map { command, purpose in
            "  " + command + String(repeating: " ", count: width - command.count + 2) + purpose
        }
        return ["", "Next:"] + lines
            + (home.map { ["Each of them on this device with --home \($0.printable)."] } ?? [])
    }
}

/// The answer to a question, of which nothing else counts as either.
package enum YesOrNo: Equatable {
    case yes, no

    package init?(_ answer: String) {
        switch answer.trimmedOfBlanks.lowercased() {
        case "y", "yes": self = .yes
        case "n", "no": self = .no
        default: return nil
        }
    }
}

/// The answer to whether the server has printed the pin that it shows.
package enum PinAnswer: Equatable {
    case isSame, isOther, isMalformed, isUnclear

    /// The user may type yes or no, or the pin that the server has printed.
    package init(_ answer: String, shown pin: String) {
        let answer = answer.trimmedOfBlanks
        if let word = YesOrNo(answer) {
            self = word == .yes ? .isSame : .isOther
        } else if answer.hasPrefix("sha256//") {
            self =
                answer == pin
                ? .isSame : ServerEndpoint.isWellFormed(pin: answer) ? .isOther : .isMalformed
        } else {
            self = .isUnclear
        }
    }
}

extension String {
    /// The text without blanks around it, as a person types or pastes it.
    var trimmedOfBlanks: String {
        let rest = drop(while: \.isWhitespace)
        guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(rest[...last])
    }
}
