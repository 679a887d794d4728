internal import Foundation
package import GRDB
package import KSRecords

// Ties between records: a rename deletes an item in one record and adds it in another. The row of
// the deletion names the other record. Several renames can form a chain, or a circle.

extension OutboxTable {
    /// Moves the ties of a record to another one, after its item was renamed again unsent.
    ///
    /// - Parameters:
    ///   - record: where the item was added before; nothing is tied to it any more.
    ///   - other: where the item is added now; nil if it was deleted.
    ///   - database: the transaction that makes the edit.
    /// - Returns: whether anything was tied to the record.
    /// - Throws: what the database throws.
    @discardableResult
    package func moveTies(
        of record: RecordID,
        to other: RecordID?,
        in database: Database
    ) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: """
                UPDATE outbox SET moved_to = CASE WHEN record = ?2 THEN NULL ELSE ?2 END
                WHERE moved_to = ?1
                """
        )
        try statement.execute(arguments: [Data(record.bytes), other.map { Data($0.bytes) }])
        return database.changesCount > 0
    }

    /// Forgets where a record's item went, because its deletion is in a batch now.
    package func untie(_ record: RecordID, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: "UPDATE outbox SET moved_to = NULL WHERE record = ?"
        )
        try statement.execute(arguments: [Data(record.bytes)])
    }

    /// The record to which an unsent rename moved this one's item.
    package func target(of record: RecordID, in database: Database) throws -> RecordID? {
        let statement = try database.cachedStatement(
            sql: "SELECT moved_to FROM outbox WHERE record = ?"
        )
        return try Data.fetchOne(statement, arguments: [Data(record.bytes)])
            .flatMap { RecordID(Array($0)) }
    }

    /// The records whose items unsent renames moved to this one.
    package func sources(of record: RecordID, in database: Database) throws -> [Waiting] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT record, kind, moved_to, protection FROM outbox WHERE moved_to = ? ORDER BY id
                """
        )
        return try waiting(
            in: Row.fetchAll(statement, arguments: [Data(record.bytes)]),
            database
        )
    }

    /// The end of a record's chain of renames, or the record itself: it is sealed before, or with,
    /// all others.
    package func end(ofChainWith first: Waiting, in database: Database) throws -> Waiting {
        let statement = try database.cachedStatement(
            sql: "SELECT record, kind, moved_to, protection FROM outbox WHERE record = ?"
        )
        var last = first
        var seen: Set<RecordID> = [first.record]
        while let target = last.movedTo, seen.insert(target).inserted {
            let rows = try Row.fetchAll(statement, arguments: [Data(target.bytes)])
            guard let next = try waiting(in: rows, database).first else { break }
            last = next
        }
        return last
    }

    /// A record and all records that renames tie it to.
    package func group(of first: Waiting, in database: Database) throws -> [Waiting] {
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

    /// Sets an edit aside, together with those of all records that renames tie it to.
    package func blockGroup(
        of record: RecordID,
        because reason: BlockedReason,
        in database: Database
    ) throws {
        let statement = try database.cachedStatement(
            sql: "SELECT record, kind, moved_to, protection FROM outbox WHERE record = ?"
        )
        let rows = try Row.fetchAll(statement, arguments: [Data(record.bytes)])
        guard let waiting = try waiting(in: rows, database).first else { return }
        let others = Set(try blocked(in: database).map(\.record))
        for tied in try group(of: waiting, in: database) where tied.record != record {
            // An edit that was blocked for a reason of its own keeps it.
            guard !others.contains(tied.record) else { continue }
            try block(tied.record, because: .otherHalf, in: database)
        }
        try block(record, because: reason, in: database)
    }
}
