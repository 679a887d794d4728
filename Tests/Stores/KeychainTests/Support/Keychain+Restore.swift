import GRDB
import KSKeychain

extension Keychain {
    /// The items of a backup, read in a transaction of its own.
    func backup() throws(KeychainError) -> [BackupItem] {
        try write { try backup(in: $0) }
    }

    /// Merges a backup's items in a transaction of its own.
    func restore(_ items: [BackupItem]) throws(KeychainError) -> [RestoredItem] {
        try write { database in try items.map { try restore($0, in: database) } }
    }
}
