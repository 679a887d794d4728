/// Why an account does not take what somebody asks it to store.
package enum Refusal: Error, Equatable, Sendable {
    /// The bytes cannot be what they claim to be.
    case malformed
    /// Something is over ``Limits``.
    case tooLarge
    /// The sender is not a member of the circle's newest entry.
    case notMember
    /// The sender speaks of another life of the store.
    case storeRestored
    /// The sender's cursor was never given in this history.
    case unknownCursor
    /// The sender's cursor is older than what was removed since.
    case resyncRequired
    /// The batch is sealed under a key generation that has ended.
    case generationClosed
    /// The batch does not follow what its actor wrote before, or the actor is somebody else's.
    case actorForked
    /// The sender has seen a write that this store does not have: the store itself went back.
    ///
    /// The account begins a new epoch.
    case historyWentBack
    /// These writes of a batch cannot be taken, one at least; the others could.
    case writes([RefusedWrite])
    /// The account would hold more than it may.
    case quotaExceeded
    /// Another entry of the circle came first, or a write came before a generation's end.
    case circleChanged
}
