package import KSAgent
internal import KSBytes
internal import KSScreens

/// The history of an item: a line for each value, with the number that puts it back.
package enum HistoryPage {
    /// A value of the history, whatever it is of.
    private struct Entry {
        var version: Int64?
        var standing: String
        var time: AgentDate?
        var device: String?
        /// `password`, `attribute`, `field`, `tag`, `address` or `mark`.
        var kind: String
        var name: String
        /// Nil for a hidden value, and for a file.
        var value: [UInt8]?
        var fileBytes: Int64?

        /// What the value is of, as people say it, and the value.
        var text: String {
            let name = Printable.text(self.name)
            if let fileBytes { return "\(name): file, \(ItemPage.size(fileBytes))" }
            let shown = value.map(HistoryPage.text) ?? "(hidden)"
            switch kind {
            case "tag": return "tag \(name)"
            case "mark" where value?.isEmpty == true: return name
            case "address": return "address \(name): \(shown)"
            default: return "\(name): \(shown)"
            }
        }
    }

    package static func hasVersions(_ history: ShownHistory) -> Bool {
        entries(history).contains { $0.version != nil }
    }

    /// A line for each value, without the item's name above them.
    package static func lines(_ history: ShownHistory) -> [String] {
        let rows = entries(history).map { entry in
            let time = entry.time.map { $0.moment.iso8601 }
            return [
                entry.version.map(String.init) ?? "", entry.standing, time ?? "not sent yet",
                entry.device.map { Printable.text($0) } ?? "-", entry.text,
            ]
        }
        let widths = (0..<4).map { column in
            rows.map { TextWidth.columns(of: $0[column]) }.max() ?? 0
        }
        return rows.map { row in
            let cells = (0..<4).map { column in
                let padding = String(
                    repeating: " ",
                    count: widths[column] - TextWidth.columns(of: row[column])
                )
                return column == 0 ? padding + row[column] : row[column] + padding
            }
            return "  " + (cells + [row[4]]).joined(separator: "  ")
        }
    }

    static func json(_ history: ShownHistory, of item: ListedItem) -> JSONValue {
        .object([
            ("reference", .text(String(hexadecimal: item.reference))),
            ("item", .text(history.item)), ("title", .text(item.title)),
            ("userName", .text(item.userName)), ("place", .text(item.place)),
            ("deletedElsewhere", .bool(history.deletedElsewhere)),
            (
                "versions",
                .list(
                    entries(history).map { entry in
                        .object([
                            ("version", entry.version.map { .number($0) } ?? .null),
                            ("standing", .text(entry.standing)),
                            ("time", .date(secondsSince2001: entry.time?.secondsSince2001 ?? 0)),
                            ("device", entry.device.map { .text($0) } ?? .null),
                            ("kind", .text(entry.kind)), ("name", .text(entry.name)),
                            ("value", entry.value.map { JSONValue.bytes($0) } ?? .null),
                            ("bytes", entry.fileBytes.map { .number($0) } ?? .null),
                        ])
                    }
                )
            ),
        ])
    }

    /// What people call the attributes that they change.
    private static let names = ["icmt": "note", "labl": "title"]

    private static func entries(_ history: ShownHistory) -> [Entry] {
        let secretName = history.secretName ?? "password"
        let secrets = history.versions.map { version in
            Entry(
                version: version.version,
                standing: version.standing,
                time: version.time,
                device: version.device,
                kind: "password",
                name: secretName,
                value: version.secret
            )
        }
        let attributes = history.attributeConflicts.map { conflict in
            Entry(
                version: conflict.version,
                standing: "conflict",
                time: conflict.time,
                device: conflict.device,
                kind: "attribute",
                name: names[conflict.attribute] ?? conflict.attribute,
                value: bytes(conflict.value)
            )
        }
        let others = (history.others ?? []).map { other in
            Entry(
                version: other.version,
                standing: other.standing,
                time: other.time,
                device: other.device,
                kind: other.kind,
                name: other.name,
                value: other.value,
                fileBytes: other.fileBytes
            )
        }
        return secrets + attributes + others
    }

    private static func bytes(_ value: AgentValue) -> [UInt8] {
        switch value {
        case .string(let text): Array(text.utf8)
        case .integer(let number): Array(String(number).utf8)
        case .data(let bytes): bytes
        default: []
        }
    }

    /// Text that can be printed; other bytes in hex.
    private static func text(_ bytes: [UInt8]) -> String {
        String(validating: bytes, as: UTF8.self).map { Printable.text($0) }
            ?? "0x" + String(hexadecimal: bytes)
    }
}
