internal import Hummingbird
internal import KSRecords
internal import KSStore
internal import KSWire

/// Admits requests that carry a valid token.
struct SessionGate: Sendable {
    /// The caller, according to the newest entry of the circle.
    struct Caller: Sendable {
        let session: Session
        let member: Member

        var account: AccountID { session.account }
    }

    let store: StoreShell
    let tokens: SessionTokens
    let limiter: RateLimiter

    /// The caller of a request.
    ///
    /// - Throws: ``Problem`` `unauthenticated` without a valid token, or if the member was revoked;
    ///   `account_suspended`, `too_many_requests`.
    func caller(of request: Request) async throws -> Caller {
        guard let header = request.headers[.authorization],
            let token = Self.bearerToken(header),
            let session = tokens.session(ofToken: token),
            let member = try await member(of: session)
        else { throw Problem(.unauthenticated) }
        try limiter.admit(session.account.limitKey)
        return Caller(session: session, member: member)
    }

    /// The caller, which must be a device: credentials only fetch the circle and add a device.
    func device(of request: Request) async throws -> Caller {
        let caller = try await caller(of: request)
        guard caller.member.kind == .device else { throw Problem(.refused) }
        return caller
    }

    /// Whether the session is still valid.
    func isOpen(_ session: Session) async throws -> Bool {
        guard tokens.isCurrent(session) else { return false }
        return try await member(of: session) != nil
    }

    private func member(of session: Session) async throws -> Member? {
        try await store.read.short { store in
            guard try !store.isSuspended(session.account) else { throw Problem(.accountSuspended) }
            return try store.member(session.member, of: session.account)
        }
    }

    private static func bearerToken(_ header: String) -> String? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }
}

extension AccountID {
    /// The account in the place of an address.
    var limitKey: String { Base64URL.encode(bytes) }
}
