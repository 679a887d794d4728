internal import Foundation
package import GRDB
package import KSRecords
package import KSResolution
package import KSSealing

/// The rows of `outbox`: what the user did and the server has not heard yet.
package struct OutboxTable: Sendable {
    /// The column that says that an edit was set aside: for its size, after which it was named, or
    /// because something of it is damaged.
    private static let isSetAside = "is_too_large"

    private let rows: SealedRows

    package init(rows: SealedRows) {
        self.rows = rows
    }

    package func find(_ record: RecordID, from database: Database) throws -> Kept<PendingEdit> {
        let statement = try database.cachedStatement(
            sql: "SELECT protection, edit, revision FROM outbox WHERE record = ?"
        )
        guard let row = try Row.fetchOne(statement, arguments: [Data(record.bytes)]) else {
            return .none
        }
        return try Kept {
            let bytes = try rows.open(
                .init(box: row.bytes("edit"), revision: row.bytes("revision")),
                table: .outbox,
                record: record,
                protection: try ProtectionClass(column: row["protection"])
            )
            return try PendingEdit(decoding: bytes)
        }
    }

    /// Writes the record's edit, or takes it away when there is none.
    ///
    /// The partner is the other record of a rename; without one an earlier partner stays. What the
    /// user has just done (`isNew`) goes behind all that waits: edits are sealed in the order of
    /// their times, since stamps only rise.
    package func save(
        _ edit: PendingEdit?,
        of record: RecordID,
        partner: RecordID? = nil,
        protection: ProtectionClass,
        isNew: Bool = false,
        in database: Database
    ) throws {
        guard let edit else {
            let statement = try database.cachedStatement(
                sql: "DELETE FROM outbox WHERE record = ?"
            )
            return try statement.execute(arguments: [Data(record.bytes)])
        }
        let sealed = try rows.seal(
            edit.encoded,
            table: .outbox,
            record: record,
            protection: protection
        )
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO outbox (record, partner, protection, edit, revision)
                VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (record) DO UPDATE SET partner = coalesce(excluded.partner, partner),
                    \(Self.isSetAside) = 0,
                    \(isNew ? "id = (SELECT max(id) + 1 FROM outbox)," : "")
                    protection = excluded.protection, edit = excluded.edit,
                    revision = excluded.revision
                """
        )
        try statement.execute(arguments: [
            Data(record.bytes), partner.map { Data($0.bytes) }, protection.column,
            Data(sealed.box), Data(sealed.revision),
        ])
    }

    package func isEmpty(in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT NOT EXISTS (SELECT 1 FROM outbox WHERE \(Self.isSetAside) = 0)"
        )
        return try Bool.fetchOne(statement) ?? true
    }

    /// Leaves an edit alone until it is changed, or its record is pulled again: what it would make
    /// is too large to send, or something of it is damaged.
    package func setAside(_ record: RecordID, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: "UPDATE outbox SET \(Self.isSetAside) = 1 WHERE record = ?"
        )
        try statement.execute(arguments: [Data(record.bytes)])
    }

    /// The records whose edits were left alone, in the order in which they came.
    package func setAside(in database: Database) throws -> [RecordID] {
        try Data.fetchAll(
            database,
            sql: "SELECT record FROM outbox WHERE \(Self.isSetAside) = 1 ORDER BY id"
        ).map { try RecordID(Array($0)).orCorrupt() }
    }

    /// How many edits wait, those set aside among them.
    package func count(in database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM outbox") ?? 0
    }

    /// A record that waits, and how it is kept.
    package struct Waiting: Equatable, Sendable {
        package let record: RecordID
        /// The other record of a rename.
        package let partner: RecordID?
        package let protection: ProtectionClass

        init(record: RecordID, partner: RecordID?, protection: ProtectionClass) {
            self.record = record
            self.partner = partner
            self.protection = protection
        }

        init(_ row: Row) throws {
            record = try RecordID(row.bytes("record")).orCorrupt()
            partner = (row["partner"] as Data?).flatMap { RecordID(Array($0)) }
            protection = try ProtectionClass(column: row["protection"])
        }
    }

    /// The records longest waiting, each together with all that renames tie it to.
    ///
    /// They are at most `limit`, unless a chain of renames alone is longer.
    package func oldest(_ limit: Int, in database: Database) throws -> [[Waiting]] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT record, partner, protection FROM outbox WHERE \(Self.isSetAside) = 0
                ORDER BY id LIMIT ?
                """
        )
        let candidates = try waiting(in: Row.fetchAll(statement, arguments: [limit]), database)
        var chosen: [[Waiting]] = []
        var taken: Set<RecordID> = []
        for candidate in candidates where !taken.contains(candidate.record) {
            let group = try group(of: candidate, in: database)
            guard chosen.isEmpty || taken.count + group.count <= limit else { break }
            chosen.append(group)
            taken.formUnion(group.map(\.record))
        }
        return chosen
    }

    /// Rows of which not even this can be read are left alone from now on.
    private func waiting(in rows: [Row], _ database: Database) throws -> [Waiting] {
        try rows.compactMap { row in
            switch try Kept({ try Waiting(row) }) {
            case .kept(let waiting): return waiting
            case .none: return nil
            case .damaged:
                try setAside(RecordID(row.bytes("record")).orCorrupt(), in: database)
                return nil
            }
        }
    }

    /// A record and all that renames tie it to.
    private func group(of first: Waiting, in database: Database) throws -> [Waiting] {
        let statement = try database.cachedStatement(
            sql: "SELECT record, partner, protection FROM outbox WHERE partner = ? OR record = ?"
        )
        var group = [first]
        var next = 0
        while next < group.count {
            let current = group[next]
            next += 1
            let partner = current.partner ?? current.record
            let tied = try Row.fetchAll(
                statement,
                arguments: [Data(current.record.bytes), Data(partner.bytes)]
            )
            for waiting in try waiting(in: tied, database)
            where !group.contains(where: { $0.record == waiting.record }) {
                group.append(waiting)
            }
        }
        return group
    }
}
