internal import Foundation
internal import GRDB
internal import KSCausality
package import KSMerging
package import KSRecords

// The end of deleted records, and of what only a device needs that has not applied them.

extension SQLiteStore {
    package func passTime(seconds: UInt64) throws(StoreError) {
        guard seconds > 0 else { return }
        try write { database in
            try database.run(
                "UPDATE store SET served_seconds = served_seconds + ?",
                [Int64(clamping: seconds)]
            )
        }
    }

    package func accounts(
        after id: AccountID?,
        countMax: Int
    ) throws(StoreError) -> [AccountID] {
        try read { database in
            try database.rows(
                "SELECT id FROM account WHERE id > ? ORDER BY id LIMIT ?",
                [id?.data ?? Data(), countMax]
            ).map { try AccountID(column: $0[0]) }
        }
    }

    package func removeDeleted(
        from account: AccountID,
        by rules: RemovalRules
    ) throws(StoreError) -> RemovalStep {
        try write { database in
            let account = try AccountRow.find(account, in: database)
            let now = try database.servedSeconds()
            try account.noteDormant(by: rules, nowSeconds: now)
            let horizon = account.standing.nextRemovalHorizon(
                oldSeq: try account.oldSeq(by: rules, nowSeconds: now),
                devices: try account.devices(),
                rules: rules,
                nowSeconds: now
            )
            let removed = try account.removeDeleted(upTo: horizon)
            guard removed.horizon == horizon else {
                return RemovalStep(removedRecords: removed.count, isLast: false)
            }
            let areTagsGone = try account.removeTags(before: horizon)
            if areTagsGone { try account.removeAcceptedBatches(upTo: horizon) }
            return RemovalStep(removedRecords: removed.count, isLast: areTagsGone)
        }
    }

    /// How many pages one step gives back: few, since nobody else writes meanwhile.
    private static var givenPagesMax: Int { 512 }

    package func giveSpaceBack() throws(StoreError) -> Bool {
        try writeWithoutTransaction { database in
            func count(_ pragma: String) throws -> Int {
                try Int.fetchOne(database, sql: "PRAGMA " + pragma) ?? 0
            }
            let free = try count("freelist_count")
            // A few free pages are used again soon.
            guard free > 8, try free > count("page_count") / 50, try count("auto_vacuum") == 2
            else { return false }
            // The pragma frees a page with each row that it returns.
            _ = try Row.fetchAll(
                database,
                sql: "PRAGMA incremental_vacuum(\(Self.givenPagesMax))"
            )
            return try count("freelist_count") < free
        }
    }
}

extension AccountRow {
    /// How many records one step removes.
    private static var stepRecordsMax: Int { 500 }
    /// How many tags one step removes.
    private static var stepTagsMax: Int { 5000 }

    /// Marks the devices that hold no removal back any more.
    fileprivate func noteDormant(by rules: RemovalRules, nowSeconds: UInt64) throws {
        guard let seconds = rules.dormantSince(nowSeconds: nowSeconds) else { return }
        try database.run(
            """
            UPDATE member SET is_dormant = 1
            WHERE account = ? AND is_dormant = 0 AND last_contact_seconds <= ?
            """,
            [number, seconds]
        )
    }

    /// The highest seq up to which everything was written long enough ago.
    fileprivate func oldSeq(by rules: RemovalRules, nowSeconds: UInt64) throws -> UInt64 {
        guard let seconds = rules.oldSeconds(nowSeconds: nowSeconds) else { return 0 }
        // The store's own time never falls, so all earlier writes are as old.
        let row = try database.row(
            """
            SELECT seq FROM commit_tag WHERE account = ? AND written_seconds <= ?
            ORDER BY seq DESC LIMIT 1
            """,
            [number, seconds]
        )
        return row?[0] ?? 0
    }

    /// The devices of the circle's newest entry.
    fileprivate func devices() throws -> [MemberContact] {
        try database.rows(
            """
            SELECT applied_seq, last_contact_seconds, is_dormant FROM member
            WHERE account = ? AND kind = ?
            """,
            [number, MemberKind.device.rawValue]
        ).map { MemberContact(appliedSeq: $0[0], seconds: $0[1], isDormant: $0[2]) }
    }

    /// Removes the oldest records of tombstones alone, as many as a step may.
    ///
    /// - Returns: how many, and the account's removal horizon from now on.
    fileprivate func removeDeleted(
        upTo horizon: UInt64
    ) throws -> (count: Int, horizon: UInt64) {
        guard horizon > standing.removalHorizon else { return (0, horizon) }
        let rows = try database.rows(
            """
            SELECT position, id, siblings FROM record
            WHERE account = ? AND is_deleted = 1 AND position > ? AND position <= ?
            ORDER BY position LIMIT ?
            """,
            [number, position(0), position(horizon), Self.stepRecordsMax]
        )
        var freedBytes: Int64 = 0
        for row in rows {
            let siblings = try Siblings<HeldSibling>(
                column: row[2],
                of: try RecordID(column: row[1])
            )
            freedBytes += siblings.chargedBytes
            try database.run("DELETE FROM record WHERE position = ?", [row[0] as Int64])
        }
        let isCut = rows.count == Self.stepRecordsMax
        let reached = isCut ? rows.last.map { seq(at: $0[0]) } ?? horizon : horizon
        try database.run(
            """
            UPDATE account SET removal_horizon = ?, record_count = record_count - ?,
                stored_bytes = stored_bytes - ?
            WHERE number = ?
            """,
            [reached, rows.count, freedBytes, number]
        )
        return (rows.count, reached)
    }

    /// Removes the oldest tags before a seq, whose cursors are refused without a look at the tag.
    ///
    /// - Returns: whether none is left.
    fileprivate func removeTags(before horizon: UInt64) throws -> Bool {
        try database.run(
            """
            DELETE FROM commit_tag WHERE account = ?1 AND seq IN (
                SELECT seq FROM commit_tag WHERE account = ?1 AND seq < ?2 ORDER BY seq LIMIT ?3
            )
            """,
            [number, horizon, Self.stepTagsMax]
        )
        return database.changesCount < Self.stepTagsMax
    }

    /// Removes the answers to batches that nobody sends again.
    ///
    /// A device has one batch without an answer at most. That of a dormant device stays: when it
    /// returns, it has to learn that the batch was accepted, or it would make its writes again,
    /// although others may have deleted them since.
    fileprivate func removeAcceptedBatches(upTo horizon: UInt64) throws {
        try database.run(
            """
            DELETE FROM accepted_batch
            WHERE account = ?1 AND first_seq + record_count - 1 <= ?2
                AND (
                    first_counter < (
                        SELECT max(newer.first_counter) FROM accepted_batch AS newer
                        WHERE newer.account = ?1 AND newer.actor = accepted_batch.actor
                    )
                    OR NOT EXISTS (
                        SELECT 1 FROM actor
                        JOIN member ON member.account = ?1 AND member.id = actor.member
                        WHERE actor.account = ?1 AND actor.id = accepted_batch.actor
                            AND member.applied_seq
                                < accepted_batch.first_seq + accepted_batch.record_count - 1
                    )
                )
            """,
            [number, horizon]
        )
    }
}
