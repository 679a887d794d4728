package import KSAgent
internal import KSMatching

/// What a command for people needs: its surroundings, and the daemon.
package struct Everyday {
    package let console: any Surroundings
    let connect: ItemConnector
    /// Whether each line on standard error is JSON.
    private var writesJSON = false

    package init(
        console: any Surroundings,
        connect: @escaping ItemConnector
    ) {
        self.console = console
        self.connect = connect
    }

    /// Runs a command; prints an error, and returns the exit status.
    package func run(_ command: EverydayCommand, _ words: some Sequence<[UInt8]>) -> Int32 {
        answering(words) { $0.carryOut(command, words) }
    }

    /// Refuses a word that is no command.
    ///
    /// `words`: what follows it; `others`: the commands beside those for people.
    ///
    /// - Returns: the exit status.
    package func refuse(
        _ name: String,
        _ words: some Sequence<[UInt8]>,
        others: [String]
    ) -> Int32 {
        answering(words) { $0.report(.unknownCommand(name, others: others)) }
    }

    private func answering(
        _ words: some Sequence<[UInt8]>,
        _ body: (Everyday) -> Int32
    ) -> Int32 {
        var everyday = self
        everyday.writesJSON = Self.asksForJSON(words)
        return body(everyday)
    }

    /// Whether a command line asks for JSON: words after two hyphens are no options.
    package static func asksForJSON(_ words: some Sequence<[UInt8]>) -> Bool {
        words.prefix { $0 != Array("--".utf8) }.contains(Array("--json".utf8))
    }

    private func carryOut(_ command: EverydayCommand, _ words: some Sequence<[UInt8]>) -> Int32 {
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
            guard let run = command.run else {
                throw EverydayFailure(
                    "\"\(command.name)\" is no command of this prompt; run \"keychain"
                        + " \(command.name)\" from a shell"
                )
            }
            try run(self, options)
            return 0
        } catch let failure as EverydayFailure {
            let status = report(failure)
            if failure.showsUsage, !writesJSON {
                console.write(Array(command.usage.utf8), to: .error)
            }
            return status
        } catch let end as SilentEnd {
            return end.status
        } catch let failure as Failure {
            // Its message is a line of `security`.
            let line = String(decoding: failure.message, as: UTF8.self)
            let sentence = line.drop { $0 != " " }.dropFirst().prefix { !$0.isNewline }
            return report(EverydayFailure(String(sentence), status: failure.status))
        } catch let error as AgentError {
            return report(EverydayFailure(error))
        } catch {
            return report(EverydayFailure("the command failed"))
        }
    }

    private func report(_ failure: EverydayFailure) -> Int32 {
        if writesJSON {
            console.write(Array((failure.json.text + "\n").utf8), to: .error)
        } else {
            complain(failure.sentence)
        }
        return failure.status
    }

    /// Why a call failed, without the end of the sentence.
    package static func sentence(of error: AgentError) -> String {
        EverydayFailure(error).sentence
    }

    package func say(_ text: String) { console.write(Array(text.utf8), to: .output) }

    /// The answer of a command in JSON.
    package func answer(_ members: [(String, JSONValue)]) {
        say(JSONValue.object(members).text + "\n")
    }

    /// A remark on standard error.
    package func complain(_ sentence: String) {
        console.write(Self.remark(sentence, isJSON: writesJSON), to: .error)
    }

    /// A line on standard error.
    package static func remark(_ sentence: String, isJSON: Bool) -> [UInt8] {
        let text =
            isJSON
            ? JSONValue.object([("warning", .text(EverydayFailure.whole(sentence)))]).text
            : "keychain: "
                + EverydayFailure.whole(Printable.lines(sentence).joined(separator: "\n"))
        return Array("\(text)\n".utf8)
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
                "there is no keychain at \(missing): correct --home or KEYCHAIN_SYNC_HOME;"
                    + " \"sync-client setup\" begins one",
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

    /// The item of which something will be gone for good: without a question its whole name counts.
    func item(toLose name: String, _ options: WordOptions) throws -> ListedItem {
        let item = try item(named: name, options)
        let isWhole = item.isCalled(name) || EndedName(name).map { item.isCalled($0.name) } == true
        guard !options.has("yes") || isWhole else {
            throw EverydayFailure(
                "\"\(name)\" is only a part of \(ItemLines.name(item));"
                    + " with --yes give the whole title, site or user@site"
            )
        }
        return item
    }

    /// The item to change, which somebody on a terminal reads afterwards: in a script its whole
    /// name counts, so that no other item changes when the one that is meant is not there.
    ///
    /// `question`: asked on a terminal when the name is only a part, with the item's name behind.
    func item(
        toChange options: WordOptions,
        named name: String? = nil,
        asking question: String? = nil
    ) throws -> ListedItem {
        guard let name = name ?? options.names.first else {
            throw EverydayFailure.usage("name an item")
        }
        let (item, isPart) = try meant(name, options)
        guard isPart else { return item }
        guard console.isInteractive, console.isErrorShown else {
            throw EverydayFailure(
                "\"\(name)\" is only a part of \(ItemLines.name(item));"
                    + " give the whole title, site or user@site"
            )
        }
        if let question { try confirm("\(question) \(ItemLines.name(item))?", options) }
        return item
    }

    package func item(named name: String, _ options: WordOptions) throws -> ListedItem {
        try meant(name, options).item
    }

    /// `isPart`: whether nobody has said which item it is but by a part of its name.
    private func meant(
        _ name: String,
        _ options: WordOptions
    ) throws -> (item: ListedItem, isPart: Bool) {
        var search = ListItems()
        search.meaning = name
        search.limit = 50
        var list = try call(search, options)
        if let ended = EndedName(name), !list.items.contains(where: { $0.title == name }) {
            search.meaning = ended.name
            var others = try call(search, options)
            others.items = ended.meant(of: others.items)
            if list.items.isEmpty || !others.items.isEmpty { list = others }
        }
        let found = list.items
        guard let first = found.first else { throw try noItem(named: name, options) }
        guard found.count > 1 else { return (first, list.isPart) }
        guard console.isInteractive, console.isErrorShown else {
            let lines = ItemLines.names(found).prefix(20).map { "\n  \($0)" }.joined()
            let more = found.count > 20 ? "\n  and \(found.count - 20) more" : ""
            let hasTwins = ItemTwins.ends(of: found).contains { !$0.isEmpty }
            throw EverydayFailure(
                "\"\(name)\" may be any of these; name one by its whole title, or as user@site"
                    + (hasTwins ? ", with its end in parentheses" : "") + ":\(lines)\(more)"
            )
        }
        return (try chosen(of: found, name), false)
    }

    /// Names the items that may be meant by a slip of the pen.
    private func noItem(named name: String, _ options: WordOptions) throws -> EverydayFailure {
        var search = ListItems()
        search.words = name
        search.limit = 3
        var items = try call(search, options).items
        if items.isEmpty {
            // A search takes two slips in a short word for another word.
            let all = try call(ListItems(), options).items
            let near = NearWord.find(name.lowercased(), in: all.map { $0.title.lowercased() })
            items = Array(all.filter { $0.title.lowercased() == near }.prefix(3))
        }
        let near = items.map { "\"\(ItemLines.name($0))\"" }
        let hint =
            near.isEmpty
            ? "\"keychain list\" shows all, \"keychain search\" looks in every field"
            : "did you mean \(near.joined(separator: " or "))?"
        return EverydayFailure(
            "there is no item \"\(name)\"; \(hint)",
            status: EverydayFailure.notFoundStatus
        )
    }

    private func chosen(of found: [ListedItem], _ name: String) throws -> ListedItem {
        for (number, name) in ItemLines.names(found).enumerated() {
            console.write(
                Array("  \(number + 1)  \(Printable.text(name))\n".utf8),
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
            throw EverydayFailure("\(question) Give --yes, as there is no terminal to ask on")
        }
        let answer = try console.askLine("\(question) [y/N] ").lowercased()
        guard answer == "y" || answer == "yes" else {
            throw EverydayFailure(otherwise)
        }
    }
}
