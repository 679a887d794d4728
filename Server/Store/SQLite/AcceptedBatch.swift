internal import KSCausality
internal import Foundation
internal import GRDB
internal import KSRecords

/// A batch that was accepted, with the answer that every retry of it gets.
enum AcceptedBatch {
    /// The answer to this very batch, when it is one of the actor's last.
    static func answer(
        to header: BatchHeader,
        of account: AccountRow,
        in database: Database
    ) throws -> PushAnswer? {
        guard let firstCounter = Int64(exactly: header.firstCounter) else { return nil }
        let statement = try database.cachedStatement(
            sql: """
                SELECT record_count, chain, epoch, first_seq, tag, circle_version, dots
                FROM accepted_batch
                WHERE account = ? AND actor = ? AND first_counter = ?
                """
        )
        let arguments: StatementArguments = [account.number, header.actor.column, firstCounter]
        guard let row = try Row.fetchOne(statement, arguments: arguments),
            row[0] == header.count, row[1] == header.chain.data
        else { return nil }
        let firstSeq: UInt64 = row[3]
        return PushAnswer(
            records: try records(of: header, firstSeq: firstSeq, dots: row[6]),
            cursor: KSRecords.Cursor(
                epoch: try StoreEpoch(column: row[2]),
                seq: firstSeq + header.count - 1,
                tag: try CommitTag(column: row[4])
            ),
            circleVersion: row[5]
        )
    }

    /// Notes a batch and its answer, and forgets those that are too old to be retried.
    static func store(
        _ answer: PushAnswer,
        to header: BatchHeader,
        of account: AccountRow,
        in database: Database
    ) throws {
        let insertion = try database.cachedStatement(
            sql: """
                INSERT INTO accepted_batch (
                    account, actor, first_counter, record_count, chain, epoch, first_seq, tag,
                    circle_version, dots
                )
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        try insertion.execute(arguments: [
            account.number, header.actor.column, header.firstCounter, header.count,
            header.chain.data, answer.cursor.epoch.data, answer.cursor.seq - (header.count - 1),
            answer.cursor.tag.data, answer.circleVersion, encodedDots(of: answer, to: header),
        ])
        let removal = try database.cachedStatement(
            sql: """
                DELETE FROM accepted_batch
                WHERE account = ?1 AND actor = ?2 AND first_counter <= (
                    SELECT first_counter FROM accepted_batch WHERE account = ?1 AND actor = ?2
                    ORDER BY first_counter DESC LIMIT 1 OFFSET ?3
                )
                """
        )
        try removal.execute(arguments: [
            account.number, header.actor.column, Limits.retriableBatchesMax,
        ])
    }

    /// Most records hold nothing but the write itself, which goes without saying.
    private static func encodedDots(of answer: PushAnswer, to header: BatchHeader) -> Data {
        let others = answer.records.enumerated().filter { index, record in
            record.dots != [header.dot(at: index)]
        }
        var encoder = CanonicalEncoder()
        encoder.list(others) { encoder, other in
            encoder.integer(UInt64(other.offset))
            encoder.dots(other.element.dots)
        }
        return encoder.encoded.data
    }

    private static func records(
        of header: BatchHeader,
        firstSeq: UInt64,
        dots: Data
    ) throws -> [PushedRecord] {
        var records = (0..<Int(header.count)).map { index in
            PushedRecord(seq: firstSeq + UInt64(index), dots: [header.dot(at: index)])
        }
        var decoder = CanonicalDecoder(Array(dots))
        let others = try decoder.list { decoder throws(RecordsError) in
            (index: try decoder.integer(), dots: try decoder.dots())
        }
        for other in others {
            guard let index = Int(exactly: other.index), records.indices.contains(index) else {
                throw StoreError.damaged
            }
            records[index] = PushedRecord(seq: records[index].seq, dots: other.dots)
        }
        return records
    }
}

extension BatchHeader {
    fileprivate func dot(at index: Int) -> Dot {
        Dot(actor: actor, counter: firstCounter + UInt64(index))
    }
}
