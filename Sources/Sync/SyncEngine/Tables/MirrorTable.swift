internal import KSCausality
internal import KSDigests
package import GRDB
package import KSRecords
internal import KSResolution
package import KSSealing

/// The rows of `mirror`.
package struct MirrorTable: Sendable {
    let rows: SealedRows

    package init(rows: SealedRows) { self.rows = rows }

    /// The part of a mirror that needs no key.
    typealias ClearPart = (kind: RecordKind, seq: UInt64, siblings: [MirrorRow.Sibling])

    /// Selects what ``clearPart(of:in:)`` reads, of every record.
    static let clearPartsSQL = """
        SELECT record, kind AS mirror_kind, seq AS mirror_seq, dots, dots_check, is_stub
        FROM mirror WHERE is_stub = 0
        """

    static func clearPart(of record: RecordID, in row: Row) throws -> ClearPart {
        let kind = try RecordKind(column: row["mirror_kind"])
        let seq = try row.unsigned("mirror_seq")
        let dots = row.bytes("dots")
        let check = check(record, kind, seq, isStub: row["is_stub"], dots: dots)
        guard row.bytes("dots_check") == check else { throw SyncEngineError.corruptDatabase }
        return (kind, seq, try MirrorRow.decodeSiblings(dots))
    }

    /// A checksum against faults of the disk, not attacks: an attacker can compute it too.
    private static func check(
        _ record: RecordID,
        _ kind: RecordKind,
        _ seq: UInt64,
        isStub: Bool,
        dots: [UInt8]
    ) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.fixed(record)
        encoder.integer(kind.rawValue)
        encoder.integer(seq)
        encoder.boolean(isStub)
        encoder.bytes(dots)
        return Array(SHA256.hash(encoder.encoded).prefix(8))
    }

    /// `conflict`: the fingerprint of the conflicting values; nil without a conflict.
    package func save(
        _ mirror: MirrorRow,
        protection: ProtectionClass,
        conflict: [UInt8]?,
        in database: Database
    ) throws {
        let dots = MirrorRow.encode(mirror.siblings)
        let sealed = try rows.seal(
            mirror.content.encoded,
            table: .mirror,
            record: mirror.record,
            kind: mirror.kind,
            protection: protection
        )
        let (kind, isStub) = (mirror.kind, mirror.isStub)
        let check = Self.check(mirror.record, kind, mirror.seq, isStub: isStub, dots: dots)
        try database.run(
            """
            INSERT INTO mirror
                (record, seq, dots, is_stub, has_conflict, protection, state, revision, dots_check,
                 kind)
            VALUES (?1, ?2, ?3, ?4, ?5 IS NOT NULL, ?6, ?7, ?8, ?9, ?10)
            ON CONFLICT (record) DO UPDATE SET kind = excluded.kind, seq = excluded.seq,
                dots = excluded.dots, is_stub = excluded.is_stub,
                has_conflict = ?5 IS NOT NULL AND ?5 IS NOT looked_at,
                protection = excluded.protection, state = excluded.state,
                revision = excluded.revision, dots_check = excluded.dots_check
            """,
            [
                mirror.record.column, mirror.seq.column, dots.column, isStub, conflict?.column,
                protection.column, sealed.box.column, sealed.revision.column, check.column,
                mirror.kind.column,
            ]
        )
    }

    /// Makes any page of the record count as newer.
    func forgetSeq(of mirror: MirrorRow, in database: Database) throws {
        let dots = MirrorRow.encode(mirror.siblings)
        let check = Self.check(mirror.record, mirror.kind, 0, isStub: mirror.isStub, dots: dots)
        try database.run(
            "UPDATE mirror SET seq = 0, dots_check = ? WHERE record = ?",
            [check.column, mirror.record.column]
        )
    }

    /// Replaces the row of a record that the server has lost: nothing of it is there, and a stub
    /// says what was deleted.
    func replaceLost(
        _ mirror: MirrorRow,
        by stub: RecordState?,
        protection: ProtectionClass,
        in database: Database
    ) throws {
        guard let stub else {
            return try database.run(
                "DELETE FROM mirror WHERE record = ?",
                [mirror.record.column]
            )
        }
        let row = MirrorRow(
            record: mirror.record,
            kind: mirror.kind,
            seq: 0,
            siblings: [],
            isStub: true,
            content: stub
        )
        try save(row, protection: protection, conflict: nil, in: database)
    }

    /// How many records of a kind are not known to be deleted.
    func countEntries(of kind: RecordKind, in database: Database) throws -> Int {
        try Int.fetchOne(
            database,
            sql: "SELECT count(*) FROM mirror WHERE is_stub = 0 AND kind = ?",
            arguments: [kind.column]
        ) ?? 0
    }

    /// Whether this device has opened a sibling that the vector does not cover.
    func hasOpened(after vector: VersionVector, in database: Database) throws -> Bool {
        let rows = try Row.fetchCursor(database, sql: "SELECT dots FROM mirror")
        while let row = try rows.next() {
            // A damaged row is downloaded again.
            let siblings = try? MirrorRow.decodeSiblings(row.bytes("dots"))
            let isAfter = siblings?.contains { $0.isOpened && !vector.contains($0.dot) }
            if isAfter ?? false { return true }
        }
        return false
    }

    package func countConflicts(in database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM mirror WHERE has_conflict = 1") ?? 0
    }

    /// Marks the conflict with this fingerprint as seen.
    package func markLookedAt(_ record: RecordID, conflict: [UInt8], in database: Database) throws {
        try database.run(
            "UPDATE mirror SET has_conflict = 0, looked_at = ? WHERE record = ?",
            [conflict.column, record.column]
        )
    }

    /// Whether a record has an unseen conflict.
    package func hasConflict(_ record: RecordID, in database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: "SELECT has_conflict FROM mirror WHERE record = ?",
            arguments: [record.column]
        ) ?? false
    }

    /// The records of a kind with an unseen conflict, oldest row first.
    package func conflicts(of kind: RecordKind, in database: Database) throws -> [RecordID] {
        try database.rows(
            "SELECT record FROM mirror WHERE has_conflict = 1 AND kind = ? ORDER BY id",
            [kind.column]
        ).map { try $0.fixed("record") }
    }
}
