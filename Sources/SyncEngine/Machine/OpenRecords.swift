internal import KSRecords

/// The records that sync cannot finish by itself.
package struct OpenRecords: Equatable, Sendable {
    /// Deferred edits: the server refuses them, or this device cannot seal them.
    package let setAside: [OutboxTable.SetAside]
    /// Quarantined records, each once for each reason.
    package let quarantined: [Quarantine.Record]

    package var isEmpty: Bool { setAside.isEmpty && quarantined.isEmpty }
}
