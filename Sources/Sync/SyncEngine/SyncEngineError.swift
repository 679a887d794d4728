/// Why sync cannot go on by itself.
///
/// No case carries contents, so an error is always safe to log.
package enum SyncEngineError: Error, Equatable {
    /// The database lacks something, or part of it cannot be read; `sync-client doctor` says more.
    case corruptDatabase
    /// There is no account on this device yet.
    case noAccount
    /// An edit has grown larger than a record may be.
    case tooLarge
}
