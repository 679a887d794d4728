/// What the device's tables say before a step of sync.
package struct SyncFacts: Equatable, Sendable {
    /// Whether the keys that open records are there.
    package var hasKeys = true
    /// Whether a batch was sealed and not answered yet.
    package var hasBatch = false
    /// Whether an edit may be sealed.
    package var hasEdits = false
    /// Whether records wait for the unlock.
    package var hasWaiting = false
    /// False if everything has to be pulled.
    package var hasCursor = true
    /// Why sync is paused until the user acts; nil if it is not.
    package var pause: SyncState.Hold?
    /// When the next record is to be written back, milliseconds since 1970.
    package var rewriteDueMilliseconds: UInt64?

    package init() {}
}

extension SyncState.Hold {
    /// Whether a step may run while sync is paused.
    ///
    /// Devices can be removed meanwhile: what the server shows of the circle is checked by its
    /// signatures, whatever became of the records.
    package func allows(_ step: SyncMachine.Step) -> Bool {
        switch self {
        case .serverRestored, .serverWentBack, .resyncRequired: step == .circle
        case .circleForked: false
        }
    }
}
