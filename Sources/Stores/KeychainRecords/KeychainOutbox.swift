package import GRDB
package import KSKeychain
internal import KSResolution
internal import KSSealing
package import KSSyncEngine

/// Records every change to a synced item.
package typealias KeychainOutbox = Outbox<SyncedKeychain>

extension Outbox: ChangeRecorder where Store == SyncedKeychain {
    package func record(_ change: ItemChange, in database: Database) throws {
        do {
            try note(change, in: database)
        } catch SyncEngineError.tooLarge {
            throw ItemStoreError.dataTooLarge
        }
    }

    package func recorded(at key: ItemKey, in database: Database) throws -> RecordedItem {
        do {
            let known = try record(forCanonicalKey: key.canonicalBytes, in: database)
            guard let record = known else { return .unknown }
            let view = record.view
            guard view.isAlive else { return .deleted(milliseconds: record.deletedMilliseconds) }
            return SyncedKeychain.entry(of: view).map(RecordedItem.present) ?? .unknown
        } catch SealingError.classLocked {
            // `.unknown` would make the caller assume that there is no record.
            throw ItemStoreError.interactionNotAllowed
        }
    }
}
