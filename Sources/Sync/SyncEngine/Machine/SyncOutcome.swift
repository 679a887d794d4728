/// The result of ``SyncEngine/syncNow()``.
package enum SyncOutcome: Equatable, Sendable {
    /// All edits are on the server, and all its records are here.
    case synced
    /// Synced except for these records, which sync cannot finish by itself.
    case open(OpenRecords)
    /// Synced, but other devices have deleted this many entries: the user is asked about them.
    case deletionsHeld(Int)
    /// Sync is paused until the user acts.
    case held(SyncState.Hold)
    case failed(ServerError)
    /// The rest needs an unlock.
    case locked
    /// The server says again and again that it went back: this device asks it again later.
    case restoredTooOften
    /// The device's database, disk or key files could not be used.
    case databaseFailed(StepTrouble)
    /// The engine was stopped.
    case stopped
}
