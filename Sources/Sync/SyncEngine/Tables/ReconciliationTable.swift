internal import GRDB
internal import KSCausality
internal import KSRecords

/// The row of `reconciliation`, and the marks of `uncompared`.
enum ReconciliationTable {
    static func load(from database: Database) throws -> Reconciliation? {
        let row = try database.rows("SELECT * FROM reconciliation").first
        return try row.map { row in
            var found = Reconciliation.Found()
            found.putUp = try row.unsigned("put_up")
            found.deletedAgain = try row.unsigned("deleted_again")
            found.missing = try row.unsigned("missing")
            return Reconciliation(
                step: try (row["step"] as String?).map {
                    try Reconciliation.Step(rawValue: $0).orCorrupt()
                },
                reason: try Reconciliation.Reason(rawValue: row["reason"]).orCorrupt(),
                dueMilliseconds: try row.unsigned("due_ms"),
                starts: try row.unsigned("starts"),
                startMilliseconds: try row.unsigned("start_ms"),
                endedMilliseconds: (row["ended_ms"] as Int64?).map(UInt64.init(clamping:)),
                found: found
            )
        }
    }

    static func save(_ reconciliation: Reconciliation, in database: Database) throws {
        let found = reconciliation.found
        try database.run(
            """
            INSERT OR REPLACE INTO reconciliation
                (id, step, reason, due_ms, starts, start_ms, ended_ms, put_up, deleted_again,
                 missing)
            VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                reconciliation.step?.rawValue, reconciliation.reason.rawValue,
                reconciliation.dueMilliseconds.column, reconciliation.starts.column,
                reconciliation.startMilliseconds.column, reconciliation.endedMilliseconds?.column,
                found.putUp.column, found.deletedAgain.column, found.missing.column,
            ]
        )
    }

    /// Counts further records.
    static func add(_ further: Reconciliation.Found, in database: Database) throws {
        try database.run(
            """
            UPDATE reconciliation SET put_up = put_up + ?, deleted_again = deleted_again + ?,
                missing = missing + ?
            """,
            [further.putUp.column, further.deletedAgain.column, further.missing.column]
        )
    }

    // MARK: Marks

    /// Marks every record that the device knows.
    static func markAll(in database: Database) throws {
        try database.run("INSERT OR IGNORE INTO uncompared SELECT record FROM mirror")
    }

    /// Whether the record was marked; it no longer is.
    static func takeMark(of record: RecordID, in database: Database) throws -> Bool {
        try database.run("DELETE FROM uncompared WHERE record = ?", [record.column])
        return database.changesCount > 0
    }

    /// Some of the marked records: those that come next after the actor's number, around the end.
    ///
    /// Devices that put up what the server lost at the same time so begin at different records, and
    /// each leaves out what another one has sent.
    static func marked(
        _ limit: Int,
        for actor: ActorID,
        in database: Database
    ) throws -> [RecordID] {
        let start = unsafe withUnsafeBytes(of: actor.rawValue.bigEndian) { unsafe Array($0) }
        var rows = try database.rows(
            "SELECT record FROM uncompared WHERE record >= ? ORDER BY record LIMIT ?",
            [start.column, limit]
        )
        if rows.isEmpty {
            rows = try database.rows(
                "SELECT record FROM uncompared ORDER BY record LIMIT ?",
                [limit]
            )
        }
        return try rows.map { try $0.fixed("record") }
    }

    static func areAllCompared(in database: Database) throws -> Bool {
        try !database.hasRow("SELECT 1 FROM uncompared")
    }

    static func countMarked(in database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM uncompared") ?? 0
    }
}
