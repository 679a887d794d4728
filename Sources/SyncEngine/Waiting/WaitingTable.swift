internal import Foundation
package import GRDB
package import Records
internal import SwiftProtobuf
internal import Wire

/// The rows of `waiting`: records that were pulled while the device was locked.
package enum WaitingTable {
    /// Keeps the newest that the server showed of a record.
    package static func save(_ record: PageAnswer.Record, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO waiting (record, seq, message) VALUES (?, ?, ?)
                ON CONFLICT (record) DO UPDATE SET seq = excluded.seq, message = excluded.message
                """
        )
        try statement.execute(arguments: [
            Data(record.id.bytes), Int64(record.seq),
            try WireRecord(record).serializedBytes() as Data,
        ])
    }

    package static func seq(of record: RecordID, in database: Database) throws -> UInt64? {
        let statement = try database.cachedStatement(
            sql: "SELECT seq FROM waiting WHERE record = ?"
        )
        return try Int64.fetchOne(statement, arguments: [Data(record.bytes)]).map { UInt64($0) }
    }

    /// Those that came first, up to this many.
    package static func oldest(
        _ limit: Int,
        in database: Database
    ) throws -> [PageAnswer.Record] {
        let statement = try database.cachedStatement(
            sql: "SELECT message FROM waiting ORDER BY id LIMIT ?"
        )
        return try Data.fetchAll(statement, arguments: [limit]).map { message in
            try PageAnswer.Record(WireRecord(serializedBytes: message))
        }
    }

    package static func delete(_ record: RecordID, in database: Database) throws {
        let statement = try database.cachedStatement(sql: "DELETE FROM waiting WHERE record = ?")
        try statement.execute(arguments: [Data(record.bytes)])
    }

    package static func isEmpty(in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT NOT EXISTS (SELECT 1 FROM waiting)"
        )
        return try Bool.fetchOne(statement) ?? true
    }

    package static func count(in database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM waiting") ?? 0
    }
}
