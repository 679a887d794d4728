internal import GRDB
internal import KSRecords
internal import KSResolution
internal import KSSealing

/// The rows of `outbox`: unsent edits that no batch holds.
struct OutboxTable: Sendable {
    let rows: SealedRows

    /// A record with an unsent edit, and how it is kept.
    struct Waiting: Equatable, Sendable {
        let record: RecordID
        let kind: RecordKind
        /// The record that goes in the same batch: a rename moved this one's entry there, or one
        /// transaction changed both.
        var tiedTo: RecordID?
        let protection: ProtectionClass
    }

    /// Saves the record's edit, or deletes its row if there is none.
    ///
    /// Without `tiedTo`, the row keeps an earlier one. `isNew`: the user has just made the edit,
    /// and it goes behind all others. Edits are sealed in the order of their times, since stamps
    /// only rise. A blocked edit is tried again.
    func save(
        _ edit: PendingEdit?,
        of waiting: Waiting,
        isNew: Bool = false,
        in database: Database
    ) throws {
        guard let edit else {
            return try database.run("DELETE FROM outbox WHERE record = ?", [waiting.record.column])
        }
        let sealed = try rows.seal(
            edit.encoded,
            table: .outbox,
            record: waiting.record,
            kind: waiting.kind,
            protection: waiting.protection
        )
        try database.run(
            """
            INSERT INTO outbox (record, kind, tied_to, protection, edit, revision, is_put_up)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (record) DO UPDATE SET is_put_up = excluded.is_put_up,
                tied_to = coalesce(excluded.tied_to, tied_to), blocked = NULL,
                \(isNew ? "id = (SELECT max(id) + 1 FROM outbox)," : "")
                protection = excluded.protection, edit = excluded.edit, revision = excluded.revision
            """,
            [
                waiting.record.column, waiting.kind.column, waiting.tiedTo?.column,
                waiting.protection.column, sealed.box.column, sealed.revision.column,
                edit.isPutUp,
            ]
        )
    }

    /// Whether an edit holds what the server lost, blocked or not.
    func hasPutUps(in database: Database) throws -> Bool {
        try database.hasRow("SELECT 1 FROM outbox WHERE is_put_up = 1")
    }

    func isEmpty(in database: Database) throws -> Bool {
        try !database.hasRow("SELECT 1 FROM outbox WHERE blocked IS NULL")
    }

    /// Blocks an edit until it is changed or its record is pulled again.
    ///
    /// `reason`: nil lets it be sent.
    func block(_ record: RecordID, because reason: BlockedReason?, in database: Database) throws {
        try database.run(
            "UPDATE outbox SET blocked = ? WHERE record = ?",
            [reason?.rawValue, record.column]
        )
    }

    /// The blocked edits, in the order in which they were made.
    func blocked(in database: Database) throws -> [OpenRecords.Record<BlockedReason>] {
        try database.rows(
            "SELECT record, blocked FROM outbox WHERE blocked IS NOT NULL ORDER BY id"
        ).map { row in
            OpenRecords.Record(
                record: try row.fixed("record"),
                // Only a newer program knows this name, or the disk has a fault.
                reason: BlockedReason(rawValue: row["blocked"]) ?? .damaged
            )
        }
    }

    /// Whether edits may be sent that do not fill a batch.
    func hasFew(in database: Database) throws -> Bool {
        let count = try Int.fetchOne(
            database.cachedStatement(
                sql: "SELECT count(*) FROM (SELECT 1 FROM outbox WHERE blocked IS NULL LIMIT ?)"
            ),
            arguments: [Limits.batchRecordsMax]
        )
        return (1..<Limits.batchRecordsMax).contains(count ?? 0)
    }

    /// The records that wait longest, as many as a batch may hold.
    func oldest(
        _ limit: Int = Limits.batchRecordsMax,
        in database: Database
    ) throws -> [Waiting] {
        try waiting("blocked IS NULL ORDER BY id LIMIT ?", limit, in: database)
    }

    /// Reads the rows with this condition, and blocks damaged ones.
    func waiting(
        _ condition: String,
        _ value: any DatabaseValueConvertible,
        in database: Database
    ) throws -> [Waiting] {
        try database.rows(
            "SELECT record, kind, tied_to, protection FROM outbox WHERE \(condition)",
            [value]
        ).compactMap { row in
            switch try Kept({ try Waiting(row) }) {
            case .kept(let waiting): return waiting
            case .none: return nil
            case .damaged:
                try block(row.fixed("record"), because: .damaged, in: database)
                return nil
            }
        }
    }
}

extension OutboxTable.Waiting {
    init(_ row: Row) throws {
        record = try row.fixed("record")
        kind = try RecordKind(column: row["kind"])
        tiedTo = row["tied_to"] == nil ? nil : RecordID(row.bytes("tied_to"))
        protection = try ProtectionClass(column: row["protection"])
    }
}
