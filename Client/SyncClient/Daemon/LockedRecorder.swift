internal import GRDB
internal import Keychain

/// Stands for the outbox before the first unlock, when the keys to it are not there: a synced item
/// cannot be changed then, since the change could not be noted.
struct LockedRecorder: ChangeRecorder {
    func record(_ change: ItemChange, in database: Database) throws {
        throw KeychainError.interactionNotAllowed
    }
}
