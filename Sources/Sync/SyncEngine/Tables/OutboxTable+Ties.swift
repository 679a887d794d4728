internal import GRDB
internal import KSRecords

// Ties between records whose edits go in one batch: a rename deletes an entry in one record and
// adds it in another, and a transaction changes several. The row of one names the other record.
// Several renames can form a chain, or a circle.

extension OutboxTable {
    /// Moves the ties of a record to another one, after its entry was renamed again unsent.
    ///
    /// - Parameters:
    ///   - record: where the entry was added before; nothing is tied to it any more.
    ///   - other: where the entry is added now; nil if it was deleted.
    ///   - database: the transaction that makes the edit.
    /// - Returns: whether anything was tied to the record.
    /// - Throws: what the database throws.
    @discardableResult
    func moveTies(of record: RecordID, to other: RecordID?, in database: Database) throws -> Bool {
        try database.run(
            """
            UPDATE outbox SET tied_to = CASE WHEN record = ?2 THEN NULL ELSE ?2 END
            WHERE tied_to = ?1
            """,
            [record.column, other?.column]
        )
        return database.changesCount > 0
    }

    /// Ties records whose edits one transaction made, together with all that they are tied to.
    ///
    /// All are tied to one of them, and none to itself, so no circle is made.
    func tie(_ records: [RecordID], in database: Database) throws {
        var ends: [RecordID] = []
        for record in records {
            guard let waiting = try waiting(record, in: database) else { continue }
            let end = try end(ofChainWith: waiting, in: database).record
            if !ends.contains(end) { ends.append(end) }
        }
        guard let first = ends.first else { return }
        for end in ends.dropFirst() {
            try database.run(
                "UPDATE outbox SET tied_to = ?1 WHERE record = ?2 OR tied_to = ?2 AND record != ?1",
                [first.column, end.column]
            )
        }
    }

    /// Forgets where a record's entry went, because its deletion is in a batch now.
    func untie(_ record: RecordID, in database: Database) throws {
        try database.run("UPDATE outbox SET tied_to = NULL WHERE record = ?", [record.column])
    }

    /// The record that this one's edit is tied to.
    func target(of record: RecordID, in database: Database) throws -> RecordID? {
        try database.rows(
            "SELECT tied_to FROM outbox WHERE record = ? AND tied_to IS NOT NULL",
            [record.column]
        ).first.flatMap { RecordID($0.bytes("tied_to")) }
    }

    /// The records whose edits are tied to this one's.
    func sources(of record: RecordID, in database: Database) throws -> [Waiting] {
        try waiting("tied_to = ? ORDER BY id", record.column, in: database)
    }

    private func waiting(_ record: RecordID, in database: Database) throws -> Waiting? {
        try waiting("record = ?", record.column, in: database).first
    }

    /// The end of a record's chain of ties, or the record itself: it is sealed before, or with,
    /// all others.
    func end(ofChainWith first: Waiting, in database: Database) throws -> Waiting {
        var last = first
        var seen: Set<RecordID> = [first.record]
        while let target = last.tiedTo, seen.insert(target).inserted {
            guard let next = try waiting(target, in: database) else { break }
            last = next
        }
        return last
    }

    /// A record and all records that it is tied to, or that are tied to it.
    func group(of first: Waiting, in database: Database) throws -> [Waiting] {
        var group = [try end(ofChainWith: first, in: database)]
        var seen = Set(group.map(\.record))
        var next = 0
        while next < group.count {
            let sources = try sources(of: group[next].record, in: database)
            group += sources.filter { seen.insert($0.record).inserted }
            next += 1
        }
        return group
    }

    /// Blocks an edit, together with those of all records in its group.
    func blockGroup(
        of record: RecordID,
        because reason: BlockedReason,
        in database: Database
    ) throws {
        guard let waiting = try waiting(record, in: database) else { return }
        // An edit that was blocked for a reason of its own keeps it.
        let done = Set(try blocked(in: database).map(\.record) + [record])
        for tied in try group(of: waiting, in: database) where !done.contains(tied.record) {
            try block(tied.record, because: .tied, in: database)
        }
        try block(record, because: reason, in: database)
    }
}
