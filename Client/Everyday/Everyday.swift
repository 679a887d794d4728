package import KSAgent

/// What a command for people needs: its surroundings, and the daemon.
package struct Everyday {
    let console: any Surroundings
    let connect: ItemConnector

    package init(
        console: any Surroundings,
        connect: @escaping ItemConnector
    ) {
        self.console = console
        self.connect = connect
    }

    /// Runs a command; prints an error, and returns the exit status.
    package func run(_ command: EverydayCommand, _ words: some Sequence<[UInt8]>) -> Int32 {
        do {
            let options = try WordOptions(words, of: command)
            guard !options.has("help") else {
                say(command.help)
                return 0
            }
            if let most = command.operandsMax(options), options.names.count > most {
                throw EverydayFailure.usage(
                    "\"\(options.names[most])\" is a word too many;"
                        + " put a name of several words in quotes"
                )
            }
            try command.run?(self, options)
            return 0
        } catch let failure as EverydayFailure {
            complain(failure.sentence)
            if failure.showsUsage { console.write(Array(command.usage.utf8), to: .error) }
            return failure.status
        } catch let end as SilentEnd {
            return end.status
        } catch let failure as Failure {
            // Its message is a line of `security`.
            let line = String(decoding: failure.message, as: UTF8.self)
            complain(String(line.drop { $0 != " " }.dropFirst().prefix { !$0.isNewline }))
            return failure.status
        } catch let error as AgentError {
            return report(error)
        } catch {
            complain("the command failed")
            return 1
        }
    }

    private func report(_ error: AgentError) -> Int32 {
        complain(Self.sentence(of: error))
        guard case .failed(let failure) = error else { return error.status & 0xFF }
        // A sentence says what is wrong with what was typed.
        let status = failure.code & 0xFF
        return failure.hint.isEmpty || status == EverydayFailure.notFoundStatus ? status : 1
    }

    /// Why a call failed, without the end of the sentence.
    package static func sentence(of error: AgentError) -> String {
        guard case .failed(let failure) = error else { return withoutEnd(error.sentence) }
        guard failure.hint.isEmpty else { return withoutEnd(failure.hint) }
        return withoutEnd(StatusText.sentence(failure.code) ?? failure.status)
    }

    private static func withoutEnd(_ sentence: String) -> String {
        sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }

    package func say(_ text: String) { console.write(Array(text.utf8), to: .output) }

    /// A remark on standard error.
    package func complain(_ sentence: String) {
        let lines = Printable.lines(sentence).joined(separator: "\n")
        let isWhole = lines.contains("\n") || [".", "?"].contains(lines.suffix(1))
        let end = isWhole ? "\n" : ".\n"
        console.write(Array("keychain: \(lines)\(end)".utf8), to: .error)
    }

    /// Makes a call to the daemon of the home.
    ///
    /// Only what adds an item begins a home that was named: in a mistyped one there is nothing else
    /// to do.
    package func call<Call: AgentCall>(
        _ call: Call,
        _ options: WordOptions
    ) throws -> Call.Answer {
        let begins = call is MakeItem || call is GeneratePassword
        if !begins, let missing = AgentHome.missing(argument: options.text("home")) {
            throw EverydayFailure(
                "there is no keychain at \(missing): correct --home or KEYCHAIN_SYNC_HOME",
                status: EverydayFailure.notFoundStatus
            )
        }
        return try connect(options.text("home")).call(call)
    }

    // MARK: Choosing an item

    /// The one item that the first operand names; asks if it may be several.
    package func item(_ options: WordOptions) throws -> ListedItem {
        guard let name = options.names.first else { throw EverydayFailure.usage("name an item") }
        return try item(named: name, options)
    }

    package func item(named name: String, _ options: WordOptions) throws -> ListedItem {
        var search = ListItems()
        search.meaning = name
        search.limit = 50
        let found = try call(search, options).items
        guard let first = found.first else {
            throw EverydayFailure(
                "there is no item \"\(name)\"; \"keychain list\" shows all,"
                    + " \"keychain search\" looks in every field",
                status: EverydayFailure.notFoundStatus
            )
        }
        guard found.count > 1 else { return first }
        guard console.isInteractive, console.isErrorShown else {
            let lines = found.prefix(20).map { "\n  \(ItemLines.name($0))" }.joined()
            let more = found.count > 20 ? "\n  and \(found.count - 20) more" : ""
            throw EverydayFailure(
                "\"\(name)\" may be any of these; name one by its whole title, or as"
                    + " user@site:\(lines)\(more)"
            )
        }
        return try chosen(of: found, name)
    }

    private func chosen(of found: [ListedItem], _ name: String) throws -> ListedItem {
        for (number, item) in found.enumerated() {
            console.write(
                Array("  \(number + 1)  \(Printable.text(ItemLines.name(item)))\n".utf8),
                to: .error
            )
        }
        let typed = try console.askLine("Which one (1-\(found.count)): ")
        guard let number = Int(typed), (1...found.count).contains(number) else {
            throw EverydayFailure("no item was chosen, and nothing was done")
        }
        return found[number - 1]
    }

    /// Asks for a yes; without a terminal, only `--yes` is one.
    ///
    /// `otherwise`: what is said after a no.
    package func confirm(
        _ question: String,
        _ options: WordOptions,
        otherwise: String = "nothing was changed"
    ) throws {
        guard !options.has("yes") else { return }
        guard console.isInteractive else {
            throw EverydayFailure("give --yes, as there is no terminal to ask on")
        }
        let answer = try console.askLine("\(question) [y/N] ").lowercased()
        guard answer == "y" || answer == "yes" else {
            throw EverydayFailure(otherwise)
        }
    }
}

/// What Apple's statuses mean for people.
enum StatusText {
    static func sentence(_ status: Int32) -> String? {
        switch status {
        case -25308: "the keychain is locked; unlock it with \"sync-client unlock\""
        case -25300: "the item is no longer there"
        case -25299: "there is such an item already"
        case -34018: "this program may not see the keychain"
        case -26275: "the item cannot be read; see \"sync-client doctor\""
        case -67868: "the item would be too large"
        default: nil
        }
    }
}
