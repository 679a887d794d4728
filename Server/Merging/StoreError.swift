package import KSWire

/// Why a store refuses a batch, an entry, a name or a cursor, or why a call of it failed.
///
/// No case carries names or contents, so an error is always safe to log. Unless a case says
/// otherwise, nothing was stored.
package enum StoreError: Error, Equatable {
    /// The request is refused with this code.
    case refused(ErrorCode)
    /// These writes of a batch, at least one, cannot be accepted; the others can.
    case writes([RefusedRecord])
    /// The sender is not a member of the circle's newest entry.
    case notMember
    /// The sender has seen a write that this store does not know: the store went back.
    case historyWentBack
    /// No such account, or no such file.
    case notFound
    /// The disk is full or broken: SQLite's extended result code.
    case storageFailed(code: Int32)
    /// The database of several servers has not done what it was asked for.
    case database(DatabaseTrouble)
    /// A migration of the database has ended half-way, or a part of its tables is missing.
    case migrationUnfinished
    /// The backup's file exists, and is never overwritten.
    case fileExists
    /// The file is not a store.
    case notAStore
    /// The file is a store, but SQLite's own check of it fails.
    case damaged
    /// There is no store, but the copy of a backup whose restore did not end.
    case restoreUnfinished
    /// A copy into this store has begun and not ended.
    case copyUnfinished
    /// Another program uses the store: a server, or a copy.
    case inUse
    /// A copy needs an empty store.
    case notEmpty
    /// The file was written by a newer version of this program.
    case newerVersion
    /// The store is of an older version of this program, and is not to be changed.
    case olderVersion

    /// Whether the store saves a new epoch of the account with this error.
    package var beginsEpoch: Bool { self == .historyWentBack }

    /// The code for the client.
    package var code: ErrorCode {
        switch self {
        case .refused(let code): code
        case .writes(let writes): writes.first?.code ?? .malformed
        case .notMember: .refused
        case .historyWentBack: .storeRestored
        case .notFound: .notFound
        case .storageFailed: .storageFailed
        case .database(let trouble): trouble.isTemporary ? .unavailable : .storageFailed
        case .fileExists, .notAStore, .damaged, .restoreUnfinished, .newerVersion, .olderVersion,
            .migrationUnfinished, .copyUnfinished, .inUse, .notEmpty:
            .internalError
        }
    }
}
