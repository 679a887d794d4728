internal import GRDB
internal import KSCausality
internal import KSRecords

// Accepted batches, with the answers for their retries.

extension AccountRow {
    /// The actor's batch with the same first counter, if it is one of its last.
    func acceptedBatch(_ header: BatchHeader) throws -> (chain: Hash, answer: PushAnswer)? {
        guard let firstCounter = Int64(exactly: header.firstCounter) else { return nil }
        let row = try database.row(
            """
            SELECT record_count, chain, epoch, first_seq, tag, circle_version, dots
            FROM accepted_batch
            WHERE account = ? AND actor = ? AND first_counter = ?
            """,
            [number, header.actor.column, firstCounter]
        )
        guard let row else { return nil }
        let count: UInt64 = row[0]
        let firstSeq: UInt64 = row[3]
        return (
            chain: try Hash(column: row[1]),
            answer: PushAnswer(
                records: try DotsColumn.decode(
                    row[6],
                    firstDot: header.firstDot,
                    firstSeq: firstSeq,
                    count: Int(count)
                ),
                cursor: KSRecords.Cursor(
                    epoch: try StoreEpoch(column: row[2]),
                    seq: firstSeq + count - 1,
                    tag: try CommitTag(column: row[4])
                ),
                circleVersion: row[5]
            )
        )
    }

    /// Saves a batch and its answer, and deletes those that are too old for a retry.
    func save(_ answer: PushAnswer, to header: BatchHeader) throws {
        try database.run(
            """
            INSERT INTO accepted_batch (
                account, actor, first_counter, record_count, chain, epoch, first_seq, tag,
                circle_version, dots
            )
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                number, header.actor.column, header.firstCounter, header.count,
                header.chain.data, answer.cursor.epoch.data, answer.cursor.seq - (header.count - 1),
                answer.cursor.tag.data, answer.circleVersion,
                DotsColumn.encode(answer.records, firstDot: header.firstDot),
            ]
        )
        try database.run(
            """
            DELETE FROM accepted_batch
            WHERE account = ?1 AND actor = ?2 AND first_counter <= (
                SELECT first_counter FROM accepted_batch WHERE account = ?1 AND actor = ?2
                ORDER BY first_counter DESC LIMIT 1 OFFSET ?3
            )
            """,
            [number, header.actor.column, Limits.retriableBatchesMax]
        )
    }
}

extension BatchHeader {
    fileprivate var firstDot: Dot { Dot(actor: actor, counter: firstCounter) }
}
