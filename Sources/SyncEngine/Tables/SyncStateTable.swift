package import KSCausality
internal import Foundation
package import GRDB
internal import KSRecords

/// The one row of `sync_state`, and `sync_vector`.
package enum SyncStateTable {
    package static func load(from database: Database) throws -> SyncState? {
        let statement = try database.cachedStatement(sql: "SELECT * FROM sync_state")
        guard let row = try Row.fetchOne(statement) else { return nil }
        return try SyncState(row)
    }

    package static func save(_ state: SyncState, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO sync_state
                    (id, account, member, actor, counter, chain, own_time, epoch, cursor_seq,
                     cursor_tag, circle_version, circle_hash, hold, last_success_ms,
                     server_date_ms)
                VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        )
        try statement.execute(arguments: [
            Data(state.account.bytes), Data(state.member.bytes), Data(state.actor.bytes),
            Int64(state.counter), Data(state.chain.bytes), Int64(state.ownTime.rawValue),
            Data(state.epoch.bytes), state.cursor.map { Int64($0.seq) },
            state.cursor.map { Data($0.tag.bytes) }, Int64(state.circleVersion),
            Data(state.circleHash.bytes), state.hold?.rawValue,
            state.lastSuccessMilliseconds.map { Int64($0) },
            state.serverDateMilliseconds.map { Int64($0) },
        ])
    }

    /// Makes the next pull start from the beginning, for what cannot be read here.
    package static func askForAll(in database: Database) throws {
        try database.execute(sql: "UPDATE sync_state SET cursor_seq = NULL, cursor_tag = NULL")
    }

    package static func vector(from database: Database) throws -> VersionVector {
        let statement = try database.cachedStatement(
            sql: "SELECT actor, counter FROM sync_vector ORDER BY actor"
        )
        return VersionVector(
            try Row.fetchAll(statement).map { row in
                (actor: try ActorID(row.bytes("actor")), counter: try row.unsigned("counter"))
            }
        )
    }

    /// Raises the counter of each actor to that of `vector`, if that is higher.
    package static func raise(to vector: VersionVector, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO sync_vector (actor, counter) VALUES (?, ?)
                ON CONFLICT (actor) DO UPDATE SET counter = max(counter, excluded.counter)
                """
        )
        for entry in vector.entries {
            try statement.execute(arguments: [Data(entry.actor.bytes), Int64(entry.counter)])
        }
    }
}

extension SyncState {
    fileprivate init(_ row: Row) throws {
        let epoch = try StoreEpoch(row.bytes("epoch")).orCorrupt()
        self.init(
            account: try AccountID(row.bytes("account")).orCorrupt(),
            member: try MemberID(row.bytes("member")).orCorrupt(),
            actor: try ActorID(row.bytes("actor")),
            epoch: epoch,
            circleVersion: try row.unsigned("circle_version"),
            circleHash: try Hash(row.bytes("circle_hash")).orCorrupt()
        )
        counter = try row.unsigned("counter")
        chain = try Hash(row.bytes("chain")).orCorrupt()
        ownTime = HybridTime(rawValue: try row.unsigned("own_time"))
        if row["cursor_seq"] as Int64? != nil {
            let tag = try CommitTag(row.bytes("cursor_tag")).orCorrupt()
            cursor = Cursor(epoch: epoch, seq: try row.unsigned("cursor_seq"), tag: tag)
        }
        if let name = row["hold"] as String? { hold = try Hold(rawValue: name).orCorrupt() }
        lastSuccessMilliseconds = (row["last_success_ms"] as Int64?).flatMap { UInt64(exactly: $0) }
        serverDateMilliseconds = (row["server_date_ms"] as Int64?).flatMap { UInt64(exactly: $0) }
    }
}
