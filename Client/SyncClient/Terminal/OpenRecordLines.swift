internal import KSAgent
internal import SyncEngine

/// Records that sync cannot bring to an end, in words.
enum OpenRecordLines {
    /// More are counted, and listed by `--json`.
    private static let shownMax = 10

    /// A line for each record.
    static func lines(notSent: [OpenRecord], quarantined: [OpenRecord]) -> [String] {
        let notSent = notSent.map { record in
            let reason = SetAsideReason(rawValue: record.reason) ?? .damaged
            return "not sent     \(record.item): \(advice(reason, item: record.item))"
        }
        let quarantined = quarantined.map { "unreadable   \($0.item): \($0.reason)" }
        return shortened(notSent, "not sent     ") + shortened(quarantined, "unreadable   ")
    }

    private static func shortened(_ lines: [String], _ title: String) -> [String] {
        guard lines.count > shownMax else { return lines }
        return lines.prefix(shownMax) + ["\(title)\(lines.count - shownMax) more (see --json)"]
    }

    /// Why an item waits, and what to do.
    private static func advice(_ reason: SetAsideReason, item: String) -> String {
        switch reason {
        case .tooLarge:
            "the item is too large with all that it had before; make it smaller, or delete it"
        case .malformed:
            "the server does not take it; update the older of the two programs, then run"
                + " sync-client doctor"
        case .siblingsFull:
            "it was changed on too many devices at once; it is sent when the next sync has joined"
                + " the changes"
        case .siblingsUnreadable:
            "the server has too many versions of it that cannot be read here; update this program,"
                + " or run sync-client doctor --replace \(item) to replace them with yours"
        case .damaged:
            "what this device knows of it is damaged; see sync-client doctor"
        case .otherHalf:
            "it was renamed, and waits for its other name's record"
        }
    }
}
