internal import Glibc
internal import KSBytes
internal import KSDaemon

/// Asks on the terminal until an answer is good.
enum SetupQuestion {
    /// Asks for a line; a bad one is explained in a sentence, and asked for again.
    ///
    /// `given`: what an option has answered already. `suggestion`: what an empty line stands for.
    /// `read`: reads the answer, or says what is wrong with it.
    static func ask<Value>(
        _ given: String?,
        _ question: String,
        suggestion: String? = nil,
        _ read: (String) throws(CommandFailure) -> Value
    ) throws(CommandFailure) -> Value {
        let hint = suggestion.map { " [\($0.printable)]: " } ?? ""
        var given = given
        return try again { () throws(CommandFailure) in
            let typed = if let given { given } else { try Console.ask(question + hint) }
            given = nil
            let answer = typed.trimmedOfBlanks
            return try read(answer.isEmpty ? suggestion ?? "" : answer)
        }
    }

    /// Repeats a question after a bad answer, which it explains.
    static func again<Value>(
        _ question: () throws(CommandFailure) -> Value
    ) throws(CommandFailure) -> Value {
        while true {
            do throws(CommandFailure) {
                return try question()
            } catch {
                // Another answer would not help.
                let isFinal =
                    [.nothingTyped, .wentBack].contains(error) || error.code == .registrationClosed
                guard !isFinal, error.exit != .tryAgain else { throw error }
                Console.warn(error.sentence)
            }
        }
    }

    static func isYes(_ question: String) throws(CommandFailure) -> Bool {
        try ask(nil, question + " [y/N]: ") { answer throws(CommandFailure) in
            if answer.isEmpty { return false }
            guard let answer = YesOrNo(answer) else { throw .usage("Type yes or no.") }
            return answer == .yes
        }
    }

    /// A path as a person types it: `~` is the user's folder.
    static func path(_ typed: String) -> String {
        guard typed.hasPrefix("~/"), let folder = unsafe getenv("HOME") else { return typed }
        return unsafe String(cString: folder) + typed.dropFirst()
    }
}

extension CommandFailure {
    /// The user wants an earlier question again.
    static let wentBack = CommandFailure.refused("Nothing was set up.")
}

/// Says at Ctrl-C that nothing was set up, while questions are asked.
///
/// The home may be there already, with an empty keychain and its daemon: these ask the server.
enum InterruptNote {
    static func begin() {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { number in
            let note: StaticString = "\nNothing was set up.\n"
            _ = unsafe write(STDERR_FILENO, note.utf8Start, note.utf8CodeUnitCount)
            // Ends the program once this handler returns.
            _ = signal(number, SIG_DFL)
            raise(number)
        }
        unsafe sigaction(SIGINT, &action, nil)
    }

    static func end() { _ = signal(SIGINT, SIG_DFL) }
}
