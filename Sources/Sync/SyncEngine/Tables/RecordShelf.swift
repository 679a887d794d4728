package import GRDB
package import KSRecords
package import KSResolution
internal import KSSealing

/// All that a device has of its records, read from its tables.
package struct RecordShelf: Sendable {
    package let mirrors: MirrorTable
    let outbox: OutboxTable
    let batches: BatchTable
    let recentDeletions: RecentDeletionTable
    let deletedHistories: DeletedHistoryTable
    private let rows: SealedRows

    package init(rows: SealedRows) {
        self.rows = rows
        mirrors = MirrorTable(rows: rows)
        outbox = OutboxTable(rows: rows)
        batches = BatchTable(rows: rows)
        recentDeletions = RecentDeletionTable(rows: rows)
        deletedHistories = DeletedHistoryTable(rows: rows)
    }

    func rows(of record: RecordID, in database: Database) throws -> RecordRows {
        try RecordRows(of: record, from: database, rows: rows)
    }

    /// The readable parts of a record.
    package func load(_ record: RecordID, from database: Database) throws -> LocalRecord {
        try find(record, from: database).record
    }

    func find(_ record: RecordID, from database: Database) throws -> FoundRecord {
        try FoundRecord(rows(of: record, in: database))
    }

    package func mirror(of record: RecordID, in database: Database) throws -> MirrorRow? {
        try rows(of: record, in: database).mirror().value
    }

    /// Keeps the earlier values of an entry that is about to be deleted.
    ///
    /// `view`: what the device shows of it.
    func keepHistory(
        of view: RecordState,
        _ record: RecordID,
        protection: ProtectionClass,
        atMilliseconds now: UInt64,
        in database: Database
    ) throws {
        guard view.isAlive else { return }
        try deletedHistories.save(
            view.earlierValues(atMilliseconds: now),
            of: record,
            protection: protection,
            // What a user has cleared does not come back from an earlier deletion of the key.
            keepsOlder: !view.history.contains(where: \.isForgotten),
            atMilliseconds: now,
            in: database
        )
    }

    /// The records of a kind whose ids begin with these bytes, in the order of the ids.
    package func records(
        of kind: RecordKind,
        beginning prefix: [UInt8],
        in database: Database
    ) throws -> [RecordID] {
        let selections = ["mirror", "outbox", "batch_record"].map { table in
            "SELECT record FROM \(table) WHERE kind = ?1 AND substr(record, 1, ?2) = ?3"
        }
        return try database.rows(
            selections.joined(separator: " UNION ") + " ORDER BY record",
            [kind.column, prefix.count, prefix.column]
        ).map { try $0.fixed("record") }
    }
}

/// A record's parts as they were read, damaged ones too.
struct FoundRecord {
    let rows: RecordRows
    let mirror: Kept<MirrorRow>
    let work: Kept<SealedEdit>
    let edit: Kept<PendingEdit>

    init(_ rows: RecordRows) throws {
        self.rows = rows
        mirror = try rows.mirror()
        work = try rows.work()
        edit = try rows.edit()
    }

    /// The readable parts.
    var record: LocalRecord {
        LocalRecord(
            mirror: mirror.value?.state,
            stub: mirror.value?.stub,
            onItsWay: work.value,
            edit: edit.value
        )
    }

    /// Whether the mirror, or the record's part of the batch on its way, is damaged.
    var isSentStateDamaged: Bool { mirror.isDamaged || work.isDamaged }
}
