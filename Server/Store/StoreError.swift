package import KSMerging
package import KSWire

/// Why a call of the store failed.
///
/// No case carries names or contents, so an error is always safe to log. Unless a case says
/// otherwise, nothing was stored.
package enum StoreError: Error, Equatable {
    /// A batch, an entry, a name or a cursor is refused.
    case refused(Refusal)
    /// The account name, or the account id, is taken.
    case nameTaken
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
        case .refused(let refusal): refusal.code
        case .nameTaken: .nameTaken
        case .notFound: .notFound
        case .storageFailed: .storageFailed
        case .fileExists, .notAStore, .damaged, .newerVersion: .internalError
        }
    }
}
