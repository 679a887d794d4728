internal import GRDB
internal import KSRecords
internal import KSResolution
internal import KSSealing

/// The rows of `deleted_history`: the earlier values of deleted items, while these can be restored.
struct DeletedHistoryTable: Sendable {
    /// As long as the deleted items themselves are kept: 30 days.
    private static let milliseconds: UInt64 = 30 * 86_400_000
    /// How many are kept, the newest, and of how many bytes together.
    private static let rowsMax = 500
    private static let bytesMax: UInt64 = 64 << 20

    let rows: SealedRows

    /// Saves what an item had beside its present values before its deletion.
    ///
    /// `edit`: makes the item again. `keepsOlder`: whether what an earlier deletion of the same key
    /// kept stays before it.
    func save(
        _ edit: PendingEdit,
        of record: RecordID,
        protection: ProtectionClass,
        keepsOlder: Bool,
        atMilliseconds now: UInt64,
        in database: Database
    ) throws {
        var edit = edit
        if keepsOlder, let older = try self.edit(of: record, in: database) {
            edit.putBefore(earlierValuesOf: older)
        }
        try delete(record, in: database)
        guard !edit.companions.isEmpty else { return }
        let sealed = try rows.seal(
            edit.encoded,
            table: .deletedHistory,
            record: record,
            protection: protection
        )
        try database.run(
            """
            INSERT INTO deleted_history (record, kept_ms, protection, edit, revision)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                record.column, now.column, protection.column, sealed.box.column,
                sealed.revision.column,
            ]
        )
        try bound(atMilliseconds: now, in: database)
    }

    /// Forgets what is older than 30 days, and the oldest beyond the bounds of all together.
    private func bound(atMilliseconds now: UInt64, in database: Database) throws {
        try database.run(
            """
            DELETE FROM deleted_history WHERE kept_ms < ?1 OR record IN (
                SELECT record FROM (
                    SELECT record, sum(length(edit)) OVER newest AS bytes,
                        row_number() OVER newest AS number
                    FROM deleted_history
                    WINDOW newest AS (ORDER BY kept_ms DESC, record)
                ) WHERE bytes > ?2 OR number > ?3
            )
            """,
            [
                (now - min(now, Self.milliseconds)).column, Self.bytesMax.column,
                UInt64(Self.rowsMax).column,
            ]
        )
    }

    /// What was kept of an item; nil if there is nothing, or a damaged row.
    func edit(of record: RecordID, in database: Database) throws -> PendingEdit? {
        let row = try database.rows(
            "SELECT * FROM deleted_history WHERE record = ?",
            [record.column]
        ).first
        guard let row else { return nil }
        return try Kept {
            try PendingEdit(
                decoding: rows.open(
                    .init(box: row.bytes("edit"), revision: row.bytes("revision")),
                    table: .deletedHistory,
                    record: record,
                    protection: try ProtectionClass(column: row["protection"])
                )
            )
        }.value
    }

    func delete(_ record: RecordID, in database: Database) throws {
        try database.run("DELETE FROM deleted_history WHERE record = ?", [record.column])
    }

    /// Forgets what is older than 30 days.
    static func deleteOld(atMilliseconds now: UInt64, in database: Database) throws {
        try database.run(
            "DELETE FROM deleted_history WHERE kept_ms < ?",
            [(now - min(now, milliseconds)).column]
        )
    }
}
