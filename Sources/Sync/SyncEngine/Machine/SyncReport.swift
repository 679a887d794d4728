package import KSWire

/// What sync has done since the start, for people and tests.
package struct SyncReport: Equatable, Sendable {
    package var pushedRecords = 0
    package var pulledRecords = 0
    /// Pushed records that only wrote the joined state back.
    package var rewrittenRecords = 0
    /// Siblings that could not be opened.
    package var quarantined = 0
    /// Times that this device took a new actor.
    package var forks = 0
    /// Entries that other devices added, changed or deleted.
    package var appliedEntries = 0
    /// Entries that their store refused.
    package var refusedEntries = 0
    /// The server's last refusal of a request that is tried again, or of single records.
    package var lastRefusal: ErrorCode?

    mutating func count(_ change: ShownChange) {
        switch change {
        case .changed: appliedEntries += 1
        case .refused: refusedEntries += 1
        case .unchanged: break
        }
    }
}
