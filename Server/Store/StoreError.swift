internal import KSMerging
package import KSWire

/// Why a call of the store failed.
///
/// No case carries names or contents, so an error is always safe to log. Unless a case says
/// otherwise, nothing was stored.
package enum StoreError: Error, Equatable {
    /// A batch, an entry or a name is malformed.
    case malformed
    /// Something exceeds ``Limits``.
    case tooLarge
    /// These writes of a batch, at least one, cannot be accepted; the others can.
    case recordsRefused([RefusedRecord])
    /// The store never gave the cursor in this history.
    case unknownCursor
    /// The account has reached its quota.
    case quotaExceeded
    /// The account name, or the account id, is taken.
    case nameTaken
    /// Not a member of the circle's newest entry.
    case refused
    /// The store has another batch of this actor at this place.
    case actorForked
    /// The request is of another store epoch, perhaps because it made the store begin a new one.
    case storeRestored
    /// The batch is sealed under a key generation that has ended.
    case generationClosed
    /// The cursor is older than a removal.
    case resyncRequired
    /// Another entry of the circle came first, or a write came before a generation's end.
    case circleChanged
    /// No such account, or no such file.
    case notFound
    /// The disk is full or broken: SQLite's extended result code.
    case storageFailed(code: Int32)
    /// The backup's file exists, and is never overwritten.
    case fileExists
    /// The file is not a store.
    case notAStore
    /// The file is a store, but SQLite's own check of it fails.
    case damaged
    /// The file was written by a newer version of this program.
    case newerVersion

    /// The code for the client.
    package var code: ErrorCode {
        switch self {
        case .malformed: .malformed
        case .tooLarge: .tooLarge
        case .recordsRefused(let records): records.first?.code ?? .malformed
        case .unknownCursor: .unknownCursor
        case .quotaExceeded: .quotaExceeded
        case .nameTaken: .nameTaken
        case .refused: .refused
        case .actorForked: .actorForked
        case .storeRestored: .storeRestored
        case .generationClosed: .generationClosed
        case .resyncRequired: .resyncRequired
        case .circleChanged: .circleChanged
        case .notFound: .notFound
        case .storageFailed: .storageFailed
        case .fileExists, .notAStore, .damaged, .newerVersion: .internalError
        }
    }
}

extension StoreError {
    init(_ refusal: Refusal) {
        self =
            switch refusal {
            case .malformed: .malformed
            case .tooLarge: .tooLarge
            case .notMember: .refused
            case .storeRestored, .historyWentBack: .storeRestored
            case .unknownCursor: .unknownCursor
            case .resyncRequired: .resyncRequired
            case .generationClosed: .generationClosed
            case .actorForked: .actorForked
            case .writes(let writes):
                .recordsRefused(writes.map { RefusedRecord(counter: $0.counter, code: $0.code) })
            case .quotaExceeded: .quotaExceeded
            case .circleChanged: .circleChanged
            }
    }
}

extension RefusedWrite {
    fileprivate var code: ErrorCode {
        switch reason {
        case .malformed: .malformed
        case .tooLarge: .tooLarge
        case .siblingsFull: .siblingsFull
        }
    }
}
