internal import KSRecords

/// The records that sync cannot finish by itself.
package struct OpenRecords: Equatable, Sendable {
    /// Blocked edits: the server refuses them, or this device cannot seal them.
    package let blocked: [OutboxTable.BlockedEdit]
    /// Quarantined records, each once for each reason.
    package let quarantined: [Quarantine.Record]

    package init(blocked: [OutboxTable.BlockedEdit], quarantined: [Quarantine.Record]) {
        self.blocked = blocked
        self.quarantined = quarantined
    }

    package var isEmpty: Bool { blocked.isEmpty && quarantined.isEmpty }
}
