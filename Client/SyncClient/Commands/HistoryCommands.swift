internal import KSBytes
package import KSAgent
internal import KSDaemon
internal import KSEveryday
internal import ArgumentParser

struct HistoryCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Shows the present, earlier and conflicting values of a synchronized item.",
        discussion: "restore ITEM VERSION puts the value with that number back."
    )

    @Argument(
        help: """
            The item's code of 8 letters and digits, which conflicts and history print, or its \
            title, site or user@site.
            """
    )
    var item: String?

    @Option(
        name: .customShort("s"),
        help: ArgumentHelp("The item's service or server.", valueName: "place")
    )
    var place: String?

    @Option(
        name: .customShort("a"),
        help: ArgumentHelp("The item's account.", valueName: "account")
    )
    var account: String?

    @Flag(help: "Print passwords and hidden fields themselves.")
    var showSecrets = false

    @OptionGroup
    var answer: AnswerOptions

    func validate() throws {
        let isNamed = place != nil && account != nil
        guard (item != nil) != isNamed, isNamed || (place == nil && account == nil) else {
            throw ValidationError("Name the item, or give -s and -a together.")
        }
    }

    func perform() throws {
        let histories = try histories()
        answer.say(histories.flatMap(HistoryLines.lines), json: histories.agentValue)
    }

    private func histories() throws -> [ShownHistory] {
        var call = GetHistory()
        (call.place, call.account, call.showsSecrets) = (place, account, showSecrets)
        guard let item else { return try answer.home.call(call) }
        let items = NamedItems(answer.home)
        if ItemCode(parsing: item) != nil {
            call.code = item
            do throws(CommandFailure) {
                return try answer.home.call(call)
            } catch {
                // A title may look like a code.
                guard error == .noSuchItem else { throw error }
            }
        }
        let named = try items.item(named: item)
        let found = try answer.home.call(
            GetItemHistory(named.reference, showsSecrets: showSecrets)
        )
        guard !found.isEmpty else { throw CommandFailure(Everyday.noHistory(of: named)) }
        return found
    }
}

/// Lists deleted items.
struct DeletedCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "deleted",
        abstract: "Lists the items that were deleted in the last 30 days.",
        discussion: "restore CODE makes the item with that code again, on all devices."
    )

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws {
        let unreadable = try answer.list(ListDeletedItems())
        guard unreadable > 0 else { return }
        Console.warn("\(unreadable) more deleted items cannot be read.")
    }
}

extension AnswerOptions {
    /// Lists deleted items.
    ///
    /// - Returns: how many more there are, which cannot be read.
    func list<Call: AgentCall>(_ call: Call) throws -> Int64 where Call.Answer == DeletedItemList {
        let list = try home.call(call)
        if json {
            Console.say(JSONValue.list(list.items.map(DeletedLines.json)).text)
        } else {
            for item in list.items { Console.write(DeletedLines.line(item), to: 1) }
        }
        return list.unreadableCount
    }
}

struct ConflictsCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "Lists what was changed on two devices at once, until a command has shown it.",
        discussion: """
            history ITEM shows an item, kv get STORE KEY --conflicts an entry of a key-value store.
            """
    )

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws {
        try answer.show(GetConflicts()) { $0.map(HistoryLines.title) }
    }
}

/// The lines that show a record's history.
package enum HistoryLines {
    /// The item's code, its server or service, and its account; for an entry, its store and key.
    package static func title(_ record: ShownHistory) -> String {
        if record.class == "kv" {
            let (store, key) = (record.attributes["store"], record.attributes["key"]?.string ?? "")
            return "kv  \(text(store))  \(KeyValueLines.quoted(key))  "
                + "(for its store and key: sync-client kv get STORE KEY --conflicts)"
        }
        let place = record.class == "inet" ? "srvr" : "svce"
        let deleted = record.deletedElsewhere ? "  (deleted elsewhere)" : ""
        return [record.item, text(record.attributes[place]), text(record.attributes["acct"])]
            .joined(separator: "  ") + deleted
    }

    package static func lines(_ record: ShownHistory) -> [String] {
        [title(record)] + HistoryPage.lines(record)
    }

    /// Text that can be printed; other bytes in hex.
    private static func text(_ value: AgentValue?) -> String {
        switch value {
        case .string(let text): return text.printable
        case .integer(let number): return String(number)
        case .data(let bytes):
            if let text = String(validating: bytes, as: UTF8.self) { return text.printable }
            return "0x" + String(hexadecimal: bytes)
        default: return ""
        }
    }
}
