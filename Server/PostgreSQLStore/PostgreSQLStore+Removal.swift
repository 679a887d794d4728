internal import KSCausality
package import KSMerging
package import KSRecords
internal import KSStore

// The end of deleted records, and of what only a device needs that has not applied them.

extension PostgreSQLStore {
    /// How many records one step removes.
    fileprivate static let stepRecordsMax = 500
    /// How many tags one step removes.
    private static let stepTagsMax = 5000

    package func passTime(seconds: UInt64) throws(StoreError) {
        // What has expired longer than this ago was valid by no server's clock since.
        let expired = clockSeconds()
        let margin = RemovalRules.hourSeconds
        _ = try run(
            .removeNonces(expiredBefore: expired > margin ? expired - margin : 0),
            .removeOldNodes
        )
        guard seconds > 0 else { return }
        let rows = try run(.passTime(to: time.after(seconds: seconds)))
        time.pass(seconds: seconds)
        guard let row = rows[0].first else { throw .damaged }
        let passed = try rethrowing { try row.integer(0) }
        _ = time.note(passed)
    }

    package func accounts(after id: AccountID?, countMax: Int) throws(StoreError) -> [AccountID] {
        let rows = try run(.accounts(after: id, countMax: countMax))
        return try rethrowing { try rows[0].rows.map { try $0.fixed(0) } }
    }

    /// PostgreSQL's own vacuum takes the space of removed rows back.
    package func giveSpaceBack() throws(StoreError) -> Bool { false }

    package func removeDeleted(
        from account: AccountID,
        by rules: RemovalRules
    ) throws(StoreError) -> RemovalStep {
        let now = try servedSeconds()
        return try change(account) { transaction, row in
            if let seconds = rules.dormantSince(nowSeconds: now) {
                transaction.later(.noteDormant(since: seconds, of: account))
            }
            let oldSeconds = rules.oldSeconds(nowSeconds: now)
            let answers = try transaction.run(
                .devices(of: account),
                .seq(writtenBy: oldSeconds ?? 0, in: account)
            )
            let devices = try answers[0].rows.map { row in
                MemberContact(
                    appliedSeq: try row.integer(0),
                    seconds: try row.integer(1),
                    isDormant: try row.boolean(2)
                )
            }
            let oldSeq = oldSeconds == nil ? nil : try answers[1].first?.integer(0)
            let horizon = row.standing.nextRemovalHorizon(
                oldSeq: oldSeq ?? 0,
                devices: devices,
                rules: rules,
                nowSeconds: now
            )
            let removed = try transaction.removeDeleted(of: row, upTo: horizon)
            guard removed.horizon == horizon else {
                return RemovalStep(removedRecords: removed.count, isLast: false)
            }
            let tags = try transaction.run(
                .removeTags(before: horizon, of: account, countMax: Self.stepTagsMax)
            )
            let areTagsGone = tags[0].count < Self.stepTagsMax
            if areTagsGone {
                transaction.later(.removeAcceptedBatches(upTo: horizon, of: account))
            }
            return RemovalStep(removedRecords: removed.count, isLast: areTagsGone)
        }
    }
}

extension Transaction {
    /// Removes the oldest records of tombstones alone, as many as a step may.
    ///
    /// - Returns: how many, and the account's removal horizon from now on.
    fileprivate func removeDeleted(
        of account: AccountSnapshot,
        upTo horizon: UInt64
    ) throws -> (count: Int, horizon: UInt64) {
        let standing = account.standing
        guard horizon > standing.removalHorizon else { return (0, horizon) }
        let rows = try run(
            .deletedRecords(
                of: account.id,
                upTo: horizon,
                countMax: PostgreSQLStore.stepRecordsMax
            )
        )[0].rows
        let freedBytes = try rows.reduce(Int64(0)) { sum, row in
            let siblings = try Siblings<HeldSibling>(column: row.data(2), of: row.fixed(1))
            return sum + siblings.chargedBytes
        }
        let isCut = rows.count == PostgreSQLStore.stepRecordsMax
        let reached = isCut ? try rows.last?.integer(0) ?? horizon : horizon
        later(.removeRecords(try rows.map { try $0.bytes(1) }, of: account.id))
        later(
            .raiseHorizon(
                to: reached,
                removedRecords: rows.count,
                freedBytes: freedBytes,
                of: account.id
            )
        )
        return (rows.count, reached)
    }
}
