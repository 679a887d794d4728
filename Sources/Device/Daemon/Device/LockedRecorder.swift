package import GRDB
package import KSKeychain
internal import KSKeyValueRecords
package import KSKeyValues
package import KSResolution

/// Refuses changes of synced items while the outbox's keys are missing, before the first unlock or
/// because they are damaged: the outbox could not record the changes.
package struct LockedRecorder: ChangeRecorder, EntryRecorder {
    package var error = ItemStoreError.interactionNotAllowed
    /// Never asked for: nothing is recorded.
    package var deviceName: String { "" }

    package func mergeLimits(in database: Database) throws -> MergeLimits { throw error }

    package func record(_ change: ItemChange, in database: Database) throws {
        throw error
    }

    /// Also refuses to delete an item of this device alone that may hide one of the account.
    package func recorded(at key: ItemKey, in database: Database) throws -> RecordedItem {
        throw error
    }

    package func record(of name: EntryName, in database: Database) throws -> LocalRecord {
        throw error
    }

    package func records(in database: Database) throws -> (readable: [LocalRecord], areAll: Bool) {
        throw error
    }

    package func save(_ record: LocalRecord, of name: EntryName, in database: Database) throws {
        throw error
    }

    package func sendTogether(_ names: [EntryName], in database: Database) throws {
        throw error
    }
}
