package import GRDB
internal import KSKeyValues
internal import KSResolution

extension KeyValueStores {
    /// Makes the entries of an account those of this device alone, as if it had set each of them.
    ///
    /// A counter becomes the number that it shows, so the next account counts on from there. An
    /// entry of a type that only a newer program knows is removed: it could not be written again.
    /// - Returns: how many entries there are now.
    package func keepWithoutAccount(in database: Database) throws -> Int {
        var count = 0
        for kept in try entries(in: database) {
            guard let type = kept.type, let value = kept.value else {
                try forget(kept.name, from: .account, in: database)
                continue
            }
            var writes = [EntryWrite.set(value, base: nil)]
            if type != .register { writes.append(.declare(type)) }
            var record = LocalRecord()
            for write in writes {
                try write.apply(
                    to: &record,
                    of: kept.name,
                    limits: .none,
                    random: { self.randomBytes($0) },
                    atMilliseconds: kept.changedMilliseconds
                )
            }
            let entry = StoredEntry(
                record.view,
                changedMilliseconds: kept.changedMilliseconds,
                isExternal: false,
                unsent: record.edit
            )
            guard let entry else { continue }
            try keep(entry, from: .account, in: database)
            count += 1
        }
        return count
    }
}
