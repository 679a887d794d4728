internal import KSCausality
internal import KSDigests
internal import KSMerging
package import KSRecords
internal import KSStore
package import KSWire

/// Checks the fresh signatures that open a session or change an account.
///
/// All refusals are equal and take the same time, so a stranger learns neither which names exist
/// nor which part of a guess was right.
package struct ProofChecker: Sendable {
    package struct Prover: Sendable {
        let account: AccountID
        let member: Member
    }

    /// Every refusal is sent this long after the check began.
    private static let refusalDelay = Duration.milliseconds(25)
    /// The key for unknown members, so that they take the same time (RFC 8032, 7.1, test 1).
    private static let nobodysKey: [UInt8] = [
        0xd7, 0x5a, 0x98, 0x01, 0x82, 0xb1, 0x0a, 0xb7, 0xd5, 0x4b, 0xfe, 0xd3, 0xc9, 0x64, 0x07,
        0x3a, 0x0e, 0xe1, 0x72, 0xf3, 0xda, 0xa6, 0x23, 0x25, 0xaf, 0x02, 0x1a, 0x68, 0xf7, 0x07,
        0x51, 0x1a,
    ]

    let store: StoreShell
    let challenges: Challenges
    let origins: Origins
    /// A parameter, so that a test can control when a refusal is sent.
    let clock: any Clock<Duration>

    package init(
        store: StoreShell,
        challenges: Challenges,
        origins: Origins,
        clock: any Clock<Duration>
    ) {
        self.store = store
        self.challenges = challenges
        self.origins = origins
        self.clock = clock
    }

    /// Returns the proof's author, and marks the nonce of the proof as used.
    ///
    /// `members`: those of an entry that the account does not have yet, which was checked; nil for
    /// the account's newest entry.
    /// - Throws: ``Problem`` `refused`; `account_suspended`, unless the account is to be deleted.
    package func prover(
        of proof: WireProof,
        purpose: SessionStatement.Purpose,
        body: [UInt8] = [],
        among members: [Member]? = nil
    ) async throws -> Prover {
        let bodyHash = Hash(validated: SHA256.hash(body))
        guard let memberID = MemberID(Array(proof.member)) else { throw Problem(.malformed) }
        let account = Array(proof.account)
        let challenge = Challenge(nonce: Array(proof.nonce), expirySeconds: proof.expirySeconds)
        var named: Prover?
        if let members, let id = AccountID(account) {
            named = members.first { $0.id == memberID }.map { Prover(account: id, member: $0) }
            guard named != nil else { throw Problem(.refused) }
        }
        let prover = try await prover(
            named,
            memberID,
            of: account,
            answering: challenge,
            by: clock
        ) { key in
            // All origins are tried, even after a match, so that the time reveals nothing.
            origins.all.reduce(false) { isSigned, origin in
                let statement = SessionStatement(
                    purpose: purpose,
                    origin: origin,
                    account: account,
                    member: memberID,
                    challenge: challenge,
                    bodyHash: bodyHash
                )
                return statement.isSigned(by: key, signature: Array(proof.signature)) || isSigned
            }
        }
        // Only its members learn of it.
        if purpose != .deleteAccount,
            try await store.read({ try $0.isSuspended(prover.account) })
        {
            throw Problem(.accountSuspended)
        }
        return prover
    }

    /// Returns the device that made this statement, and marks its nonce as used.
    ///
    /// - Throws: ``Problem`` `refused`.
    func prover(of statement: HistoryStatement, signature: [UInt8]) async throws -> Prover {
        let prover = try await prover(
            nil,
            statement.member,
            of: statement.account.bytes,
            answering: statement.challenge,
            by: clock
        ) { key in statement.isSigned(by: key, signature: signature) }
        guard prover.account == statement.account, prover.member.kind == .device else {
            throw Problem(.refused)
        }
        return prover
    }

    /// `named`: the prover, if it is known.
    private func prover(
        _ named: Prover?,
        _ memberID: MemberID,
        of account: [UInt8],
        answering challenge: Challenge,
        by clock: some Clock<Duration>,
        verify: (_ key: [UInt8]) -> Bool
    ) async throws -> Prover {
        let start = clock.now
        var prover = named
        if prover == nil { prover = try await self.prover(account: account, memberID: memberID) }
        let isSigned = verify(prover?.member.signingKey ?? Self.nobodysKey)
        if let prover, isSigned, challenges.isOwn(challenge),
            try await store.write({
                try $0.useNonce(challenge.nonce, expirySeconds: challenge.expirySeconds)
            })
        {
            return prover
        }
        try await clock.sleep(until: start.advanced(by: Self.refusalDelay), tolerance: nil)
        throw Problem(.refused)
    }

    /// Finds the member in the account of this id, else in the account of this name.
    private func prover(account: [UInt8], memberID: MemberID) async throws -> Prover? {
        try await store.read { store in
            if let id = AccountID(account), let member = try store.member(memberID, of: id) {
                return Prover(account: id, member: member)
            }
            guard account.count <= Limits.accountNameBytesMax,
                let name = String(validating: account, as: UTF8.self),
                let id = try store.accountID(named: name),
                let member = try store.member(memberID, of: id)
            else { return nil }
            return Prover(account: id, member: member)
        }
    }
}

extension Store {
    /// The member, when the account's newest entry names it.
    func member(_ id: MemberID, of account: AccountID) throws -> Member? {
        do {
            return try newestEntry(of: account)?.entry().member(id)
        } catch StoreError.notFound {
            return nil
        } catch is RecordsError {
            // It was checked before it was stored.
            throw StoreError.damaged
        }
    }

    /// The account, or nil, even for an impossible name: a guess must not show the difference.
    func accountID(named name: String) throws(StoreError) -> AccountID? {
        do {
            return try account(named: name)?.id
        } catch .notFound, .refused {
            return nil
        }
    }
}
