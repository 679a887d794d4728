internal import KSMerging
package import KSWire

/// Why the store did not do what it was asked.
///
/// No case carries names or contents, so an error is always safe to log. Unless a case says
/// otherwise, nothing was stored.
package enum StoreError: Error, Equatable {
    /// A batch, an entry or a name that cannot be what it claims to be.
    case malformed
    /// Something is over ``Limits``.
    case tooLarge
    /// These writes of a batch cannot be taken, in order, one at least; without them the rest can.
    case recordsRefused([RefusedRecord])
    /// The cursor was never given in this history.
    case unknownCursor
    /// The account holds as much as it may.
    case quotaExceeded
    /// The account name, or the account id, is taken.
    case nameTaken
    /// Not a member of the circle's newest entry.
    case refused
    /// Another batch of this actor stands there already.
    case actorForked
    /// The request is of another life of the store; where the store noticed only now, it has begun
    /// a new one.
    case storeRestored
    /// The batch is sealed under a key generation that has ended.
    case generationClosed
    /// The cursor is older than what was removed since.
    case resyncRequired
    /// Another entry of the circle came first, or a write came before a generation's end.
    case circleChanged
    /// No such account, or no such file.
    case notFound
    /// The disk is full or broken: SQLite's extended result code.
    case storageFailed(code: Int32)
    /// A backup never overwrites.
    case fileExists
    /// The file is something else, or no file.
    case notAStore
    /// The file is a store, but SQLite's own check of it fails.
    case damaged
    /// The file was written by a newer version of this program.
    case newerVersion

    /// What the client is told.
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
