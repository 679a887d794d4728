internal import Foundation
package import GRDB
package import KSRecords
package import KSResolution
package import KSSealing

/// The rows of `outbox`: unsent edits that no batch holds.
package struct OutboxTable: Sendable {
    private let rows: SealedRows

    package init(rows: SealedRows) {
        self.rows = rows
    }

    /// Saves the record's edit, or deletes its row if there is none.
    ///
    /// `movedTo`: the record to which a rename moved this one's item; nil keeps an earlier one.
    /// `isNew`: the user has just made the edit, and it goes behind all others. Edits are sealed in
    /// the order of their times, since stamps only rise. An edit that was blocked is tried again.
    package func save(
        _ edit: PendingEdit?,
        of record: RecordID,
        kind: RecordKind,
        movedTo: RecordID? = nil,
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
            kind: kind,
            protection: protection
        )
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO outbox (record, kind, moved_to, protection, edit, revision)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (record) DO UPDATE SET
                    moved_to = coalesce(excluded.moved_to, moved_to), blocked = NULL,
                    \(isNew ? "id = (SELECT max(id) + 1 FROM outbox)," : "")
                    protection = excluded.protection, edit = excluded.edit,
                    revision = excluded.revision
                """
        )
        try statement.execute(arguments: [
            Data(record.bytes), kind.column, movedTo.map { Data($0.bytes) }, protection.column,
            Data(sealed.box), Data(sealed.revision),
        ])
    }

    package func isEmpty(in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT NOT EXISTS (SELECT 1 FROM outbox WHERE blocked IS NULL)"
        )
        return try Bool.fetchOne(statement) ?? true
    }

    /// Sets an edit aside until it is changed or its record is pulled again.
    package func block(
        _ record: RecordID,
        because reason: BlockedReason,
        in database: Database
    ) throws {
        let statement = try database.cachedStatement(
            sql: "UPDATE outbox SET blocked = ? WHERE record = ?"
        )
        try statement.execute(arguments: [reason.rawValue, Data(record.bytes)])
    }

    /// Lets an edit that was blocked be sent.
    package func takeUp(_ record: RecordID, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: "UPDATE outbox SET blocked = NULL WHERE record = ?"
        )
        try statement.execute(arguments: [Data(record.bytes)])
    }

    /// An edit that is blocked, and why.
    package struct BlockedEdit: Equatable, Sendable {
        package let record: RecordID
        package let reason: BlockedReason

        package init(record: RecordID, reason: BlockedReason) {
            self.record = record
            self.reason = reason
        }
    }

    /// The edits that are blocked, in the order in which they were made.
    package func blocked(in database: Database) throws -> [BlockedEdit] {
        try Row.fetchAll(
            database,
            sql: "SELECT record, blocked FROM outbox WHERE blocked IS NOT NULL ORDER BY id"
        ).map { row in
            BlockedEdit(
                record: try RecordID(row.bytes("record")).orCorrupt(),
                // Only a newer program knows this name, or the disk has a fault.
                reason: BlockedReason(rawValue: row["blocked"]) ?? .damaged
            )
        }
    }

    /// How many edits are unsent, with those that are blocked.
    package func count(in database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM outbox") ?? 0
    }

    /// A record with an unsent edit, and how it is kept.
    package struct Waiting: Equatable, Sendable {
        package let record: RecordID
        package let kind: RecordKind
        /// The record to which a rename moved this one's item.
        package let movedTo: RecordID?
        package let protection: ProtectionClass

        init(
            record: RecordID,
            kind: RecordKind,
            movedTo: RecordID?,
            protection: ProtectionClass
        ) {
            self.record = record
            self.kind = kind
            self.movedTo = movedTo
            self.protection = protection
        }

        init(_ row: Row) throws {
            record = try RecordID(row.bytes("record")).orCorrupt()
            kind = try RecordKind(column: row["kind"])
            movedTo = (row["moved_to"] as Data?).flatMap { RecordID(Array($0)) }
            protection = try ProtectionClass(column: row["protection"])
        }
    }

    /// The records that wait longest.
    package func oldest(_ limit: Int, in database: Database) throws -> [Waiting] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT record, kind, moved_to, protection FROM outbox WHERE blocked IS NULL
                ORDER BY id LIMIT ?
                """
        )
        return try waiting(in: Row.fetchAll(statement, arguments: [limit]), database)
    }

    /// Reads these rows, and sets those aside that are damaged.
    func waiting(in rows: [Row], _ database: Database) throws -> [Waiting] {
        try rows.compactMap { row in
            switch try Kept({ try Waiting(row) }) {
            case .kept(let waiting): return waiting
            case .none: return nil
            case .damaged:
                try block(
                    RecordID(row.bytes("record")).orCorrupt(),
                    because: .damaged,
                    in: database
                )
                return nil
            }
        }
    }
}
