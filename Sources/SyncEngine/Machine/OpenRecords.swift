internal import KSRecords

/// The records that sync cannot bring to an end by itself.
package struct OpenRecords: Equatable, Sendable {
    /// Edits that the server, or this device, does not let through.
    package let setAside: [OutboxTable.SetAside]
    /// What came and could not be opened, each record once for each reason.
    package let quarantined: [Quarantine.Record]

    package init(setAside: [OutboxTable.SetAside], quarantined: [Quarantine.Record]) {
        self.setAside = setAside
        self.quarantined = quarantined
    }

    package var isEmpty: Bool { setAside.isEmpty && quarantined.isEmpty }
}
