package import KSAgent

/// A message's row in the table `messages.table`.
package struct Message: Sendable {
    /// How a command ends that fails with it.
    package let exit: CommandFailure.Exit
    /// The command to run next; nil if none can be named.
    package let command: String?
    package let sentence: String

    init(exit: CommandFailure.Exit, command: String?, sentence: String) {
        (self.exit, self.command, self.sentence) = (exit, command, sentence)
    }

    /// A text of the table with its words in braces filled in.
    ///
    /// What is filled in is not searched for braces: it may be the name of another device.
    package static func filled(_ text: String, _ values: [String: String]) -> String {
        let parts = text.split(separator: "{", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(parts.first ?? "")) { filled, part in
            let name = part.prefix { $0 != "}" }
            filled += (values[String(name)] ?? "") + part.dropFirst(name.count + 1)
        }
    }
}

extension MessageCode {
    /// The message's sentence with its words in braces filled in.
    package func sentence(_ values: [String: String] = [:]) -> String {
        Message.filled(message.sentence, values)
    }

    /// What to do next; `values` fill in the command.
    package func next(_ values: [String: String] = [:]) -> NextStep {
        NextStep(
            code: rawValue,
            command: message.command.map { Message.filled($0, values) }
        )
    }
}

/// What to do about a message.
package struct NextStep: Codable, Equatable, Sendable {
    /// The message's code, which docs/Messages.md explains.
    package var code: String
    /// The command to run next; nil if none can be named.
    @OrNull
    package var command: String? = nil

    package init(code: String, command: String?) {
        self.code = code
        self.command = command
    }
}
