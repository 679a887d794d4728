package import GRDB
internal import KSRecords
internal import KSResolution

// The server removes a deleted record once every active device has applied the deletion. Nobody has
// to know the record then, so this device forgets it too.

extension Replica {
    /// How many deleted records are forgotten in one transaction.
    private static var forgottenMax: Int { 500 }

    /// Forgets the deleted records that the server has removed.
    ///
    /// Called after a last page: it has shown each record that the server holds at its latest seq.
    /// So a deleted record up to the server's removal horizon is one that the server has removed.
    ///
    /// `horizon`: as the page says.
    package func forgetRemoved(upTo horizon: UInt64) throws {
        guard horizon > 0, try state().completeSeq == nil, try state().cursor != nil else { return }
        var last: Int64? = 0
        var count = 0
        while let after = last {
            last = try database.write { database in
                // What the user is asked about may have to come back.
                guard try !Return.isUnderWay(in: database), try self.forgetOldRecent(in: database)
                else { return nil }
                let page = try self.shelf.mirrors.removableStubs(
                    upTo: horizon,
                    after: after,
                    limit: Self.forgottenMax,
                    in: database
                )
                for record in page.records {
                    try self.shelf.mirrors.delete(record, in: database)
                }
                count += page.records.count
                return page.lastID
            }
        }
        if count > 0 { try OldDeletions.forget(of: stores, atMilliseconds: clock(), in: database) }
    }
}

/// What is left of entries that were deleted long ago, with an account or without.
package enum OldDeletions {
    /// How many pages of the file one step gives back.
    private static let givenPagesMax = 2000

    /// Forgets it, and gives the space that was free to the file system.
    ///
    /// - Parameters:
    ///   - stores: those of the device.
    ///   - now: milliseconds since 1970.
    ///   - database: the device's.
    /// - Throws: what the stores and the database throw.
    package static func forget(
        of stores: [any SyncedStore],
        atMilliseconds now: UInt64,
        in database: any DatabaseWriter
    ) throws {
        try database.write { database in
            try DeletedHistoryTable.deleteOld(atMilliseconds: now, in: database)
            // A deletion that waits may be rebuilt from what its store remembers.
            guard try !database.hasRow("SELECT 1 FROM outbox WHERE blocked IS NULL"),
                try !Departure.hasBatch(in: database)
            else { return }
            for store in stores { try store.forgetOldDeletions(in: database) }
        }
        try giveSpaceBack(of: database)
    }

    /// Gives the space that forgotten rows took back to the file system, some pages at a time.
    private static func giveSpaceBack(of database: any DatabaseWriter) throws {
        try database.writeWithoutTransaction { database in
            func count(_ pragma: String) throws -> Int {
                try Int.fetchOne(database, sql: "PRAGMA " + pragma) ?? 0
            }
            var free = try count("freelist_count")
            // A few free pages are used again soon.
            while free > 8, try free > count("page_count") / 50 {
                _ = try Row.fetchAll(
                    database,
                    sql: "PRAGMA incremental_vacuum(\(givenPagesMax))"
                )
                let left = try count("freelist_count")
                guard left < free else { return }
                free = left
            }
        }
    }
}

extension Replica {
    /// What a pull says now, for the removal of deleted records.
    func pullNote() throws -> PullNote {
        try database.unsafeRead { database in
            var note = PullNote()
            note.completeSeq = try self.state(in: database).completeSeq
            note.hasBatch = try self.shelf.batches.exists(in: database)
            return note
        }
    }
}

extension MirrorTable {
    /// Some of the deleted records up to a seq of which nothing waits here, by the ids of their
    /// rows.
    ///
    /// - Returns: the records, and the last row that was looked at; nil if it was the last of all.
    fileprivate func removableStubs(
        upTo seq: UInt64,
        after id: Int64,
        limit: Int,
        in database: Database
    ) throws -> (records: [RecordID], lastID: Int64?) {
        let rows = try database.rows(
            """
            SELECT id, record, dots FROM mirror
            WHERE is_stub = 1 AND seq <= ?1 AND id > ?2
                AND NOT EXISTS (SELECT 1 FROM outbox WHERE record = mirror.record)
                AND NOT EXISTS (SELECT 1 FROM batch_record WHERE record = mirror.record)
                AND NOT EXISTS (SELECT 1 FROM waiting WHERE record = mirror.record)
                AND NOT EXISTS (SELECT 1 FROM rewrite WHERE record = mirror.record)
                AND NOT EXISTS (SELECT 1 FROM sibling_quarantine WHERE record = mirror.record)
                AND NOT EXISTS (SELECT 1 FROM uncompared WHERE record = mirror.record)
            ORDER BY id LIMIT ?3
            """,
            [seq.column, id, limit]
        )
        let records: [RecordID] = try rows.compactMap { row in
            // The server keeps a record with a living sibling.
            let siblings = try MirrorRow.decodeSiblings(row.bytes("dots"))
            return siblings.allSatisfy(\.isTombstone) ? try row.fixed("record") : nil
        }
        return (records, rows.count == limit ? rows.last?["id"] : nil)
    }

    fileprivate func delete(_ record: RecordID, in database: Database) throws {
        try database.run("DELETE FROM mirror WHERE record = ?", [record.column])
    }
}
