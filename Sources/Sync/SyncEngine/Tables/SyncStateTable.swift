package import KSCausality
package import GRDB
internal import KSRecords

/// The one row of `sync_state`, and `sync_vector`.
package enum SyncStateTable {
    package static func load(from database: Database) throws -> SyncState? {
        try database.rows(
            """
            SELECT account, member, actor, counter, chain, own_time, epoch, cursor_seq, cursor_tag,
                circle_version, circle_hash, hold, last_success_ms, server_date_ms
            FROM sync_state
            """
        ).first.map { try SyncState($0) }
    }

    package static func save(_ state: SyncState, in database: Database) throws {
        try database.run(
            """
            INSERT OR REPLACE INTO sync_state
                (id, account, member, actor, counter, chain, own_time, epoch, cursor_seq,
                 cursor_tag, circle_version, circle_hash, hold, last_success_ms, server_date_ms)
            VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                state.account.column, state.member.column, state.actor.column, state.counter.column,
                state.chain.column, state.ownTime.rawValue.column, state.epoch.column,
                state.cursor?.seq.column, state.cursor?.tag.column, state.circleVersion.column,
                state.circleHash.column, state.hold?.rawValue,
                state.lastSuccessMilliseconds?.column, state.serverDateMilliseconds?.column,
            ]
        )
    }

    /// Makes the next pull start from the beginning, for what cannot be read here.
    package static func askForAll(in database: Database) throws {
        try database.run("UPDATE sync_state SET cursor_seq = NULL, cursor_tag = NULL")
    }

    /// Whether the account's records have not all arrived yet.
    package static func isBeforeFirstSync(in database: Database) throws -> Bool {
        try database.hasRow("SELECT 1 FROM sync_state WHERE last_success_ms IS NULL")
    }

    package static func vector(from database: Database) throws -> VersionVector {
        let rows = try database.rows("SELECT actor, counter FROM sync_vector ORDER BY actor")
        return VersionVector(
            try rows.map { (actor: try $0.actor(0), counter: try $0.unsigned(1)) }
        )
    }

    /// Raises the counter of each actor to that of `vector`, if that is higher.
    package static func raise(to vector: VersionVector, in database: Database) throws {
        for entry in vector.entries {
            try database.run(
                """
                INSERT INTO sync_vector (actor, counter) VALUES (?, ?)
                ON CONFLICT (actor) DO UPDATE SET counter = max(counter, excluded.counter)
                """,
                [entry.actor.column, entry.counter.column]
            )
        }
    }
}

extension SyncState {
    /// Reads the columns of ``SyncStateTable/load(from:)``, in their order there.
    fileprivate init(_ row: Row) throws {
        account = try row.fixed(0)
        member = try row.fixed(1)
        actor = try row.actor(2)
        counter = try row.unsigned(3)
        chain = try row.fixed(4)
        ownTime = HybridTime(rawValue: try row.unsigned(5))
        epoch = try row.fixed(6)
        if row[7] as Int64? != nil {
            cursor = Cursor(epoch: epoch, seq: try row.unsigned(7), tag: try row.fixed(8))
        }
        circleVersion = try row.unsigned(9)
        circleHash = try row.fixed(10)
        if let name = row[11] as String? { hold = try Hold(rawValue: name).orCorrupt() }
        lastSuccessMilliseconds = (row[12] as Int64?).flatMap { UInt64(exactly: $0) }
        serverDateMilliseconds = (row[13] as Int64?).flatMap { UInt64(exactly: $0) }
    }
}
