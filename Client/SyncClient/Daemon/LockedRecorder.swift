internal import GRDB
internal import KSKeychain

/// Stands for the outbox while the keys to it are not there, before the first unlock or because
/// they are damaged: a synced item cannot be changed then, since the change could not be noted.
struct LockedRecorder: ChangeRecorder {
    var error = KeychainError.interactionNotAllowed

    func record(_ change: ItemChange, in database: Database) throws {
        throw error
    }

    /// Nor is an item deleted in whose place the account may have one.
    func recorded(at key: ItemKey, in database: Database) throws -> RecordedItem {
        throw error
    }
}
