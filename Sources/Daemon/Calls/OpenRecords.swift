package import KSAgent
internal import KSRecords
package import SyncEngine

extension AgentDictionary {
    /// Records that sync cannot bring to an end by itself: their codes and why, nothing of what is
    /// in them.
    package init(_ open: OpenRecords) {
        self = [
            "notSent": .array(
                open.setAside.map { aside in
                    [
                        "item": .string(ItemCode(aside.record).text),
                        "reason": .string(aside.reason.rawValue),
                    ]
                }
            ),
            "quarantinedItems": .array(
                open.quarantined.map { record in
                    [
                        "item": .string(ItemCode(record.record).text),
                        "reason": .string(record.reason.rawValue),
                    ]
                }
            ),
        ]
    }
}
