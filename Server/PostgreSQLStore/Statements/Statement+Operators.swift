internal import KSRecords

// What operators see and do. Parameter 1 of every statement is the account.

extension Statement {
    static func allMembers(of account: AccountID) -> Statement {
        Statement(
            """
            SELECT id, kind, applied_seq, last_contact_seconds, is_dormant FROM member
            WHERE account = $1 ORDER BY last_contact_seconds DESC, id
            """,
            .id(account)
        )
    }

    /// `bytes`: nil for that of the server.
    static func setQuota(_ bytes: UInt64?, of account: AccountID) -> Statement {
        // 0 stands for none.
        Statement(
            "UPDATE account SET quota_bytes = nullif($2, 0) WHERE account = $1",
            .id(account),
            .integer(bytes.map { max(1, $0) } ?? 0)
        )
    }

    static func setSuspended(_ isSuspended: Bool, _ account: AccountID) -> Statement {
        Statement(
            "UPDATE account SET is_suspended = $2 WHERE account = $1",
            .id(account),
            .boolean(isSuspended)
        )
    }

    static func suspended(_ account: AccountID) -> Statement {
        Statement("SELECT is_suspended FROM account WHERE account = $1", .id(account))
    }

    // MARK: Damage

    static func entryColumns(of account: AccountID) -> Statement {
        Statement(
            "SELECT version, entry FROM circle_entry WHERE account = $1 ORDER BY version",
            .id(account)
        )
    }

    static func recordColumns(
        of account: AccountID,
        after seq: UInt64,
        countMax: Int
    ) -> Statement {
        Statement(
            """
            SELECT seq, id, siblings, boxes, is_deleted FROM record
            WHERE account = $1 AND seq > $2 ORDER BY seq LIMIT $3
            """,
            .id(account),
            .integer(seq),
            .integer(countMax)
        )
    }

    static func removeRecords(ofSeqs seqs: [UInt64], in account: AccountID) -> Statement {
        Statement(
            "DELETE FROM record WHERE account = $1 AND seq = ANY ($2::bigint[])",
            .id(account),
            .integers(seqs.map { Int64($0) })
        )
    }

    static func setCounts(_ records: UInt64, _ bytes: Int64, of account: AccountID) -> Statement {
        Statement(
            "UPDATE account SET record_count = $2, stored_bytes = $3 WHERE account = $1",
            .id(account),
            .integer(records),
            .integer(bytes)
        )
    }

    static func removeEntries(after version: UInt64, of account: AccountID) -> Statement {
        Statement(
            "DELETE FROM circle_entry WHERE account = $1 AND version > $2",
            .id(account),
            .integer(version)
        )
    }

    static func removeEnvelopes(after version: UInt64, of account: AccountID) -> Statement {
        Statement(
            "DELETE FROM generation_envelope WHERE account = $1 AND version > $2",
            .id(account),
            .integer(version)
        )
    }

    static func setCircleBytes(entries bytes: Int, of account: AccountID) -> Statement {
        Statement(
            """
            UPDATE account SET circle_bytes = $2 + (
                SELECT coalesce(sum(octet_length(sealed)), 0)::bigint FROM generation_envelope
                WHERE generation_envelope.account = $1
            )
            WHERE account = $1
            """,
            .id(account),
            .integer(bytes)
        )
    }

    static func openActorCount(of member: MemberID, in account: AccountID) -> Statement {
        Statement(
            """
            SELECT count(*) FROM actor
            WHERE account = $1 AND member = $2 AND NOT is_closed
            """,
            .id(account),
            .id(member)
        )
    }
}
