import GRDB
import KSKeychain

extension Keychain {
    /// Merges a backup's items in a transaction of its own.
    func restore(
        _ items: [BackupItem],
        past: (Item, Database) throws -> ItemPast?
    ) throws(KeychainError) -> RestoreCounts {
        try write { try restore(items, past: past, in: $0) }
    }
}
