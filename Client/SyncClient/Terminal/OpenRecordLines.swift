internal import KSDaemon

/// Describes the records that sync could not send or open.
enum OpenRecordLines {
    /// Further records are only counted; `--json` lists all.
    private static let shownMax = 10

    /// A line for each record.
    static func lines(notSent: [OpenRecord], quarantined: [OpenRecord]) -> [String] {
        let notSent = notSent.map { record in
            "not sent     \(record.item): \(advice(record))"
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
    private static func advice(_ record: OpenRecord) -> String {
        MessageCode(notSentBecause: record.reason)
            .sentence(["size": size(record), "item": record.item, "room": room(record)])
    }

    private static func room(_ record: OpenRecord) -> String {
        guard let needed = record.bytesNeeded else { return "" }
        // What a device knows of the room may be older than the refusal.
        let room = record.bytesLeft.flatMap { $0 < needed ? $0 : nil }
        let left = room.map { ", and \(ByteText.text($0)) are left" } ?? ""
        return " (it takes up to \(ByteText.text(needed))\(left))"
    }
}
