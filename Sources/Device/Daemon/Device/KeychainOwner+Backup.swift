internal import KSAgent
internal import GRDB
package import KSKeychain
internal import KSKeychainRecords
internal import KSKeyValueRecords
internal import KSKeyValues
internal import KSRecords
internal import KSSealing

extension KeychainOwner {
    /// Writes everything that may leave this device into a new file.
    ///
    /// Items and entries are read on the queue of all writes, so they are of one moment.
    /// - Returns: how many items, and how many entries of key-value stores.
    package func backUp(to path: String, passphrase: [UInt8]) throws -> (items: Int, entries: Int) {
        let items = try keychain.backup(past: past)
        let entries = try keyValueStore.backup()
        try BackupFile.write(
            items.map(\.encoded) + entries.map(\.encoded),
            to: path,
            passphrase: passphrase,
            random: files.random
        )
        return (items.count, entries.count)
    }

    /// Merges the items and entries of a backup into this device's, all of them or none.
    ///
    /// `isFirstSyncDue`: the account may have entries that have not arrived. Counters would then
    /// count twice, so key-value stores are refused.
    package func restore(
        from path: String,
        passphrase: [UInt8],
        isFirstSyncDue: Bool
    ) throws -> (items: RestoreCounts, entries: RestoreCounts) {
        let parts = try BackupFile.read(path, passphrase: passphrase)
        let items = try parts.filter { !BackupEntry.isEntry($0) }.map {
            part throws(KeychainError) in
            try BackupItem(decoding: part)
        }
        let entries = try parts.filter(BackupEntry.isEntry).map { part throws(KeychainError) in
            try BackupEntry(restoring: part)
        }
        guard entries.isEmpty || !isFirstSyncDue else {
            throw CommandFailure.refused(
                "This device has not received the account's records yet: run sync-client sync,"
                    + " then restore."
            )
        }
        var refused: RefusedEntry?
        do {
            return try keychain.write { database in
                let counts = try keychain.restore(items, past: past, in: database)
                do {
                    return (counts, try keyValueStore.restore(entries, in: database))
                } catch let error as RefusedEntry {
                    refused = error
                    throw error
                }
            }
        } catch {
            guard let refused else { throw error }
            throw CommandFailure.refused(
                "Nothing was restored: the key \(refused.name.key) of the store"
                    + " \(refused.name.store.text). \(refused.error.sentence)"
            )
        }
    }

    /// The account's history of an item.
    private var past: (Item, Database) throws -> ItemPast? {
        { [keys] item, database in
            guard let history = try keys?.history(of: item.key, in: database) else { return nil }
            let milliseconds = history.versions.first?.milliseconds
            return ItemPast(
                // The current one is first, then conflicts and superseded ones, newest first.
                secrets: history.versions.dropFirst().map(\.secret).reversed(),
                changedSeconds: milliseconds.map { AgentDate(milliseconds: $0).secondsSince2001 }
            )
        }
    }
}

extension BackupEntry {
    /// - Throws: ``KeychainError/newerFormat``, ``KeychainError/decode``.
    fileprivate init(restoring part: [UInt8]) throws(KeychainError) {
        do throws(RecordsError) {
            try self.init(decoding: part)
        } catch .formatTooNew {
            throw .newerFormat
        } catch {
            throw .decode
        }
    }
}
