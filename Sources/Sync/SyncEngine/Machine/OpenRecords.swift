package import KSRecords

/// The records that sync cannot finish by itself.
package struct OpenRecords: Equatable, Sendable {
    /// A record, and why it is open.
    package struct Record<Reason: Equatable & Sendable>: Equatable, Sendable {
        package let record: RecordID
        package let reason: Reason

        package init(record: RecordID, reason: Reason) {
            self.record = record
            self.reason = reason
        }
    }

    /// Blocked edits: the server refuses them, or this device cannot seal them.
    package let blocked: [Record<BlockedReason>]
    /// Quarantined records, each once for each reason.
    package let quarantined: [Record<QuarantineReason>]
    /// The size of the smallest request that a proxy refused, in bytes; nil if none is known.
    package let requestBytesRefused: Int?

    package init(
        blocked: [Record<BlockedReason>],
        quarantined: [Record<QuarantineReason>],
        requestBytesRefused: Int? = nil
    ) {
        self.blocked = blocked
        self.quarantined = quarantined
        self.requestBytesRefused = requestBytesRefused
    }

    package var isEmpty: Bool { blocked.isEmpty && quarantined.isEmpty }
}
