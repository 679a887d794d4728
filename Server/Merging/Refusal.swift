package import KSWire

/// Why a store refuses a batch, an entry or a cursor.
package enum Refusal: Error, Equatable, Sendable {
    /// The bytes are malformed.
    case malformed
    /// Something exceeds ``Limits``.
    case tooLarge
    /// The sender is not a member of the circle's newest entry.
    case notMember
    /// The sender names another store epoch.
    case storeRestored
    /// The store never gave the sender's cursor in this history.
    case unknownCursor
    /// The sender's cursor is older than a removal.
    case resyncRequired
    /// The batch is sealed under a key generation that has ended.
    case generationClosed
    /// The batch does not follow its actor's last one, or the actor is another member's.
    case actorForked
    /// The sender has seen a write that this store does not know: the store went back.
    case historyWentBack
    /// These writes of a batch, at least one, cannot be accepted; the others can.
    case writes([RefusedRecord])
    /// The account would exceed its quota.
    case quotaExceeded
    /// Another entry of the circle came first, or a write came before a generation's end.
    case circleChanged

    /// Whether the store saves a new epoch of the account with this refusal.
    package var beginsEpoch: Bool { self == .historyWentBack }

    /// The code for the client.
    package var code: ErrorCode {
        switch self {
        case .malformed: .malformed
        case .tooLarge: .tooLarge
        case .notMember: .refused
        case .storeRestored, .historyWentBack: .storeRestored
        case .unknownCursor: .unknownCursor
        case .resyncRequired: .resyncRequired
        case .generationClosed: .generationClosed
        case .actorForked: .actorForked
        case .writes(let writes): writes.first?.code ?? .malformed
        case .quotaExceeded: .quotaExceeded
        case .circleChanged: .circleChanged
        }
    }
}
