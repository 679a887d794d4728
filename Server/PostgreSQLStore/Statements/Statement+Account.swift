internal import KSCausality
internal import KSRecords

// The account's own row, its vector and its end. Parameter 1 of every statement is the account.

extension Statement {
    private static let columns = """
        account, name, look_up_name, epoch, seq, removal_horizon, circle_version, generation,
            stored_bytes, circle_bytes, quota_bytes, is_suspended, created_seconds, record_count
        """

    /// The account as ``AccountSnapshot`` reads it.
    static func account(_ account: AccountID) -> Statement {
        Statement("SELECT \(columns) FROM account WHERE account = $1", .id(account))
    }

    /// The account, which nobody else changes until the transaction ends.
    static func lockAccount(_ account: AccountID) -> Statement {
        Statement("SELECT \(columns) FROM account WHERE account = $1 FOR UPDATE", .id(account))
    }

    /// The account, and the tag of its seq.
    static func accountWithTag(_ account: AccountID) -> Statement {
        Statement(
            """
            SELECT \(columns), (
                SELECT tag FROM commit_tag
                WHERE commit_tag.account = $1 AND commit_tag.seq = account.seq
            )
            FROM account WHERE account = $1
            """,
            .id(account)
        )
    }

    /// Accounts of a list, each with the tag of its seq.
    static func accountsWithTag(_ accounts: [AccountID]) -> Statement {
        Statement(
            """
            SELECT \(columns), (
                SELECT tag FROM commit_tag
                WHERE commit_tag.account = account.account AND commit_tag.seq = account.seq
            )
            FROM account WHERE account = ANY ($1::uuid[])
            """,
            .ids(accounts)
        )
    }

    /// Adds the account, unless its id is taken.
    static func addAccount(
        _ account: AccountID,
        named name: String,
        lookUpName: String,
        epoch: StoreEpoch,
        generation: UInt64,
        credentialsBox: [UInt8],
        nowSeconds: UInt64
    ) -> Statement {
        Statement(
            """
            INSERT INTO account (
                account, name, look_up_name, epoch, circle_version, generation, credentials_box,
                created_seconds
            )
            VALUES ($1, $2, $3, $4, 1, $5, $6, $7)
            ON CONFLICT (account) DO NOTHING
            """,
            .id(account),
            .text(name),
            .text(lookUpName),
            .id(epoch),
            .integer(generation),
            .bytes(credentialsBox),
            .integer(nowSeconds)
        )
    }

    /// Every table whose rows belong to an account; the account's own row goes last.
    static let accountTables = [
        "circle_entry", "key_envelope", "generation_envelope", "member", "actor", "accepted_batch",
        "commit_tag", "record", "account",
    ]

    static func deleteAll(of account: AccountID, in table: String) -> Statement {
        Statement("DELETE FROM \(table) WHERE account = $1", .id(account))
    }

    // MARK: The vector

    static func vector(of account: AccountID) -> Statement {
        Statement("SELECT id, accepted FROM actor WHERE account = $1", .id(account))
    }

    /// The actors that may still write.
    static func openActors(of account: AccountID) -> Statement {
        Statement("SELECT id FROM actor WHERE account = $1 AND NOT is_closed", .id(account))
    }

    static func closeActors(of account: AccountID) -> Statement {
        Statement(
            "UPDATE actor SET is_closed = true WHERE account = $1 AND NOT is_closed",
            .id(account)
        )
    }

    /// Raises these actors, which never write again.
    static func raise(
        to vector: VersionVector,
        by member: MemberID,
        of account: AccountID
    ) -> Statement {
        Statement(
            """
            INSERT INTO actor (account, id, member, accepted, chain, is_closed)
            SELECT $1, id, $2, accepted, $3, true
            FROM unnest($4::bigint[], $5::bigint[]) AS raised (id, accepted)
            ON CONFLICT (account, id) DO UPDATE SET accepted = excluded.accepted
            """,
            .id(account),
            .id(member),
            .bytes(Hash.zero.bytes),
            .actors(vector.entries.map(\.actor)),
            .integers(vector.entries.map { Int64(clamping: $0.counter) })
        )
    }

    // MARK: Epochs and contacts

    static func setEpoch(_ epoch: StoreEpoch, of account: AccountID) -> Statement {
        Statement("UPDATE account SET epoch = $2 WHERE account = $1", .id(account), .id(epoch))
    }

    /// Forgets what members have applied in earlier epochs, and takes none for silent.
    static func beginContacts(
        in epoch: StoreEpoch,
        of account: AccountID,
        nowSeconds: UInt64
    ) -> Statement {
        Statement(
            """
            UPDATE member
            SET epoch = $2, applied_seq = 0, last_contact_seconds = $3, is_dormant = false
            WHERE account = $1
            """,
            .id(account),
            .id(epoch),
            .integer(nowSeconds)
        )
    }

    static func member(_ member: MemberID, of account: AccountID) -> Statement {
        Statement(
            """
            SELECT kind, applied_seq, last_contact_seconds, is_dormant FROM member
            WHERE account = $1 AND id = $2
            """,
            .id(account),
            .id(member)
        )
    }

    /// Saves a member's contact, and the seq up to which it has applied, which never falls.
    ///
    /// `epoch`: the epoch that the seq belongs to; nil if the request names no seq. If the account
    /// has another epoch by now, nothing is saved.
    static func noteContact(
        of member: MemberID,
        appliedSeq: UInt64,
        epoch: StoreEpoch?,
        in account: AccountID,
        nowSeconds: UInt64
    ) -> Statement {
        Statement(
            """
            UPDATE member
            SET applied_seq = greatest(applied_seq, $3), last_contact_seconds = $4,
                is_dormant = false
            WHERE account = $1 AND id = $2 AND ($5::uuid IS NULL OR epoch = $5)
            """,
            .id(account),
            .id(member),
            .integer(appliedSeq),
            .integer(nowSeconds),
            .id(bytes: epoch?.bytes)
        )
    }
}
