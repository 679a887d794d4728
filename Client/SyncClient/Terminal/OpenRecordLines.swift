internal import KSDaemon
internal import KSSyncEngine

/// Describes the records that sync could not send or open.
enum OpenRecordLines {
    /// Further records are only counted; `--json` lists all.
    private static let shownMax = 10

    /// A line for each record.
    static func lines(notSent: [OpenRecord], quarantined: [OpenRecord]) -> [String] {
        let notSent = notSent.map { record in
            let reason = BlockedReason(rawValue: record.reason) ?? .damaged
            return "not sent     \(record.item): \(advice(reason, record))"
        }
        let quarantined = quarantined.map { "unreadable   \($0.item): \($0.reason)" }
        return shortened(notSent, "not sent     ") + shortened(quarantined, "unreadable   ")
    }

    private static func shortened(_ lines: [String], _ title: String) -> [String] {
        guard lines.count > shownMax else { return lines }
        return lines.prefix(shownMax) + ["\(title)\(lines.count - shownMax) more (see --json)"]
    }

    private static func size(_ record: OpenRecord) -> String {
        record.requestBytesRefused.map { "\($0) bytes" } ?? "this size"
    }

    /// Why an item waits, and what to do.
    private static func advice(_ reason: BlockedReason, _ record: OpenRecord) -> String {
        switch reason {
        case .tooLarge:
            "the item is too large with its history; make it smaller, or delete it"
        case .proxyLimit:
            "a proxy before the server refuses requests of \(size(record)): let it accept 5 MB"
                + " (nginx: client_max_body_size 5m), then run sync-client doctor; or make the item"
                + " smaller"
        case .malformed:
            "the server refuses it; update the older of client and server, then run sync-client"
                + " doctor"
        case .siblingsFull:
            "it was changed on too many devices at once; it is sent after the next sync has joined"
                + " the changes"
        case .siblingsUnreadable:
            "the server has too many versions of it that cannot be read here; update this program,"
                + " or replace them with yours: sync-client doctor --replace \(record.item)"
        case .damaged:
            "its data on this device is damaged; see sync-client doctor"
        case .tied:
            "it waits for a change that cannot be sent: one of its other name, or of the same"
                + " transaction"
        }
    }
}
