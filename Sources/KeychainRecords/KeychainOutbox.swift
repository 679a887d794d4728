package import GRDB
package import KSKeychain
internal import KSResolution
internal import KSSealing
package import SyncEngine

/// Records every change to a synced item in the outbox.
package struct KeychainOutbox: ChangeRecorder {
    private let outbox: Outbox<SyncedKeychain>

    /// `whenCommitted` runs once after each committed transaction that recorded a change.
    package init(
        keys: ReplicaKeys,
        clock: @escaping @Sendable () -> UInt64,
        whenCommitted: @escaping @Sendable () -> Void
    ) {
        outbox = Outbox(keys: keys, clock: clock, whenCommitted: whenCommitted)
    }

    package func record(_ change: ItemChange, in database: Database) throws {
        do {
            try outbox.note(change, in: database)
        } catch SyncEngineError.tooLarge {
            throw KeychainError.dataTooLarge
        }
    }

    package func recorded(at key: ItemKey, in database: Database) throws -> RecordedItem {
        do {
            let known = try outbox.record(forCanonicalKey: key.canonicalBytes, in: database)
            guard let record = known else { return .unknown }
            let view = record.view
            guard view.isAlive else { return .deleted(milliseconds: record.deletedMilliseconds) }
            return ItemFields.item(of: view).map(RecordedItem.present) ?? .unknown
        } catch SealingError.classLocked {
            // Otherwise the caller would assume that there is no entry.
            throw KeychainError.interactionNotAllowed
        }
    }
}
