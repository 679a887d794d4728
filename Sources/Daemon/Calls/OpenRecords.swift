internal import KSAgent
internal import KSRecords
internal import SyncEngine

// Records that sync cannot bring to an end by itself: their codes and why, nothing of what is in
// them.
extension OpenRecords {
    var notSent: [OpenRecord] {
        blocked.map {
            OpenRecord(item: ItemCode($0.record).text, reason: $0.reason.rawValue)
        }
    }

    var quarantinedItems: [OpenRecord] {
        quarantined.map {
            OpenRecord(item: ItemCode($0.record).text, reason: $0.reason.rawValue)
        }
    }
}
