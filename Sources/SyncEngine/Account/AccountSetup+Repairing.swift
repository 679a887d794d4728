internal import KSCausality
internal import KSDigests
internal import KSRecords
internal import KSSealing
internal import KSWire

extension AccountSetup {
    /// Removes the device that has signed false keys, as the credentials, so that a login is
    /// possible again.
    ///
    /// - Throws: ``AccountSetupError/falseKeys(_:)`` unless the user wants that;
    ///   ``AccountSetupError/accountNotAuthentic`` if nobody is proven to be dishonest but the
    ///   server.
    func repair(
        _ answer: WireCircleResponse,
        _ session: Session,
        _ credentials: AccountCredentials,
        mayRemove: @Sendable (AccountDevice) -> Bool
    ) async throws {
        let (falseEntry, vector) = try await falseEntry(answer, session, credentials)
        let chain = falseEntry.chain
        guard let author = chain.newest.member(falseEntry.author), author.kind == .device else {
            throw SealingError.envelopesForged
        }
        let device = AccountDevice(
            id: author.id,
            // Without its name, its code names it.
            name: try? MemberName.open(
                of: author,
                account: session.account,
                keyRing: falseEntry.keyRing
            ),
            isThisDevice: false,
            hasSignedFalseKeys: true,
            sponsor: nil
        )
        guard mayRemove(device) else { throw AccountSetupError.falseKeys(device) }
        let number = chain.newest.generation + 1
        let change = try authentic {
            try CircleAuthoring.revoke(
                [author.id],
                from: chain,
                keyRing: falseEntry.keyRing.startingGeneration(number, from: random),
                // A login has no records, so it cannot make their digest. Without one, no device
                // folds counters before the next generation.
                closing: (vector: vector, digest: .zero),
                by: .credentials(credentials),
                random: random
            )
        }
        do {
            try await retrying { () async throws(ServerError) in
                try await client.extendCircle(
                    change,
                    extending: chain.newest.version,
                    account: session.account,
                    signer: .credentials(credentials),
                    token: session.token
                )
            }
        } catch ServerError.refused(.circleChanged, _, _) {
            // The next attempt reads the circle again.
        }
    }

    private func falseEntry(
        _ answer: WireCircleResponse,
        _ session: Session,
        _ credentials: AccountCredentials
    ) async throws -> (FalseEntry, VersionVector) {
        let entries = try authentic { try answer.entries.map { try $0.value() } }
        let newest = try await entry(generation: nil, session)
        guard let newest, newest.entry == entries.last else {
            throw AccountSetupError.accountNotAuthentic
        }
        let unopened = try authentic {
            try UnopenedFalseEntry(
                account: session.account,
                entries: entries,
                envelopes: newest.envelopes,
                credentialsBox: Array(answer.credentialsBox),
                credentials: credentials
            )
        }
        guard let unopened else { throw AccountSetupError.accountNotAuthentic }
        var generation = unopened.chain.newest.generation
        while generation > 0 {
            if let earlier = try await entry(generation: generation, session),
                let envelope = earlier.envelopes.first,
                let opened = unopened.opened(by: earlier.entry, envelope)
            {
                return (opened, newest.vector)
            }
            generation -= 1
        }
        throw AccountSetupError.accountNotAuthentic
    }

    private func entry(
        generation: UInt64?,
        _ session: Session
    ) async throws -> ShownEntry? {
        try await retrying { () async throws(ServerError) in
            try await client.circleEntry(generation: generation, token: session.token)
        }
    }
}
