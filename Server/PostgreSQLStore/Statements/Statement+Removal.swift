internal import KSRecords
internal import KSStore

// The end of deleted records. Parameter 1 of every statement but the first is the account.

extension Statement {
    /// The first accounts after this one, by id.
    static func accounts(after account: AccountID?, countMax: Int) -> Statement {
        Statement(
            """
            SELECT account FROM account
            WHERE $1::uuid IS NULL OR account > $1
            ORDER BY account LIMIT $2
            """,
            .id(bytes: account?.bytes),
            .integer(countMax)
        )
    }

    /// Marks the devices that hold no removal back any more.
    static func noteDormant(since seconds: UInt64, of account: AccountID) -> Statement {
        Statement(
            """
            UPDATE member SET is_dormant = true
            WHERE account = $1 AND NOT is_dormant AND last_contact_seconds <= $2
            """,
            .id(account),
            .integer(seconds)
        )
    }

    /// The highest seq that was written at this time or before.
    static func seq(writtenBy seconds: UInt64, in account: AccountID) -> Statement {
        Statement(
            """
            SELECT seq FROM commit_tag WHERE account = $1 AND written_seconds <= $2
            ORDER BY seq DESC LIMIT 1
            """,
            .id(account),
            .integer(seconds)
        )
    }

    /// The contacts of the devices of the circle's newest entry.
    static func devices(of account: AccountID) -> Statement {
        Statement(
            """
            SELECT applied_seq, last_contact_seconds, is_dormant FROM member
            WHERE account = $1 AND kind = $2
            """,
            .id(account),
            .integer(MemberKind.device.rawValue)
        )
    }

    /// The oldest records of tombstones alone, up to a seq.
    static func deletedRecords(
        of account: AccountID,
        upTo seq: UInt64,
        countMax: Int
    ) -> Statement {
        Statement(
            """
            SELECT seq, id, siblings FROM record
            WHERE account = $1 AND is_deleted AND seq <= $2
            ORDER BY seq LIMIT $3
            """,
            .id(account),
            .integer(seq),
            .integer(countMax)
        )
    }

    static func removeRecords(_ ids: [[UInt8]], of account: AccountID) -> Statement {
        Statement(
            "DELETE FROM record WHERE account = $1 AND id = ANY ($2::bytea[])",
            .id(account),
            .byteLists(ids)
        )
    }

    static func raiseHorizon(
        to seq: UInt64,
        removedRecords count: Int,
        freedBytes: Int64,
        of account: AccountID
    ) -> Statement {
        Statement(
            """
            UPDATE account
            SET removal_horizon = $2, record_count = record_count - $3,
                stored_bytes = stored_bytes - $4
            WHERE account = $1
            """,
            .id(account),
            .integer(seq),
            .integer(count),
            .integer(freedBytes)
        )
    }

    /// Removes the oldest tags before a seq, whose cursors are refused without a look at the tag.
    static func removeTags(before seq: UInt64, of account: AccountID, countMax: Int) -> Statement {
        Statement(
            """
            DELETE FROM commit_tag WHERE account = $1 AND seq IN (
                SELECT old.seq FROM commit_tag AS old
                WHERE old.account = $1 AND old.seq < $2 ORDER BY old.seq LIMIT $3
            )
            """,
            .id(account),
            .integer(seq),
            .integer(countMax)
        )
    }

    /// Removes the answers to batches that nobody sends again.
    ///
    /// A device has one batch without an answer at most. That of a dormant device stays: when it
    /// returns, it has to learn that the batch was accepted, or it would make its writes again,
    /// although others may have deleted them since.
    static func removeAcceptedBatches(upTo seq: UInt64, of account: AccountID) -> Statement {
        Statement(
            """
            DELETE FROM accepted_batch
            WHERE account = $1 AND first_seq + record_count - 1 <= $2
                AND (
                    first_counter < (
                        SELECT max(newer.first_counter) FROM accepted_batch AS newer
                        WHERE newer.account = $1 AND newer.actor = accepted_batch.actor
                    )
                    OR NOT EXISTS (
                        SELECT 1 FROM actor
                        JOIN member ON member.account = $1 AND member.id = actor.member
                        WHERE actor.account = $1 AND actor.id = accepted_batch.actor
                            AND member.applied_seq
                                < accepted_batch.first_seq + accepted_batch.record_count - 1
                    )
                )
            """,
            .id(account),
            .integer(seq)
        )
    }
}
