internal import KSCausality
internal import KSRecords
internal import KSStore

// The rows of a circle. Parameter 1 of every statement is the account.

extension Statement {
    /// The newest entry; a row without one if only the account is there.
    static func newestEntry(of account: AccountID) -> Statement {
        Statement(
            """
            SELECT (
                SELECT entry FROM circle_entry
                WHERE circle_entry.account = $1 AND version = account.circle_version
            )
            FROM account WHERE account = $1
            """,
            .id(account)
        )
    }

    static func entry(version: UInt64, of account: AccountID) -> Statement {
        Statement(
            "SELECT entry FROM circle_entry WHERE account = $1 AND version = $2",
            .id(account),
            .integer(version)
        )
    }

    static func entries(after version: UInt64, of account: AccountID) -> Statement {
        Statement(
            """
            SELECT entry FROM circle_entry WHERE account = $1 AND version > $2 ORDER BY version
            """,
            .id(account),
            .integer(version)
        )
    }

    static func credentialsBox(of account: AccountID) -> Statement {
        Statement("SELECT credentials_box FROM account WHERE account = $1", .id(account))
    }

    /// All key envelopes of the newest entry.
    static func envelopes(of account: AccountID) -> Statement {
        Statement(
            "SELECT member, sealed FROM key_envelope WHERE account = $1 ORDER BY member",
            .id(account)
        )
    }

    /// The envelope that the entry which began a generation had for a member, and that entry.
    static func envelope(
        ofGeneration generation: UInt64,
        for member: MemberID,
        of account: AccountID
    ) -> Statement {
        Statement(
            """
            SELECT circle_entry.entry, generation_envelope.sealed
            FROM generation_envelope
            JOIN circle_entry ON circle_entry.account = $1
                AND circle_entry.version = generation_envelope.version
            WHERE generation_envelope.account = $1 AND generation_envelope.generation = $2
                AND generation_envelope.member = $3
            """,
            .id(account),
            .integer(generation),
            .id(member)
        )
    }

    static func addEntry(_ entry: [UInt8], version: UInt64, to account: AccountID) -> Statement {
        Statement(
            "INSERT INTO circle_entry (account, version, entry) VALUES ($1, $2, $3)",
            .id(account),
            .integer(version),
            .bytes(entry)
        )
    }

    /// Counts bytes of the circle against the account's quota.
    static func growCircle(byBytes count: Int, of account: AccountID) -> Statement {
        Statement(
            "UPDATE account SET circle_bytes = circle_bytes + $2 WHERE account = $1",
            .id(account),
            .integer(count)
        )
    }

    static func setCircle(version: UInt64, generation: UInt64, of account: AccountID) -> Statement {
        Statement(
            "UPDATE account SET circle_version = $2, generation = $3 WHERE account = $1",
            .id(account),
            .integer(version),
            .integer(generation)
        )
    }

    static func setCredentialsBox(_ box: [UInt8], of account: AccountID) -> Statement {
        Statement(
            "UPDATE account SET credentials_box = $2 WHERE account = $1",
            .id(account),
            .bytes(box)
        )
    }

    static func addEnvelopes(_ envelopes: [KeyEnvelope], to account: AccountID) -> Statement {
        Statement(
            """
            INSERT INTO key_envelope (account, member, sealed)
            SELECT $1, member, sealed FROM unnest($2::uuid[], $3::bytea[]) AS new (member, sealed)
            """,
            .id(account),
            .ids(envelopes.map(\.member)),
            .byteLists(envelopes.map(\.sealed))
        )
    }

    /// Keeps the envelopes of the entry that begins a generation.
    static func keepEnvelopes(
        _ envelopes: [KeyEnvelope],
        of entry: CircleEntry,
        in account: AccountID
    ) -> Statement {
        Statement(
            """
            INSERT INTO generation_envelope (account, generation, member, version, sealed)
            SELECT $1, $2, member, $3, sealed
            FROM unnest($4::uuid[], $5::bytea[]) AS new (member, sealed)
            """,
            .id(account),
            .integer(entry.generation),
            .integer(entry.version),
            .ids(envelopes.map(\.member)),
            .byteLists(envelopes.map(\.sealed))
        )
    }

    static func removeMembers(except members: [Member], of account: AccountID) -> Statement {
        Statement(
            "DELETE FROM member WHERE account = $1 AND NOT (id = ANY ($2::uuid[]))",
            .id(account),
            .ids(members.map(\.id))
        )
    }

    /// Adds the members that are new.
    static func addMembers(
        _ members: [Member],
        epoch: StoreEpoch,
        to account: AccountID,
        nowSeconds: UInt64
    ) -> Statement {
        Statement(
            """
            INSERT INTO member (account, id, kind, epoch, last_contact_seconds)
            SELECT $1, id, kind, $2, $3 FROM unnest($4::uuid[], $5::bigint[]) AS new (id, kind)
            ON CONFLICT (account, id) DO NOTHING
            """,
            .id(account),
            .id(epoch),
            .integer(nowSeconds),
            .ids(members.map(\.id)),
            .integers(members.map { Int64($0.kind.rawValue) })
        )
    }
}
