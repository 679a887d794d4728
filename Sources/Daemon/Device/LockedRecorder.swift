package import GRDB
package import KSKeychain
internal import KSKeyValueRecords
package import KSKeyValues
package import KSResolution

/// Stands for the outbox while the keys to it are not there, before the first unlock or because
/// they are damaged: a synced item cannot be changed then, since the change could not be noted.
package struct LockedRecorder: ChangeRecorder, EntryRecorder {
    package var error = KeychainError.interactionNotAllowed
    /// Never asked for: nothing is recorded.
    package var deviceName: String { "" }

    package func record(_ change: ItemChange, in database: Database) throws {
        throw error
    }

    /// Nor is an item deleted in whose place the account may have one.
    package func recorded(at key: ItemKey, in database: Database) throws -> RecordedItem {
        throw error
    }

    package func record(of name: EntryName, in database: Database) throws -> LocalRecord {
        throw error
    }

    package func records(
        in database: Database
    ) throws -> (readable: [LocalRecord], areAll: Bool) {
        throw error
    }

    package func save(
        _ record: LocalRecord,
        of name: EntryName,
        in database: Database
    ) throws {
        throw error
    }
}
