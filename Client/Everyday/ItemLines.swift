package import KSAgent
internal import KSBytes
internal import KSScreens

/// Text that a terminal shows as it is, with a sign for each character that could act on it.
package enum Printable {
    package static func text(_ text: String) -> String { TextWidth.visible(text) }

    /// The same, with its own line breaks.
    package static func lines(_ text: String) -> [String] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { TextWidth.visible(String($0)) }
    }
}

/// How items stand in lists and questions.
package enum ItemLines {
    /// The title, and what tells it from another one of the same title.
    package static func name(_ item: ListedItem) -> String {
        var parts = [item.title.isEmpty ? "(no title)" : item.title]
        if !item.userName.isEmpty { parts.append(item.userName) }
        if !item.place.isEmpty, item.place != item.title { parts.append(item.place) }
        return parts.joined(separator: "  ")
    }

    /// The names of several items, each with what tells it from others of the same name.
    package static func names(_ items: [ListedItem]) -> [String] {
        zip(items, ItemTwins.ends(of: items)).map { name($0) + $1 }
    }

    /// What people call the secret of an item.
    package static func secretName(ofType type: String) -> String {
        switch type {
        case "note": "text"
        case "certificate", "key": type
        default: "password"
        }
    }

    /// A marker that is readable without colours.
    static func marks(_ item: ListedItem) -> String {
        (item.isFavorite ? "*" : "") + (item.hasOneTimeCode ? "#" : "")
    }

    /// Tabs between the columns, for other programs: all of it, nothing is cut.
    ///
    /// `end`: what distinguishes it from others of its name; empty without such others.
    static func line(_ item: ListedItem, _ end: String) -> String {
        let cells = [
            item.title, item.userName, item.place, item.type, item.tags.joined(separator: ","),
        ]
        return (cells + (end.isEmpty ? [] : [String(end.dropFirst())]))
            .map { Printable.text($0) }.joined(separator: "\t") + "\n"
    }

    package static func json(_ item: ListedItem) -> JSONValue {
        .object([
            ("reference", .text(String(hexadecimal: item.reference))), ("type", .text(item.type)),
            ("title", .text(item.title)), ("userName", .text(item.userName)),
            ("place", .text(item.place)), ("scheme", .text(item.site.scheme)),
            ("path", .text(item.site.path)), ("realm", .text(item.site.realm)),
            ("tags", .list(item.tags.map { .text($0) })),
            ("favorite", .bool(item.isFavorite)), ("synced", .bool(item.isSynced)),
            ("oneTimeCode", .bool(item.hasOneTimeCode)),
            ("changed", .date(secondsSince2001: item.changedSeconds)),
        ])
    }
}

/// A value that is printed as JSON, its members in the order given.
package indirect enum JSONValue {
    case null
    case bool(Bool)
    case number(Int64)
    case text(String)
    case list([JSONValue])
    case object([(String, JSONValue)])

    /// Text; other bytes as `{"$data":"hex:…"}`, which `keychain rpc` takes too.
    static func bytes(_ bytes: [UInt8]) -> JSONValue {
        if let text = String(validating: bytes, as: UTF8.self) { return .text(text) }
        return .object([("$data", .text("hex:" + String(hexadecimal: bytes)))])
    }

    /// A moment as ISO 8601 in UTC, with its milliseconds; null for zero.
    static func date(secondsSince2001 seconds: Double) -> JSONValue {
        seconds == 0 ? .null : .text(Moment(secondsSince2001: seconds).iso8601)
    }

    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let number): String(number)
        case .text(let text): text.quotedAsJSON
        case .list(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { $0.0.quotedAsJSON + ":" + $0.1.text }.joined(separator: ",") + "}"
        }
    }
}

extension ListedItem {
    /// Whether a name is the item's whole title, site or `user@site`, but for case, or its
    /// reference.
    func isCalled(_ name: String) -> Bool {
        if let ended = EndedName(name), ended.isOf(isSynced: isSynced), isCalled(ended.name) {
            return true
        }
        let name = name.lowercased()
        let place = place.lowercased()
        var sites = [place]
        if let colon = place.lastIndex(of: ":") { sites.append(String(place[..<colon])) }
        sites += sites.filter { $0.hasPrefix("www.") }.map { String($0.dropFirst(4)) }
        if String(hexadecimal: reference) == name { return true }
        return title.lowercased() == name || sites.contains(name)
            || sites.contains { "\(userName.lowercased())@\($0)" == name }
    }
}
