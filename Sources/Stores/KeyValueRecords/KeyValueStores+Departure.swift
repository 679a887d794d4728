package import GRDB
internal import KSKeyValues
internal import KSResolution

extension KeyValueStores {
    /// Turns the account's entries into entries of this device alone.
    ///
    /// An entry of a type that only a newer program knows is removed: it could not be written
    /// again.
    /// - Returns: how many entries there are now.
    package func keepWithoutAccount(in database: Database) throws -> Int {
        var count = 0
        for kept in try entries(in: database) {
            if let entry = try madeAnew(kept) {
                try keep(entry, from: .account, in: database)
                count += 1
            } else {
                try forget(kept.name, from: .account, in: database)
            }
        }
        return count
    }

    /// Replaces the unsent edit of an entry that stays the same.
    func keepUnsent(_ edit: PendingEdit, of name: EntryName, in database: Database) throws {
        let memory = try loaded(database)
        guard let kept = memory.entries[name] else { return }
        let entry = kept.entry.with(unsent: edit)
        watch(database)
        memory.set(entry, row: try rows.save(entry, at: kept.row, in: database))
    }

    /// The same entry, with the unsent edit that makes it in an account that does not have it: as
    /// if this device had set it.
    ///
    /// A counter becomes the number that it shows, and the account continues from there.
    /// - Returns: nil for an entry of a type that only a newer program knows.
    func madeAnew(_ entry: StoredEntry) throws -> StoredEntry? {
        var record = LocalRecord()
        guard try set(entry, in: &record, atMilliseconds: entry.changedMilliseconds) else {
            return nil
        }
        return StoredEntry(
            record.view,
            changedMilliseconds: entry.changedMilliseconds,
            isExternal: false,
            unsent: record.edit
        )
    }

    /// Applies to an account's record what the user did without the account: the difference from
    /// what the record shows, as for a program that sets a value that it has read.
    ///
    /// An entry that was deleted and made again with another merge type replaces the other.
    func change(
        _ record: inout LocalRecord,
        from type: MergeType?,
        to entry: StoredEntry,
        atMilliseconds clock: UInt64
    ) throws {
        var changed = record
        do {
            // Only a register can become something else.
            if let type, type != entry.type, type != .register {
                throw KeyValueError.typeMismatch(declared: type, wanted: entry.type ?? .register)
            }
            guard try set(entry, in: &changed, atMilliseconds: clock) else { return }
        } catch KeyValueError.typeMismatch, KeyValueError.wrongValue, KeyValueError.newerType {
            changed = record
            changed.delete(atMilliseconds: clock)
            _ = try set(entry, in: &changed, atMilliseconds: clock)
        }
        // The device had no name then.
        changed.set([.device: nil], atMilliseconds: clock)
        record = changed
    }

    /// Sets an entry's value and type.
    ///
    /// - Returns: false for an entry of a type that only a newer program knows.
    private func set(
        _ entry: StoredEntry,
        in record: inout LocalRecord,
        atMilliseconds clock: UInt64
    ) throws -> Bool {
        guard let type = entry.type, let value = entry.value else { return false }
        var writes = [EntryWrite.set(value, base: nil)]
        if type != .register { writes.append(.declare(type)) }
        for write in writes {
            try write.apply(
                to: &record,
                of: entry.name,
                limits: .none,
                random: { self.randomBytes($0) },
                atMilliseconds: clock
            )
        }
        return true
    }
}
