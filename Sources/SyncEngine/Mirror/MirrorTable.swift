package import Causality
internal import Foundation
package import GRDB
package import Records
internal import Resolution
package import Sealing

/// The rows of `mirror`.
package struct MirrorTable: Sendable {
    private let rows: SealedRows

    package init(rows: SealedRows) {
        self.rows = rows
    }

    /// A damaged row counts as none; the server still has what it said.
    package func load(_ record: RecordID, from database: Database) throws -> MirrorRow? {
        try find(record, from: database).value
    }

    package func find(_ record: RecordID, from database: Database) throws -> Kept<MirrorRow> {
        let statement = try database.cachedStatement(
            sql: """
                SELECT seq, dots, is_stub, protection, state, revision FROM mirror WHERE record = ?
                """
        )
        guard let row = try Row.fetchOne(statement, arguments: [Data(record.bytes)]) else {
            return .none
        }
        return try Kept {
            let bytes = try rows.open(
                .init(box: row.bytes("state"), revision: row.bytes("revision")),
                table: .mirror,
                record: record,
                protection: try ProtectionClass(column: row["protection"])
            )
            // Joined of siblings, it may be larger than each of them.
            let state = try ItemState(decoding: bytes, bytesMax: .max)
            return MirrorRow(
                record: record,
                seq: UInt64(row["seq"] as Int64),
                siblings: try MirrorRow.decodeSiblings(row.bytes("dots")),
                content: (row["is_stub"] as Bool) ? .stub(state) : .state(state)
            )
        }
    }

    /// Which writes of a record the server held, without opening anything.
    package func dots(of record: RecordID, in database: Database) throws -> Kept<[Dot]> {
        let statement = try database.cachedStatement(
            sql: "SELECT dots FROM mirror WHERE record = ?"
        )
        guard let dots = try Data.fetchOne(statement, arguments: [Data(record.bytes)]) else {
            return .none
        }
        return try Kept { try MirrorRow.decodeSiblings(Array(dots)).map(\.dot) }
    }

    package func save(
        _ mirror: MirrorRow,
        protection: ProtectionClass,
        in database: Database
    ) throws {
        let state = mirror.state ?? mirror.stub ?? ItemState()
        let sealed = try rows.seal(
            state.encoded,
            table: .mirror,
            record: mirror.record,
            protection: protection
        )
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO mirror
                    (record, seq, dots, is_stub, has_conflict, protection, state, revision)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (record) DO UPDATE SET seq = excluded.seq, dots = excluded.dots,
                    is_stub = excluded.is_stub, has_conflict = excluded.has_conflict,
                    protection = excluded.protection, state = excluded.state,
                    revision = excluded.revision
                """
        )
        try statement.execute(arguments: [
            Data(mirror.record.bytes), Int64(mirror.seq),
            Data(MirrorRow.encode(mirror.siblings)), mirror.stub != nil,
            mirror.state.map { $0.isAlive && !$0.conflictingSecrets.isEmpty } ?? false,
            protection.column, Data(sealed.box), Data(sealed.revision),
        ])
    }

    /// The seq at which a record is known, without opening anything.
    package func seq(of record: RecordID, in database: Database) throws -> UInt64? {
        let statement = try database.cachedStatement(sql: "SELECT seq FROM mirror WHERE record = ?")
        return try Int64.fetchOne(statement, arguments: [Data(record.bytes)]).map { UInt64($0) }
    }

    /// The records of which more than one secret is current, oldest row first.
    package func conflicts(in database: Database) throws -> [RecordID] {
        try Data.fetchAll(
            database,
            sql: "SELECT record FROM mirror WHERE has_conflict = 1 ORDER BY id"
        ).map { try RecordID(Array($0)).orCorrupt() }
    }
}
