internal import Foundation
internal import GRDB

/// Identifies a batch of a program's writes, so that a repeated one is recognized.
package struct WriteBatchID: Equatable, Sendable {
    package static let writerByteCount = 16

    /// Random bytes that identify the process, or its session with the store.
    package let writer: [UInt8]
    /// Rises with each batch of the writer.
    package let number: Int64

    /// - Returns: nil unless the writer has ``writerByteCount`` bytes.
    package init?(writer: [UInt8], number: Int64) {
        guard writer.count == Self.writerByteCount, number > 0 else { return nil }
        self.writer = writer
        self.number = number
    }
}

/// The rows of `key_value_writer`.
enum WriterRows {
    /// How many writers are remembered: far more programs than write at the same time.
    private static let countMax = 1000

    /// Notes that a batch is carried out in this transaction.
    ///
    /// - Returns: false if it was carried out before.
    static func note(_ batch: WriteBatchID, in database: Database) throws -> Bool {
        let writer = Data(batch.writer)
        // The usual case, a known writer's next batch, takes one statement, which also keeps that
        // writer from being forgotten.
        try database.cachedStatement(
            sql: """
                UPDATE key_value_writer SET number = ?1, id = CASE
                    WHEN id > (SELECT max(id) FROM key_value_writer) - ?3 THEN id
                    ELSE (SELECT max(id) FROM key_value_writer) + 1 END
                WHERE writer = ?2 AND number < ?1
                """
        ).execute(arguments: [batch.number, writer, countMax / 2])
        if database.changesCount > 0 { return true }
        let last = try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT number FROM key_value_writer WHERE writer = ?"),
            arguments: [writer]
        )
        guard last == nil else { return false }
        try database.execute(
            sql: "INSERT INTO key_value_writer (writer, number) VALUES (?, ?)",
            arguments: [writer, batch.number]
        )
        try database.execute(
            sql: """
                DELETE FROM key_value_writer
                WHERE id <= (SELECT max(id) FROM key_value_writer) - ?
                """,
            arguments: [countMax]
        )
        return true
    }
}
