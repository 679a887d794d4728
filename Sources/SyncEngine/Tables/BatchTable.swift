internal import KSCausality
internal import Foundation
package import GRDB
package import KSRecords
package import KSResolution
package import KSSealing

/// The batch on its way, in `batch` and `batch_record`.
package struct BatchTable: Sendable {
    private let rows: SealedRows

    package init(rows: SealedRows) {
        self.rows = rows
    }

    package func exists(in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM batch)")
        return try Bool.fetchOne(statement) ?? false
    }

    /// The batch, as it was sealed.
    ///
    /// A batch that does not match its signature is damaged: the server would always refuse it.
    package func load(
        signedBy signer: BatchSigner,
        from database: Database
    ) throws -> Kept<Batch> {
        let row = try Row.fetchOne(
            try database.cachedStatement(sql: "SELECT header, signature FROM batch")
        )
        guard let row else { return .none }
        return try Kept {
            let batch = try batch(row, in: database)
            guard signer.hasSigned(batch) else { throw SyncEngineError.corruptDatabase }
            _ = try batch.checkedHeader()
            return batch
        }
    }

    private func batch(_ row: Row, in database: Database) throws -> Batch {
        let header = try BatchHeader(decoding: row.bytes("header"))
        let statement = try database.cachedStatement(
            sql: """
                SELECT record, counter, replaced, is_tombstone, kind, box FROM batch_record
                ORDER BY id
                """
        )
        let records = try Row.fetchAll(statement)
        let envelopes = try records.map { record in
            var replaced = CanonicalDecoder(record.bytes("replaced"))
            return Envelope(
                recordID: try RecordID(record.bytes("record")).orCorrupt(),
                dot: Dot(
                    actor: header.actor,
                    counter: try record.unsigned("counter")
                ),
                replaced: try replaced.dots(),
                generation: header.generation,
                isTombstone: record["is_tombstone"],
                kind: try RecordKind(column: record["kind"]),
                box: record.bytes("box")
            )
        }
        return Batch(
            signedHeader: row.bytes("header"),
            signature: row.bytes("signature"),
            envelopes: envelopes
        )
    }

    /// One record of a batch to be saved.
    package struct Entry {
        package let envelope: Envelope
        package let work: SealedEdit
        package let waiting: OutboxTable.Waiting
    }

    package func save(_ batch: Batch, entries: [Entry], in database: Database) throws {
        let insert = try database.cachedStatement(
            sql: "INSERT INTO batch (id, header, signature) VALUES (1, ?, ?)"
        )
        try insert.execute(arguments: [Data(batch.signedHeader), Data(batch.signature)])
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO batch_record
                    (id, record, moved_to, counter, replaced, is_tombstone, kind, box, protection,
                     work, revision)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        for (position, entry) in entries.enumerated() {
            let envelope = entry.envelope
            let sealed = try rows.seal(
                entry.work.encoded,
                table: .batchRecord,
                record: envelope.recordID,
                kind: envelope.kind,
                protection: entry.waiting.protection
            )
            var replaced = CanonicalEncoder()
            replaced.dots(envelope.replaced)
            try statement.execute(arguments: [
                position, Data(envelope.recordID.bytes),
                entry.waiting.movedTo.map { Data($0.bytes) }, Int64(envelope.dot.counter),
                Data(replaced.encoded), envelope.isTombstone, envelope.kind.column,
                Data(envelope.box), entry.waiting.protection.column, Data(sealed.box),
                Data(sealed.revision),
            ])
        }
    }

    /// The records of the batch, in its order, as they stood in the outbox.
    package func records(in database: Database) throws -> [OutboxTable.Waiting] {
        let statement = try database.cachedStatement(
            sql: "SELECT record, kind, moved_to, protection FROM batch_record ORDER BY id"
        )
        return try Row.fetchAll(statement).map(OutboxTable.Waiting.init)
    }

    package func delete(from database: Database) throws {
        try database.cachedStatement(sql: "DELETE FROM batch_record").execute()
        try database.cachedStatement(sql: "DELETE FROM batch").execute()
    }
}
