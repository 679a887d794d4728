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
    /// Whether everything is pulled again, and more pages follow.
    package var isPullingAll = false
    /// Why sync is paused until the user acts; nil if it is not.
    package var pause: SyncState.Hold?
    /// How far the comparison with a server that went back is; nil if none is under way.
    package var reconciling: Reconciliation.Step?
    /// Its next request waits until then, milliseconds since 1970.
    package var reconcilingWaitMilliseconds: UInt64?
    /// Whether an unsent edit holds what the server lost.
    package var hasPutUps = false
    /// When the next record is to be written back, milliseconds since 1970.
    package var rewriteDueMilliseconds: UInt64?

    package init() {}
}
