internal import KSAgent
internal import KSClipboards
internal import KSEveryday
internal import KSRunning

/// The commands for people that `keychain` leaves to this program, which has the cryptography and
/// the formats of other programs, and stays in memory while a secret is on the clipboard.
enum EverydayReplacement {
    /// Carries out `sync-client everyday COMMAND ...` and `sync-client hold-clipboard`.
    ///
    /// - Returns: the exit status; nil for any other command line.
    static func run(_ arguments: [[UInt8]]) -> Int32? {
        let words = arguments.prefix(2).map { String(decoding: $0, as: UTF8.self) }
        if words == [holder] { return ClipboardHolder.run(environment: environment) }
        guard words.first == EverydayCommand.replacementWord, words.count == 2,
            let command = commands.first(where: { $0.name == words[1] })
        else { return nil }
        ProcessProtection.forbidMemoryReading()
        let everyday = Everyday(console: Terminal()) { home throws(AgentError) in
            try DaemonItemService(homeArgument: home) { sentence in
                let isJSON = Everyday.asksForJSON(arguments)
                Terminal().write(Everyday.remark(sentence, isJSON: isJSON), to: .error)
            }
        }
        return everyday.run(command, arguments.dropFirst(2))
    }

    private static let holder = "hold-clipboard"

    private static var commands: [EverydayCommand] {
        EverydayCommand.table.compactMap { command in
            switch command.name {
            case "copy": command.carriedOut { try $0.copy($1) }
            case "convert": command.carriedOut { try $0.convert($1) }
            case "pick": command.carriedOut { try $0.pick($1) }
            default: nil
            }
        }
    }

    static var environment: [String: String] {
        var variables: [String: String] = [:]
        for entry in Program.ownEnvironment {
            let text = String(decoding: entry, as: UTF8.self)
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            variables[String(parts[0])] = variables[String(parts[0])] ?? String(parts[1])
        }
        return variables
    }

    /// This program, as the one that keeps the clipboard.
    static func clipboard() throws -> Clipboard {
        guard let program = AgentPeer.ownExecutable else {
            throw EverydayFailure("this program cannot find its own file")
        }
        return Clipboard(holder: [program, holder], environment: environment)
    }
}
