internal import KSRecords

/// The records that sync cannot finish by itself.
package struct OpenRecords: Equatable, Sendable {
    /// Edits that are set aside: the server refuses them, or this device cannot seal them.
    package let setAside: [OutboxTable.SetAside]
    /// Quarantined records, each once for each reason.
    package let quarantined: [Quarantine.Record]

    package init(setAside: [OutboxTable.SetAside], quarantined: [Quarantine.Record]) {
        self.setAside = setAside
        self.quarantined = quarantined
    }

    package var isEmpty: Bool { setAside.isEmpty && quarantined.isEmpty }
}
