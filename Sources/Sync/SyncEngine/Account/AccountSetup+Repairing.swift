internal import KSCausality
internal import KSDigests
internal import KSRecords
internal import KSSealing

// A login removes devices, as the credentials: those that the user names, and one that has stored
// false keys before anybody can log in.

extension AccountSetup {
    /// Removes devices from an account whose keys are good.
    ///
    /// If another device changes the circle at the same moment, it removes none.
    /// - Throws: ``AccountSetupError``, ``ServerError``.
    func remove(
        _ devices: [AccountDevice],
        from opened: OpenedAccount,
        _ session: ServerSession,
        _ credentials: AccountCredentials,
        _ removals: inout Removals
    ) async throws {
        let newest = try await entry(generation: nil, session)
        // Otherwise another device has changed the circle: the next attempt reads it again.
        guard let newest, newest.entry == opened.chain.entries.last else { return }
        try await revoke(
            devices,
            from: opened.chain,
            opened.keyRing,
            at: newest.vector,
            session,
            credentials,
            &removals
        )
    }

    /// Removes the device that has signed false keys, with others that the user names.
    ///
    /// - Throws: ``AccountSetupError/falseKeys(_:)`` unless the user names that device;
    ///   ``AccountSetupError/accountNotAuthentic`` if nobody is proven to be dishonest but the
    ///   server.
    func repair(
        _ answer: CircleState,
        _ session: ServerSession,
        _ credentials: AccountCredentials,
        removing chosen: DeviceChoosing,
        _ removals: inout Removals
    ) async throws {
        let (falseEntry, vector) = try await falseEntry(answer, session, credentials)
        let all = falseEntry.chain.devices(falseEntry.keyRing, false: [falseEntry.author])
        guard let author = all.first(where: \.hasSignedFalseKeys) else {
            throw SealingError.envelopesForged
        }
        removals.see(all)
        let named = try chosen(all, removals.gone).filter(all.contains)
        guard named.contains(author) else { throw AccountSetupError.falseKeys(author) }
        try await revoke(
            named,
            from: falseEntry.chain,
            falseEntry.keyRing,
            at: vector,
            session,
            credentials,
            &removals
        )
    }

    private func revoke(
        _ devices: [AccountDevice],
        from chain: CircleChain,
        _ keyRing: KeyRing,
        at vector: VersionVector,
        _ session: ServerSession,
        _ credentials: AccountCredentials,
        _ removals: inout Removals
    ) async throws {
        let number = chain.newest.generation + 1
        removals.ask(devices)
        let change = try authentic {
            try CircleAuthoring.revoke(
                Set(devices.map(\.id)),
                from: chain,
                keyRing: keyRing.startingGeneration(number, from: random),
                // A login has no records, so it cannot make their digest.
                closing: (vector: vector, digest: .zero),
                by: .credentials(credentials),
                random: random
            )
        }
        // Otherwise the next attempt reads the circle again.
        if try await extend(chain, by: change, session, .credentials(credentials)) {
            removals.succeed()
        }
    }

    /// The account with those keys of void generations that the server still has for a login.
    func withVoidKeys(
        _ opened: OpenedAccount,
        _ answer: CircleState,
        _ session: ServerSession,
        _ credentials: AccountCredentials
    ) async throws -> OpenedAccount {
        let void = opened.chain.newest.voidGenerations
        guard !void.isEmpty else { return opened }
        let earlier = try await earlierEnvelopes(void, session)
        return try authentic {
            try AccountOpening.adding(
                earlier,
                to: opened,
                credentialsBox: answer.credentialsBox ?? [],
                credentials: credentials
            )
        }
    }

    private func falseEntry(
        _ answer: CircleState,
        _ session: ServerSession,
        _ credentials: AccountCredentials
    ) async throws -> (FalseEntry, VersionVector) {
        let newest = try await entry(generation: nil, session)
        guard let newest, newest.entry == answer.entries.last else {
            throw AccountSetupError.accountNotAuthentic
        }
        let unopened = try authentic {
            try UnopenedFalseEntry(
                account: session.account,
                entries: answer.entries,
                envelopes: newest.envelopes,
                credentialsBox: answer.credentialsBox ?? [],
                credentials: credentials
            )
        }
        guard let unopened else { throw AccountSetupError.accountNotAuthentic }
        let generations = Array(1...unopened.chain.newest.generation)
        let earlier = try await earlierEnvelopes(generations, session)
        guard let opened = unopened.opened(by: earlier) else {
            throw AccountSetupError.accountNotAuthentic
        }
        return (opened, newest.vector)
    }

    /// The credentials' envelopes of the entries that began these generations, as far as the server
    /// has them.
    private func earlierEnvelopes(
        _ generations: [UInt64],
        _ session: ServerSession
    ) async throws -> [(entry: SignedEntry, envelope: KeyEnvelope)] {
        var earlier: [(entry: SignedEntry, envelope: KeyEnvelope)] = []
        for generation in generations {
            guard let shown = try await entry(generation: generation, session),
                let envelope = shown.envelopes.first
            else { continue }
            earlier.append((shown.entry, envelope))
        }
        return earlier
    }

    private func entry(generation: UInt64?, _ session: ServerSession) async throws -> ShownEntry? {
        try await retrying { () async throws(ServerError) in
            try await client.circleEntry(generation: generation, token: session.token)
        }
    }
}
