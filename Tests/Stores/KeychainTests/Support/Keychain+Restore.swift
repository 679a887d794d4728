import GRDB
import KSKeychain

extension ItemStore {
    /// The items of a backup, read in a transaction of its own.
    func backup() throws(ItemStoreError) -> [BackupItem] {
        try write { try backup(in: $0) }
    }

    /// Merges a backup's items in a transaction of its own.
    func restore(_ items: [BackupItem]) throws(ItemStoreError) -> [RestoredItem] {
        try write { database in try items.map { try restore($0, in: database) } }
    }
}
