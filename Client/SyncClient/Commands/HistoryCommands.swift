internal import KSBytes
internal import KSRPC
internal import KSAgent
package import KSDaemon
internal import ArgumentParser

struct HistoryCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Shows the present, earlier and conflicting values of a synchronized item."
    )

    @Argument(help: "The item's code of 8 letters and digits, which conflicts and history print.")
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
            throw ValidationError("Name the item by its code, or by -s and -a together.")
        }
    }

    func perform() throws {
        var call = GetHistory()
        call.code = item
        call.place = place
        call.account = account
        call.showsSecrets = showSecrets
        try answer.show(call) { $0.flatMap(HistoryLines.lines) }
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
        let versions = record.versions.map { version in
            let secret = version.secret.map { "  " + text(.data($0)) } ?? ""
            return line(version.standing, version.time, secret)
        }
        let attributes = record.attributeConflicts.map { conflict in
            line("conflict", conflict.time, "  \(conflict.attribute): \(text(conflict.value))")
        }
        let others = (record.others ?? []).map { other in
            let value = other.value.map { text(.data($0)) } ?? "(hidden)"
            return line(other.standing, other.time, "  \(other.name.printable): \(value)")
        }
        return [title(record)] + versions + attributes + others
    }

    private static func line(_ standing: String, _ time: AgentDate?, _ value: String) -> String {
        let padding = String(repeating: " ", count: max(0, 10 - standing.count))
        let time = time.map { JSONText.time($0.secondsSince2001) } ?? "not sent yet"
        return "  " + standing + padding + "  " + time + value
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
