internal import KSAgent
internal import GRDB
package import KSKeychain
internal import KSKeychainRecords
internal import KSResolution
internal import KSSealing
internal import SyncEngine

extension KeychainOwner {
    /// Writes everything that may leave this device into a new file.
    ///
    /// - Returns: how many items.
    package func backUp(to path: String, passphrase: [UInt8]) throws -> Int {
        let items = try keychain.backup(past: past)
        try BackupFile.write(
            items.map(\.encoded),
            to: path,
            passphrase: passphrase,
            random: files.random
        )
        return items.count
    }

    /// Puts what is in a file beside what is here.
    package func restore(from path: String, passphrase: [UInt8]) throws -> RestoreCounts {
        let entries = try BackupFile.read(path, passphrase: passphrase)
        let items = try entries.map { entry throws(KeychainError) in
            try BackupItem(decoding: entry)
        }
        return try keychain.restore(items, past: past)
    }

    /// What the account knows of an item.
    private var past: (Item, Database) throws -> ItemPast? {
        { [keys] item, database in
            guard let keys else { return nil }
            let id = keys.keyRing.recordID(forCanonicalKey: item.key.canonicalBytes)
            let shelf = RecordShelf(rows: keys.rows)
            guard let history = try shelf.history(of: id, in: database) else { return nil }
            let milliseconds = history.versions.first?.milliseconds
            return ItemPast(
                // The current one stands first, then conflicts and the superseded, newest first.
                secrets: history.versions.dropFirst().map(\.secret).reversed(),
                changedSeconds: milliseconds.map { AgentDate(milliseconds: $0).secondsSince2001 }
            )
        }
    }
}
