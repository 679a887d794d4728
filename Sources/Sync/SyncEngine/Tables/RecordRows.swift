internal import GRDB
internal import KSRecords
internal import KSResolution
internal import KSSealing

/// All rows of one record, read with one statement; each part is opened on demand.
struct RecordRows {
    let id: RecordID
    /// The part of the mirror that needs no key.
    let clearMirror: Kept<MirrorTable.ClearPart>
    private let row: Row
    private let rows: SealedRows

    init(of id: RecordID, from database: Database, rows: SealedRows) throws {
        self.id = id
        self.rows = rows
        let row = try database.rows(Self.sql, [id.column]).first.orCorrupt()
        self.row = row
        clearMirror =
            row["mirror_kind"] as Int64? == nil
            ? .none : try Kept { try MirrorTable.clearPart(of: id, in: row) }
    }

    private static let sql = """
        SELECT mirror.kind AS mirror_kind, mirror.seq AS mirror_seq, dots, dots_check, is_stub,
            mirror.protection AS mirror_protection, state, mirror.revision AS mirror_revision,
            outbox.kind AS edit_kind, outbox.protection AS edit_protection, edit,
            outbox.revision AS edit_revision,
            batch_record.kind AS work_kind, batch_record.protection AS work_protection, work,
            batch_record.revision AS work_revision,
            waiting.seq AS waiting_seq, waiting.reason AS waiting_reason, message,
            EXISTS (SELECT 1 FROM sibling_quarantine WHERE record = ?1) AS has_quarantined,
            EXISTS (SELECT 1 FROM rewrite WHERE record = ?1) AS is_to_be_rewritten
        FROM (SELECT 1)
            LEFT JOIN mirror ON mirror.record = ?1
            LEFT JOIN outbox ON outbox.record = ?1
            LEFT JOIN batch_record ON batch_record.record = ?1
            LEFT JOIN waiting ON waiting.record = ?1
        """

    // MARK: Without a key

    /// Whether the record waits since it deletes an entry.
    var isHeldDeletion: Bool {
        (row["waiting_reason"] as Int?).map { $0 != WaitingTable.Reason.unlock.rawValue } ?? false
    }

    /// Whether the user is asked whether the record's entry may go.
    var waitsForAnswer: Bool {
        row["waiting_reason"] as Int? == WaitingTable.Reason.answer.rawValue
    }

    /// The seq at which the record waits; 0 if damaged, so that any page is newer.
    var waitingSeq: UInt64? {
        (row["waiting_seq"] as Int64?).map { UInt64(exactly: $0) ?? 0 }
    }

    func waiting() throws -> Kept<PageAnswer.Record> {
        guard waitingSeq != nil else { return .none }
        return try WaitingTable.record(in: row)
    }

    var hasEdit: Bool { isThere("edit_kind") }
    var hasQuarantined: Bool { row["has_quarantined"] }
    var isToBeRewritten: Bool { row["is_to_be_rewritten"] }

    private func isThere(_ column: String) -> Bool { (row[column] as Int64?) != nil }

    // MARK: With the keys

    /// The mirror; a damaged one is downloaded again.
    func mirror() throws -> Kept<MirrorRow> {
        guard let (kind, seq, siblings) = clearMirror.value else {
            return clearMirror.isDamaged ? .damaged : .none
        }
        return try Kept {
            MirrorRow(
                record: id,
                kind: kind,
                seq: seq,
                siblings: siblings,
                isStub: row["is_stub"],
                // A join of siblings may be larger than each of them.
                content: try RecordState(
                    decoding: open(.mirror, "mirror", box: "state"),
                    within: .none
                )
            )
        }
    }

    /// The unsent edit, which no batch holds.
    func edit() throws -> Kept<PendingEdit> {
        guard hasEdit else { return .none }
        return try Kept { try PendingEdit(decoding: open(.outbox, "edit", box: "edit")) }
    }

    /// The record's part of the batch on its way.
    func work() throws -> Kept<SealedEdit> {
        guard isThere("work_kind") else { return .none }
        return try Kept { try SealedEdit(decoding: open(.batchRecord, "work", box: "work")) }
    }

    private func open(_ table: SealedRows.Table, _ prefix: String, box: String) throws -> [UInt8] {
        try rows.open(
            .init(box: row.bytes(box), revision: row.bytes(prefix + "_revision")),
            table: table,
            record: id,
            kind: try RecordKind(column: row[prefix + "_kind"]),
            protection: try ProtectionClass(column: row[prefix + "_protection"])
        )
    }
}
