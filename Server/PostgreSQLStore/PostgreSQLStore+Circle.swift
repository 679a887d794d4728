internal import KSCausality
package import KSMerging
package import KSRecords
internal import KSStore

extension PostgreSQLStore {
    package func newestEntry(of account: AccountID) throws(StoreError) -> SignedEntry? {
        let rows = try run(.newestEntry(of: account))
        guard let row = rows[0].first else { throw .notFound }
        guard !row.isNull(0) else { return nil }
        return try rethrowing { try SignedEntry(column: row.data(0)) }
    }

    package func circleEntries(of account: AccountID) throws(StoreError) -> [SignedEntry] {
        let rows = try run(.entries(after: 0, of: account))
        // An account has one entry at least.
        guard rows[0].first != nil else { throw .notFound }
        return try rethrowing { try rows[0].entries() }
    }

    package func circle(
        of account: AccountID,
        after version: UInt64,
        for member: MemberID
    ) throws(StoreError) -> CircleState {
        try transaction(.reading) { transaction in
            let answers = try transaction.run(
                .account(account),
                .member(member, of: account),
                .entries(after: version, of: account),
                .credentialsBox(of: account),
                .envelopes(of: account)
            )
            let row = try AccountSnapshot(answers[0])
            guard let asking = try answers[1].member() else { throw StoreError.notMember }
            let envelopes = try answers[4].envelopes()
            return CircleState(
                account: account,
                epoch: row.standing.epoch,
                entries: try answers[2].entries(),
                envelope: envelopes.first { $0.member == member },
                credentialsBox: asking.kind == MemberKind.recovery.rawValue
                    ? nil : try answers[3].first?.bytes(0),
                envelopes: asking.kind == MemberKind.device.rawValue ? envelopes : []
            )
        }
    }

    package func circleEntry(
        of account: AccountID,
        generation: UInt64?,
        for member: MemberID
    ) throws(StoreError) -> ShownEntry? {
        try transaction(.reading) { transaction in
            let found: Statement =
                generation.map { .envelope(ofGeneration: $0, for: member, of: account) }
                ?? .newestEntry(of: account)
            let answers = try transaction.run(
                .account(account),
                .member(member, of: account),
                found,
                .envelopes(of: account),
                .vector(of: account)
            )
            _ = try AccountSnapshot(answers[0])
            guard answers[1].first != nil else { throw StoreError.notMember }
            guard let row = answers[2].first, !row.isNull(0) else { return nil }
            let envelopes =
                generation == nil
                ? try answers[3].envelopes()
                : [KeyEnvelope(member: member, sealed: try row.bytes(1))]
            return ShownEntry(
                entry: try SignedEntry(column: row.data(0)),
                envelopes: envelopes,
                vector: try answers[4].vector()
            )
        }
    }

    package func appendEntry(
        _ change: CircleChange,
        to account: AccountID,
        ifVersion version: UInt64
    ) throws(StoreError) {
        let incoming = try IncomingEntry(change, of: account)
        let now = try servedSeconds()
        try transaction { transaction in
            let answers = try transaction.run(
                .lockAccount(account),
                .newestEntry(of: account),
                .vector(of: account)
            )
            let row = try AccountSnapshot(answers[0])
            let newest = answers[1].first.flatMap { $0.isNull(0) ? nil : $0 }
            let isNew = try row.standing.takes(
                incoming,
                after: version,
                newest: try newest.map { try SignedEntry(column: $0.data(0)) },
                byteCount: change.entry.column.count,
                vector: try answers[2].vector()
            )
            guard isNew else { return }
            transaction.save(
                incoming,
                after: row.standing.generation,
                epoch: row.standing.epoch,
                nowSeconds: now
            )
            if let box = change.credentialsBox {
                transaction.later(.setCredentialsBox(box, of: account))
            }
        }
    }

    package func returnCircle(
        _ circle: CircleReturn,
        to account: AccountID
    ) throws(StoreError) -> UInt64 {
        let now = try servedSeconds()
        return try transaction { try $0.putBack(circle, to: account, nowSeconds: now) }
    }
}

extension Transaction {
    /// Saves an entry as the newest, with its envelopes and members, with the next round trip.
    ///
    /// `generation`: the account's so far.
    func save(
        _ incoming: IncomingEntry,
        after generation: UInt64,
        epoch: StoreEpoch,
        nowSeconds: UInt64
    ) {
        let entry = incoming.entry
        let account = entry.account
        later(incoming.signed, version: entry.version, of: account)
        later(.setCircle(version: entry.version, generation: entry.generation, of: account))
        // In a new generation every device writes as a new actor.
        if entry.generation > generation { later(.closeActors(of: account)) }
        later(.deleteAll(of: account, in: "key_envelope"))
        later(.addEnvelopes(incoming.envelopes, to: account))
        later(.removeMembers(except: entry.members, of: account))
        later(.addMembers(entry.members, epoch: epoch, to: account, nowSeconds: nowSeconds))
        guard entry.generation > generation || entry.version == 1 else { return }
        // Members that are not devices keep the envelopes as long as the account exists.
        let kept = incoming.envelopes.filter { envelope in
            entry.member(envelope.member).map { $0.kind != .device } ?? false
        }
        later(.keepEnvelopes(kept, of: entry, in: account))
        let byteCount = kept.reduce(0) { $0 + $1.sealed.count }
        later(.growCircle(byBytes: byteCount, of: account))
    }

    /// Saves an entry's row with the next round trip.
    private func later(_ signed: SignedEntry, version: UInt64, of account: AccountID) {
        let column = Array(signed.column)
        later(.addEntry(column, version: version, to: account))
        later(.growCircle(byBytes: column.count, of: account))
    }

    /// Saves the entries that an account lacks, with what is kept beside the newest of them.
    ///
    /// - Returns: the circle's version.
    func putBack(
        _ circle: CircleReturn,
        to account: AccountID,
        nowSeconds: UInt64
    ) throws -> UInt64 {
        let answers = try run(.lockAccount(account), .entries(after: 0, of: account))
        let row = try AccountSnapshot(answers[0])
        let incoming = try IncomingReturn(circle, of: account, after: try answers[1].entries())
        guard let newest = incoming.newest else { return row.standing.circleVersion }
        for (entry, signed) in zip(incoming.missing, incoming.signed).dropLast() {
            later(signed, version: entry.version, of: account)
        }
        save(
            newest,
            after: row.standing.generation,
            epoch: row.standing.epoch,
            nowSeconds: nowSeconds
        )
        later(.setCredentialsBox(incoming.credentialsBox, of: account))
        return newest.entry.version
    }
}
