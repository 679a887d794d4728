internal import KSRPC
internal import KSAgent
internal import ArgumentParser

struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Shows the passwords a synchronized item has and had, and all in conflict."
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

    @Flag(help: "Print the passwords themselves.")
    var showSecrets = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup
    var home: HomeOption

    func validate() throws {
        let isNamed = place != nil && account != nil
        guard (item != nil) != isNamed, isNamed || (place == nil && account == nil) else {
            throw ValidationError("Name the item by its code, or by -s and -a together.")
        }
    }

    func run() throws {
        try Console.run {
            var arguments: AgentDictionary = ["showsSecrets": .bool(showSecrets)]
            if let item { arguments["code"] = .string(item) }
            if let place { arguments["place"] = .string(place) }
            if let account { arguments["account"] = .string(account) }
            let answer = try home.call("item.history", arguments)
            guard !json else { return Console.say(JSONText.text(answer)) }
            for record in answer.array ?? [] {
                for line in HistoryLines.lines(record.dictionary ?? [:]) { Console.say(line) }
            }
        }
    }
}

struct ConflictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "Lists the items changed on two devices at once, until `history` has shown them."
    )

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup
    var home: HomeOption

    func run() throws {
        try Console.run {
            let answer = try home.call("item.conflicts")
            guard !json else { return Console.say(JSONText.text(answer)) }
            for record in answer.array ?? [] {
                Console.say(HistoryLines.title(record.dictionary ?? [:]))
            }
        }
    }
}

/// A record's history for people.
enum HistoryLines {
    /// Its code, where it belongs, and its account.
    static func title(_ record: AgentDictionary) -> String {
        let attributes = record["attributes"]?.dictionary ?? [:]
        let place = record["class"]?.string == "inet" ? "srvr" : "svce"
        let deleted = record["deletedElsewhere"]?.bool == true ? "  (deleted elsewhere)" : ""
        return [
            record["item"]?.string ?? "", text(attributes[place]), text(attributes["acct"]),
        ].joined(separator: "  ") + deleted
    }

    static func lines(_ record: AgentDictionary) -> [String] {
        let versions = (record["versions"]?.array ?? []).map { version in
            let version = version.dictionary ?? [:]
            let secret = version["secret"].map { "  " + text($0) } ?? ""
            return line(version["standing"]?.string ?? "", version["time"], secret)
        }
        let attributes = (record["attributeConflicts"]?.array ?? []).map { conflict in
            let conflict = conflict.dictionary ?? [:]
            let name = conflict["attribute"]?.string ?? ""
            return line("conflict", conflict["time"], "  \(name): \(text(conflict["value"]))")
        }
        return [title(record)] + versions + attributes
    }

    private static func line(_ standing: String, _ time: AgentValue?, _ value: String) -> String {
        let padding = String(repeating: " ", count: max(0, 10 - standing.count))
        let time = time?.date.map(JSONText.time) ?? "not sent yet"
        return "  " + standing + padding + "  " + time + value
    }

    /// Text as it is, without what would move a terminal's cursor; other bytes in hexadecimal.
    private static func text(_ value: AgentValue?) -> String {
        switch value {
        case .string(let text): return printable(text)
        case .integer(let number): return String(number)
        case .data(let bytes):
            if let text = String(validating: bytes, as: UTF8.self) { return printable(text) }
            return "0x"
                + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        default: return ""
        }
    }

    private static func printable(_ text: String) -> String {
        var printed = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                printed += "\\u{\(String(scalar.value, radix: 16))}"
            default: printed.unicodeScalars.append(scalar)
            }
        }
        return printed
    }
}
