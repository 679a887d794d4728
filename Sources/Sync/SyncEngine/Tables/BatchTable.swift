internal import KSCausality
internal import GRDB
internal import KSRecords
internal import KSResolution
internal import KSSealing

/// The batch on its way, in `batch` and `batch_record`.
struct BatchTable: Sendable {
    let rows: SealedRows

    func exists(in database: Database) throws -> Bool {
        try database.hasRow("SELECT 1 FROM batch")
    }

    /// The batch, as it was sealed.
    ///
    /// A batch that does not match its signature is damaged: the server would always refuse it.
    func load(signedBy signer: BatchSigner, from database: Database) throws -> Kept<Batch> {
        guard let row = try database.rows("SELECT header, signature FROM batch").first else {
            return .none
        }
        return try Kept {
            let batch = try batch(row, in: database)
            guard signer.hasSigned(batch) else { throw SyncEngineError.corruptDatabase }
            _ = try batch.checkedHeader()
            return batch
        }
    }

    private func batch(_ row: Row, in database: Database) throws -> Batch {
        let header = try BatchHeader(decoding: row.bytes("header"))
        let envelopes = try database.rows(
            """
            SELECT record, counter, replaced, is_tombstone, kind, box FROM batch_record ORDER BY id
            """
        ).map { record in
            var replaced = CanonicalDecoder(record.bytes("replaced"))
            return Envelope(
                recordID: try record.fixed("record"),
                dot: Dot(actor: header.actor, counter: try record.unsigned("counter")),
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
    struct Entry {
        let envelope: Envelope
        let work: SealedEdit
        /// The encoded state of `work`.
        let text: [UInt8]
        let waiting: OutboxTable.Waiting
    }

    func save(_ batch: Batch, entries: [Entry], in database: Database) throws {
        try database.run(
            "INSERT INTO batch (id, header, signature) VALUES (1, ?, ?)",
            [batch.signedHeader.column, batch.signature.column]
        )
        for (position, entry) in entries.enumerated() {
            let envelope = entry.envelope
            let sealed = try rows.seal(
                entry.work.encoded(state: entry.text),
                table: .batchRecord,
                record: envelope.recordID,
                kind: envelope.kind,
                protection: entry.waiting.protection
            )
            var replaced = CanonicalEncoder()
            replaced.dots(envelope.replaced)
            try database.run(
                """
                INSERT INTO batch_record
                    (id, record, tied_to, counter, replaced, is_tombstone, kind, box, protection,
                     work, revision)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    position, envelope.recordID.column, entry.waiting.tiedTo?.column,
                    envelope.dot.counter.column, replaced.encoded.column, envelope.isTombstone,
                    envelope.kind.column, envelope.box.column, entry.waiting.protection.column,
                    sealed.box.column, sealed.revision.column,
                ]
            )
        }
    }

    /// The records of the batch, in its order, as they stood in the outbox.
    func records(in database: Database) throws -> [OutboxTable.Waiting] {
        try database.rows(
            "SELECT record, kind, tied_to, protection FROM batch_record ORDER BY id"
        ).map { try .init($0) }
    }

    func delete(from database: Database) throws {
        try database.run("DELETE FROM batch_record")
        try database.run("DELETE FROM batch")
    }
}
