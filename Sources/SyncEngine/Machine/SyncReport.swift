package import KSWire

/// What sync has done since the shell last looked, for people and tests.
package struct SyncReport: Equatable, Sendable {
    package var pushedRecords = 0
    package var pulledRecords = 0
    /// Those among the pushed ones that only brought the joined state back.
    package var rewrittenRecords = 0
    /// Siblings that could not be opened.
    package var quarantined = 0
    /// Times that this device took a new actor.
    package var forks = 0
    /// Entries that appeared, changed or went because of other devices.
    package var appliedItems = 0
    /// Entries that their store did not take.
    package var refusedItems = 0
    /// What the server said when it last refused something that may be tried again.
    package var lastRefusal: ErrorCode?

    package init() {}

    mutating func count(_ change: ShownChange) {
        switch change {
        case .changed: appliedItems += 1
        case .refused: refusedItems += 1
        case .unchanged: break
        }
    }
}
