internal import KSRecords

// What belongs to no account: the store itself, the servers, nonces, invitations and names.

extension Statement {
    // MARK: The store itself

    static func addServer(epoch: [UInt8]) -> Statement {
        Statement(
            "INSERT INTO server (number, epoch) VALUES (1, $1) ON CONFLICT (number) DO NOTHING",
            .id(bytes: epoch)
        )
    }

    static let server = Statement(
        "SELECT epoch, served_seconds, is_copy FROM server WHERE number = 1"
    )

    /// Moves the store's own time forward to this, never back.
    static func passTime(to seconds: UInt64) -> Statement {
        Statement(
            """
            UPDATE server SET served_seconds = greatest(served_seconds, $1) WHERE number = 1
            RETURNING served_seconds
            """,
            .integer(seconds)
        )
    }

    /// Keeps the secret that another server has made first.
    static func addSecret(_ secret: [UInt8]) -> Statement {
        Statement(
            """
            INSERT INTO server_secret (number, secret) VALUES (1, $1)
            ON CONFLICT (number) DO NOTHING
            """,
            .bytes(secret)
        )
    }

    static let secret = Statement("SELECT secret FROM server_secret WHERE number = 1")

    static func setSecret(_ secret: [UInt8]) -> Statement {
        Statement(
            """
            INSERT INTO server_secret (number, secret) VALUES (1, $1)
            ON CONFLICT (number) DO UPDATE SET secret = excluded.secret
            """,
            .bytes(secret)
        )
    }

    // MARK: Servers

    /// Says how many announcements a server has made, for those that do not hear them.
    static func countAnnouncements(_ count: UInt64, of node: [UInt8]) -> Statement {
        Statement(
            """
            INSERT INTO node (node, announcements, announced_at) VALUES ($1, $2, now())
            ON CONFLICT (node) DO UPDATE
            SET announcements = excluded.announcements, announced_at = now()
            """,
            .id(bytes: node),
            .integer(count)
        )
    }

    /// Says that a server runs.
    static func noteRunning(_ node: [UInt8]) -> Statement {
        Statement(
            """
            INSERT INTO node (node, announcements, announced_at) VALUES ($1, 0, now())
            ON CONFLICT (node) DO UPDATE SET announced_at = now()
            """,
            .id(bytes: node)
        )
    }

    /// Says that a server has stopped; others may still look at its count.
    static func noteStopped(_ node: [UInt8]) -> Statement {
        Statement(
            "UPDATE node SET announced_at = now() - interval '1 minute' WHERE node = $1",
            .id(bytes: node)
        )
    }

    /// Sends one message to all servers that listen.
    static func announce(_ message: String) -> Statement {
        Statement("SELECT pg_notify('keychain_sync', $1)", .text(message))
    }

    static let listen = Statement("LISTEN keychain_sync")

    static let announcements = Statement("SELECT node, announcements FROM node")

    static let removeOldNodes = Statement(
        "DELETE FROM node WHERE announced_at < now() - interval '1 day'"
    )

    // MARK: Nonces

    /// Marks a nonce as used by one call, and says by which it was.
    static func useNonce(
        _ nonce: [UInt8],
        expirySeconds: Int64,
        by call: [UInt8]
    ) -> Statement {
        Statement(
            """
            INSERT INTO used_nonce (nonce, expiry_seconds, used_by) VALUES ($1, $2, $3)
            ON CONFLICT (nonce) DO UPDATE SET used_by = used_nonce.used_by
            RETURNING used_by
            """,
            .bytes(nonce),
            .integer(expirySeconds),
            .id(bytes: call)
        )
    }

    static func removeNonces(expiredBefore seconds: UInt64) -> Statement {
        Statement("DELETE FROM used_nonce WHERE expiry_seconds < $1", .integer(seconds))
    }

    // MARK: All accounts

    /// Made of all accounts.
    static func figures(quotaBytes: UInt64) -> Statement {
        Statement(
            """
            SELECT count(*), coalesce(sum(record_count), 0)::bigint,
                coalesce(sum(stored_bytes + circle_bytes), 0)::bigint,
                count(*) FILTER (
                    WHERE stored_bytes + circle_bytes >= coalesce(quota_bytes, $1) / 10 * 9
                ),
                count(*) FILTER (WHERE is_suspended)
            FROM account
            """,
            .integer(quotaBytes)
        )
    }

    // MARK: Invitations

    /// Makes an invitation valid, also one that was used.
    static func addInvitation(_ codeHash: [UInt8]) -> Statement {
        Statement(
            """
            INSERT INTO invitation (code_hash) VALUES ($1)
            ON CONFLICT (code_hash) DO UPDATE SET used_by = NULL
            """,
            .bytes(codeHash)
        )
    }

    static func validInvitation(_ codeHash: [UInt8]) -> Statement {
        Statement(
            "SELECT 1 FROM invitation WHERE code_hash = $1 AND used_by IS NULL",
            .bytes(codeHash)
        )
    }

    static func usedInvitation(_ codeHash: [UInt8]) -> Statement {
        Statement(
            "SELECT 1 FROM invitation WHERE code_hash = $1 AND used_by IS NOT NULL",
            .bytes(codeHash)
        )
    }

    /// Uses an invitation, which the same call may do again.
    static func useInvitation(_ codeHash: [UInt8], by call: [UInt8]) -> Statement {
        Statement(
            """
            UPDATE invitation SET used_by = $2
            WHERE code_hash = $1 AND (used_by IS NULL OR used_by = $2)
            """,
            .bytes(codeHash),
            .id(bytes: call)
        )
    }

    static var invitations: Statement {
        Statement("SELECT code_hash FROM invitation WHERE used_by IS NULL ORDER BY code_hash")
    }

    // MARK: Names

    static func accountID(lookUpName: String) -> Statement {
        Statement("SELECT account FROM account_name WHERE look_up_name = $1", .text(lookUpName))
    }

    /// Takes a name, unless it is taken.
    static func addName(_ lookUpName: String, of account: AccountID) -> Statement {
        Statement(
            """
            INSERT INTO account_name (look_up_name, account) VALUES ($1, $2)
            ON CONFLICT (look_up_name) DO NOTHING
            """,
            .text(lookUpName),
            .id(account)
        )
    }

    static func removeName(_ lookUpName: String, of account: AccountID) -> Statement {
        Statement(
            "DELETE FROM account_name WHERE look_up_name = $1 AND account = $2",
            .text(lookUpName),
            .id(account)
        )
    }
}
