internal import KSCausality
package import KSMerging
package import KSRecords
package import KSStore

// What operators see and do.

extension PostgreSQLStore {
    package func figures(quotaBytes: UInt64?) throws(StoreError) -> StoreFigures {
        let rows = try run(.figures(quotaBytes: quotaBytes ?? AccountSummary.unlimitedBytes))
        return try rethrowing { try StoreFigures(rows[0]) }
    }

    package func summary(of account: AccountID) throws(StoreError) -> AccountSummary {
        let now = try servedSeconds()
        return try transaction(.reading) { transaction in
            let answers = try transaction.run(.account(account), .allMembers(of: account))
            let row = try AccountSnapshot(answers[0])
            return AccountSummary(
                id: row.id,
                name: row.name,
                isSuspended: row.isSuspended,
                quotaBytes: row.quotaBytes,
                records: row.recordCount,
                storedBytes: UInt64(max(0, row.standing.recordBytes + row.standing.circleBytes)),
                seq: row.standing.seq,
                circleVersion: row.standing.circleVersion,
                members: try answers[1].rows.map { row in
                    let contact: UInt64 = try row.integer(3)
                    return AccountSummary.Member(
                        id: try row.fixed(0),
                        kind: try row.integer(1),
                        appliedSeq: try row.integer(2),
                        silentSeconds: now - min(now, contact),
                        isDormant: try row.boolean(4)
                    )
                }
            )
        }
    }

    package func setQuota(_ bytes: UInt64?, of account: AccountID) throws(StoreError) {
        guard try run(.setQuota(bytes, of: account))[0].count == 1 else { throw .notFound }
    }

    package func setSuspended(
        _ isSuspended: Bool,
        _ account: AccountID
    ) throws(StoreError) {
        guard try run(.setSuspended(isSuspended, account))[0].count == 1 else { throw .notFound }
    }

    package func isSuspended(_ account: AccountID) throws(StoreError) -> Bool {
        let rows = try run(.suspended(account))
        return try rethrowing { try rows[0].first?.boolean(0) ?? false }
    }

    /// The hashes of the unused invitations' codes.
    package func invitations() throws(StoreError) -> [[UInt8]] {
        let rows = try run(.invitations)
        return try rethrowing { try rows[0].rows.map { try $0.bytes(0) } }
    }

    // MARK: Damage

    package func check(
        _ account: AccountID,
        repairs: Bool
    ) throws(StoreError) -> AccountCheck {
        let found = try transaction(.reading) { transaction in
            try transaction.check(account).result
        }
        guard repairs, found.isRepairable else { return found }
        let now = try servedSeconds()
        return try change(account) { transaction, row in
            // A device may have written since.
            let (checker, found) = try transaction.check(account)
            // An earlier attempt has repaired it.
            if transaction.isRepeated, found.damages.isEmpty { return found.repaired }
            guard found.isRepairable else { return found }
            if found.hasDamagedCircle {
                try transaction.cutCircle(
                    of: row,
                    to: checker.intactEntries,
                    nowSeconds: now
                )
            }
            transaction.later(.removeRecords(ofSeqs: found.damagedSeqs, in: account))
            let counts = try transaction.check(account).checker.counts
            transaction.later(.setCounts(counts.records, counts.bytes, of: account))
            if found.hasDamagedCircle {
                transaction.begin(newEpoch(), of: account, nowSeconds: now)
            }
            return found.repaired
        }
    }
}

extension StoreFigures {
    /// From the answer to ``Statement/figures(quotaBytes:)``.
    init(_ rows: Rows) throws {
        guard let row = rows.first else { throw StoreError.damaged }
        self.init(
            accounts: try row.integer(0),
            fullAccounts: try row.integer(3),
            suspendedAccounts: try row.integer(4),
            records: try row.integer(1),
            storedBytes: try row.integer(2)
        )
    }
}

extension Transaction {
    /// How many records are read at once.
    private static var stepRecordsMax: Int { 500 }

    fileprivate func check(
        _ account: AccountID
    ) throws -> (checker: AccountChecker, result: AccountCheck) {
        let answers = try run(
            .account(account),
            .vector(of: account),
            .entryColumns(of: account)
        )
        let row = try AccountSnapshot(answers[0])
        var checker = AccountChecker(
            account,
            circleVersion: row.standing.circleVersion,
            vector: try answers[1].vector()
        )
        checker.takeEntries(
            try answers[2].rows.map { (version: try $0.integer(0), entry: try $0.data(1)) }
        )
        var last: UInt64? = 0
        while let after = last {
            let rows = try run(
                .recordColumns(of: account, after: after, countMax: Self.stepRecordsMax)
            )[0].rows
            for row in rows {
                checker.takeRecord(
                    seq: try row.integer(0),
                    id: try row.bytes(1),
                    siblings: try row.data(2),
                    boxes: try row.data(3),
                    isDeleted: try row.boolean(4)
                )
            }
            last = rows.count == Self.stepRecordsMax ? try rows.last?.integer(0) : nil
        }
        let result = checker.result(
            recordCount: row.recordCount,
            recordBytes: row.standing.recordBytes
        )
        return (checker, result)
    }

    /// Takes the circle back to its last intact entry.
    ///
    /// The members' devices put the others back, with the envelopes that belong to the newest.
    fileprivate func cutCircle(
        of account: AccountSnapshot,
        to intact: [(entry: CircleEntry, signed: SignedEntry)],
        nowSeconds: UInt64
    ) throws {
        guard let last = intact.last?.entry else { throw StoreError.damaged }
        later(.removeEntries(after: last.version, of: account.id))
        later(.removeEnvelopes(after: last.version, of: account.id))
        later(.deleteAll(of: account.id, in: "key_envelope"))
        later(.removeMembers(except: last.members, of: account.id))
        later(
            .addMembers(
                last.members,
                epoch: account.standing.epoch,
                to: account.id,
                nowSeconds: nowSeconds
            )
        )
        later(.setCircle(version: last.version, generation: last.generation, of: account.id))
        later(
            .setCircleBytes(
                entries: intact.reduce(0) { $0 + $1.signed.column.count },
                of: account.id
            )
        )
    }
}
