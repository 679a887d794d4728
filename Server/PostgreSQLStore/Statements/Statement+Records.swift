internal import KSCausality
internal import KSMerging
internal import KSRecords
internal import KSStore

// Records, batches and tags. Parameter 1 of every statement is the account.

extension Statement {
    // MARK: Loading what decides about a batch

    static func actors(_ ids: [ActorID], of account: AccountID) -> Statement {
        Statement(
            """
            SELECT id, member, accepted, chain, is_closed FROM actor
            WHERE account = $1 AND id = ANY ($2::bigint[])
            """,
            .id(account),
            .actors(ids)
        )
    }

    /// The actor's batch with the same first counter, if it is one of its last.
    static func acceptedBatch(_ header: BatchHeader) -> Statement {
        Statement(
            """
            SELECT record_count, chain, epoch, first_seq, tag, circle_version, dots
            FROM accepted_batch
            WHERE account = $1 AND actor = $2 AND first_counter = $3
            """,
            .id(header.account),
            .actor(header.actor),
            .integer(header.firstCounter)
        )
    }

    /// The tag of a seq that the account has reached.
    static func tag(of seq: UInt64, in account: AccountID) -> Statement {
        Statement(
            "SELECT tag FROM commit_tag WHERE account = $1 AND seq >= $2 ORDER BY seq LIMIT 1",
            .id(account),
            .integer(seq)
        )
    }

    /// Records without their boxes.
    static func records(_ ids: [RecordID], of account: AccountID) -> Statement {
        Statement(
            """
            SELECT id, seq, siblings FROM record WHERE account = $1 AND id = ANY ($2::bytea[])
            """,
            .id(account),
            .byteLists(ids.map(\.bytes))
        )
    }

    static func boxes(of ids: [RecordID], in account: AccountID) -> Statement {
        Statement(
            "SELECT id, boxes FROM record WHERE account = $1 AND id = ANY ($2::bytea[])",
            .id(account),
            .byteLists(ids.map(\.bytes))
        )
    }

    // MARK: Saving an accepted batch

    /// Saves records whole, each with its columns `siblings` and `boxes`.
    static func save(
        _ records: [(record: HeldRecord, siblings: [UInt8], boxes: [UInt8])],
        of account: AccountID
    ) -> Statement {
        Statement(
            """
            INSERT INTO record (account, id, seq, is_deleted, siblings, boxes)
            SELECT $1, id, seq, is_deleted, siblings, boxes
            FROM unnest($2::bytea[], $3::bigint[], $4::boolean[], $5::bytea[], $6::bytea[])
                AS new (id, seq, is_deleted, siblings, boxes)
            ON CONFLICT (account, id) DO UPDATE
            SET seq = excluded.seq, is_deleted = excluded.is_deleted,
                siblings = excluded.siblings, boxes = excluded.boxes
            """,
            .id(account),
            .byteLists(records.map(\.record.id.bytes)),
            .integers(records.map { Int64($0.record.seq) }),
            .booleans(records.map(\.record.siblings.areAllTombstones)),
            .byteLists(records.map(\.siblings)),
            .byteLists(records.map(\.boxes))
        )
    }

    static func addTag(_ cursor: Cursor, of account: AccountID, nowSeconds: UInt64) -> Statement {
        Statement(
            """
            INSERT INTO commit_tag (account, seq, tag, written_seconds) VALUES ($1, $2, $3, $4)
            """,
            .id(account),
            .integer(cursor.seq),
            .bytes(cursor.tag.bytes),
            .integer(nowSeconds)
        )
    }

    static func advance(_ account: AccountID, by change: PushChange) -> Statement {
        Statement(
            """
            UPDATE account
            SET seq = $2, record_count = record_count + $3, stored_bytes = stored_bytes + $4
            WHERE account = $1
            """,
            .id(account),
            .integer(change.answer.cursor.seq),
            .integer(change.newRecordCount),
            .integer(change.growthBytes)
        )
    }

    /// Raises an actor to the end of its newest batch.
    static func advance(_ header: BatchHeader, of member: MemberID) -> Statement {
        Statement(
            """
            INSERT INTO actor (account, id, member, accepted, chain) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (account, id)
            DO UPDATE SET accepted = excluded.accepted, chain = excluded.chain
            """,
            .id(header.account),
            .actor(header.actor),
            .id(member),
            .integer(header.lastCounter),
            .bytes(header.chain.bytes)
        )
    }

    static func addAcceptedBatch(
        _ header: BatchHeader,
        _ answer: PushAnswer,
        dots: [UInt8]
    ) -> Statement {
        Statement(
            """
            INSERT INTO accepted_batch (
                account, actor, first_counter, record_count, chain, epoch, first_seq, tag,
                circle_version, dots
            )
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """,
            .id(header.account),
            .actor(header.actor),
            .integer(header.firstCounter),
            .integer(header.count),
            .bytes(header.chain.bytes),
            .id(answer.cursor.epoch),
            .integer(answer.cursor.seq - (header.count - 1)),
            .bytes(answer.cursor.tag.bytes),
            .integer(answer.circleVersion),
            .bytes(dots)
        )
    }

    /// Deletes the actor's batches that are too old for a retry.
    static func removeOldBatches(_ header: BatchHeader) -> Statement {
        Statement(
            """
            DELETE FROM accepted_batch
            WHERE account = $1 AND actor = $2 AND first_counter <= (
                SELECT old.first_counter FROM accepted_batch AS old
                WHERE old.account = $1 AND old.actor = $2
                ORDER BY old.first_counter DESC LIMIT 1 OFFSET $3
            )
            """,
            .id(header.account),
            .actor(header.actor),
            .integer(Limits.retriableBatchesMax)
        )
    }

    // MARK: Pulling

    /// The records after a seq, in their order: those that fit a page, and one or two more.
    static func page(
        of account: AccountID,
        after seq: UInt64,
        recordsMax: Int,
        bytesMax: Int
    ) -> Statement {
        Statement(
            """
            SELECT seq, id, siblings, boxes FROM (
                SELECT seq, id, siblings, boxes,
                    sum(octet_length(siblings) + octet_length(boxes)) OVER (
                        ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING
                    ) AS bytes_before
                FROM (
                    SELECT seq, id, siblings, boxes FROM record
                    WHERE account = $1 AND seq > $2
                    ORDER BY seq LIMIT $3
                ) AS next
            ) AS counted
            WHERE coalesce(bytes_before, 0) <= $4
            ORDER BY seq
            """,
            .id(account),
            .integer(seq),
            .integer(recordsMax + 1),
            .integer(bytesMax)
        )
    }

    /// The newest record up to a seq.
    static func record(upTo seq: UInt64, of account: AccountID) -> Statement {
        Statement(
            """
            SELECT seq, id, siblings, boxes FROM record
            WHERE account = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1
            """,
            .id(account),
            .integer(seq)
        )
    }
}
