package import KSRecords
internal import KSWire

/// A session: its member, and when it expires.
///
/// Each request checks in the circle that the member still belongs to the account.
package struct Session: Hashable, Sendable {
    let account: AccountID
    let member: MemberID
    /// Since 1970-01-01 00:00 UTC.
    let expirySeconds: UInt64

    package init(account: AccountID, member: MemberID, expirySeconds: UInt64) {
        self.account = account
        self.member = member
        self.expirySeconds = expirySeconds
    }
}

/// Encodes a session as a bearer token with the server's MAC, and decodes it.
package struct SessionTokens: Sendable {
    private static let codeByteCount = 32

    private let secret: ServerSecret
    private let clock: WallClock

    package init(secret: ServerSecret, clock: WallClock) {
        self.secret = secret.derived(label: "sessions")
        self.clock = clock
    }

    package func session(account: AccountID, member: MemberID) -> Session {
        let expiry = clock.seconds() + Limits.sessionSeconds
        return Session(account: account, member: member, expirySeconds: expiry)
    }

    package func token(of session: Session) -> String {
        var encoder = CanonicalEncoder(label: "token")
        encoder.fixed(session.account)
        encoder.fixed(session.member)
        encoder.integer(session.expirySeconds)
        return Base64URL.encode(encoder.encoded + secret.authenticate(encoder.encoded))
    }

    /// The session of this token, or nil if this server did not issue it or it has expired.
    package func session(ofToken token: String) -> Session? {
        guard token.utf8.count < 1024, let bytes = Base64URL.decode(token),
            bytes.count > Self.codeByteCount
        else { return nil }
        let statement = Array(bytes.dropLast(Self.codeByteCount))
        guard secret.isAuthentic(statement, code: Array(bytes.suffix(Self.codeByteCount))),
            // Cannot fail: the statement is authentic, so this program wrote it.
            let session = try? Self.session(decoding: statement),
            isCurrent(session)
        else { return nil }
        return session
    }

    /// Whether the session has not expired, and expires no later than a new one would.
    func isCurrent(_ session: Session) -> Bool {
        let now = clock.seconds()
        return session.expirySeconds > now
            && session.expirySeconds <= now + Limits.sessionSeconds
    }

    private static func session(decoding statement: [UInt8]) throws(RecordsError) -> Session {
        var decoder = try CanonicalDecoder(statement, label: "token")
        let session = Session(
            account: try decoder.fixed(),
            member: try decoder.fixed(),
            expirySeconds: try decoder.integer()
        )
        try decoder.end()
        return session
    }
}
