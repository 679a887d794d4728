package import GRDB
package import KSKeychain
package import KSKeyValues
internal import KSResolution

extension KeyValueStores {
    /// The entries of all stores, for a backup.
    package func backup() throws -> [BackupEntry] {
        try all().compactMap(BackupEntry.init)
    }

    /// Merges a backup's entries into the stores, as writes of now; the caller's transaction makes
    /// it all or nothing.
    ///
    /// Of two versions the one that changed last stays. A merged value is set by its difference
    /// from the present one: a counter that the account still has counts nothing twice.
    /// The present limits do not apply: the entries of a backup were allowed once.
    /// - Throws: ``RefusedEntry`` for an entry that no record can hold.
    package func restore(_ entries: [BackupEntry], in database: Database) throws -> RestoreCounts {
        var counts = RestoreCounts()
        for entry in entries { try restore(entry, &counts, in: database) }
        return counts
    }

    private func restore(
        _ entry: BackupEntry,
        _ counts: inout RestoreCounts,
        in database: Database
    ) throws {
        guard let local = try loaded(database).entries[entry.name]?.entry else {
            guard try !isDeletedSince(entry, in: database) else {
                counts.kept += 1
                return
            }
            try set(entry, type: entry.type, in: database)
            counts.added += 1
            return
        }
        if local.type == entry.type, local.value == entry.value {
            counts.unchanged += 1
        } else if local.type == entry.type, local.changedMilliseconds < entry.changedMilliseconds {
            try set(entry, type: nil, in: database)
            counts.replaced += 1
        } else {
            counts.kept += 1
        }
    }

    /// Whether the account deleted the entry after the backup's version.
    private func isDeletedSince(_ entry: BackupEntry, in database: Database) throws -> Bool {
        guard let record = try recorder?.record(of: entry.name, in: database),
            record.mirror != nil || record.stub != nil || record.onItsWay != nil,
            !record.view.isAlive
        else { return false }
        return record.deletedMilliseconds >= entry.changedMilliseconds
    }

    private func set(_ entry: BackupEntry, type: MergeType?, in database: Database) throws {
        do {
            var writes: [EntryWrite] = [.set(entry.value, base: nil)]
            if let type { writes.insert(.declare(type), at: 0) }
            // A deeper value could not be decoded again.
            try KeyValueLimits.check(depthOf: entry.value)
            for write in writes {
                try change(entry.name, .write(write), .never, database)
            }
        } catch let error as KeyValueError {
            throw RefusedEntry(name: entry.name, error: error)
        }
    }
}

/// An entry of a backup that no record can hold.
package struct RefusedEntry: Error {
    package let name: EntryName
    package let error: KeyValueError
}
