internal import GRDB
internal import KSRecords
internal import KSResolution
internal import KSSealing

/// The rows of `recent_deletion`: what other devices have deleted within a day, or within the day
/// before a question that stands.
struct RecentDeletionTable: Sendable {
    /// How long a deletion counts as recent: a device that syncs once a day gets a day's in one
    /// pull.
    private static let milliseconds: UInt64 = 86_400_000

    let rows: SealedRows

    /// Forgets those that are more than a day old.
    func deleteOld(atMilliseconds now: UInt64, in database: Database) throws {
        // A row of the future is of a clock that was ahead.
        try database.run(
            "DELETE FROM recent_deletion WHERE applied_ms NOT BETWEEN ? AND ?",
            [(now - min(now, Self.milliseconds)).column, now.column]
        )
    }

    /// Saves a record as it was before the deletion.
    func save(
        _ state: RecordState,
        of record: RecordID,
        _ kind: RecordKind,
        protection: ProtectionClass,
        atMilliseconds now: UInt64,
        in database: Database
    ) throws {
        let sealed = try rows.seal(
            state.encoded,
            table: .recentDeletion,
            record: record,
            kind: kind,
            protection: protection
        )
        try database.run(
            """
            INSERT OR REPLACE INTO recent_deletion
                (record, kind, applied_ms, protection, state, revision)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                record.column, kind.column, now.column, protection.column, sealed.box.column,
                sealed.revision.column,
            ]
        )
    }

    /// Those that are still deleted: nobody has made them again since.
    private static let stillDeleted = """
        EXISTS (SELECT 1 FROM mirror WHERE mirror.record = recent_deletion.record AND is_stub = 1)
            AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.record = recent_deletion.record)
        """

    /// How many there are.
    func count(in database: Database) throws -> Int {
        try Int.fetchOne(
            database,
            sql: "SELECT count(*) FROM recent_deletion WHERE " + Self.stillDeleted
        ) ?? 0
    }

    /// Their states before the deletion; a damaged row is left out.
    func states(in database: Database) throws -> [(record: RecordID, state: RecordState)] {
        try database.rows(
            "SELECT * FROM recent_deletion WHERE " + Self.stillDeleted
        ).compactMap { row in
            let record: RecordID = try row.fixed("record")
            let state = try Kept {
                try RecordState(
                    decoding: rows.open(
                        .init(box: row.bytes("state"), revision: row.bytes("revision")),
                        table: .recentDeletion,
                        record: record,
                        kind: try RecordKind(column: row["kind"]),
                        protection: try ProtectionClass(column: row["protection"])
                    ),
                    within: .none
                )
            }
            return state.value.map { (record, $0) }
        }
    }

    func deleteAll(in database: Database) throws {
        try database.run("DELETE FROM recent_deletion")
    }
}
