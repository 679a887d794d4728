internal import GRDB
internal import KSKeyValues
internal import KSResolution
internal import KSSealing

extension KeyValueStores {
    /// Rebuilds entries from the account's records: those whose rows are damaged, and those that
    /// only a newer program could read, since this one may be that program now.
    ///
    /// Without an account, the entry of a damaged row is nowhere else, so the row stays: a restored
    /// key file may open it again. With an account, the damaged rows are deleted once every record
    /// could be read.
    /// - Returns: how many entries were rebuilt.
    @discardableResult
    package func repair() throws -> Int {
        guard let recorder else { return 0 }
        return try database.write { database in
            let memory = try loaded(database)
            let hasNewer = memory.entries.values.contains { $0.entry.type == nil }
            guard hasNewer || !memory.damaged.isEmpty else { return 0 }
            let (records, areAll) = try recorder.records(in: database)
            var count = 0
            for record in records {
                guard let entry = rebuilt(record.view, of: recorder.deviceName),
                    memory.entries[entry.name]?.entry.type == nil
                else { continue }
                if try keep(entry, from: .account, in: database) { count += 1 }
            }
            if areAll, !memory.damaged.isEmpty {
                // A rollback forgets the memory, so that the rows are read again.
                watch(database)
                for row in memory.damaged { try rows.delete(row, in: database) }
                memory.damaged = []
            }
            return count
        }
    }

    /// Deletes the rows that cannot be read.
    ///
    /// - Returns: how many there were; 0 before the first unlock, when none can be read.
    package func discardDamaged() throws -> Int {
        do {
            return try deleteDamaged()
        } catch SealingError.classLocked {
            return 0
        }
    }

    private func deleteDamaged() throws -> Int {
        try database.write { database in
            let memory = try loaded(database)
            let count = memory.damaged.count
            watch(database)
            for row in memory.damaged { try rows.delete(row, in: database) }
            memory.damaged = []
            return count
        }
    }

    /// The entry that a state shows; nil for a deleted one.
    private func rebuilt(_ view: RecordState, of device: String) -> StoredEntry? {
        guard view.isAlive, let reading = EntryReading(view) else { return nil }
        return StoredEntry(view, isExternal: reading.device != device)
    }
}
