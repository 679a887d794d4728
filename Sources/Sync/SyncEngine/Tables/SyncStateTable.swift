package import KSCausality
package import GRDB
internal import KSRecords

/// The one row of `sync_state`, and `sync_vector`.
package enum SyncStateTable {
    package static func load(from database: Database) throws -> SyncState? {
        try database.firstRow(
            """
            SELECT account, member, actor, counter, chain, own_time, epoch, cursor_seq, cursor_tag,
                complete_seq, circle_version, circle_hash, hold, last_success_ms, server_date_ms
            FROM sync_state
            """
        ) { try SyncState($0) }
    }

    package static func save(_ state: SyncState, in database: Database) throws {
        try database.run(
            """
            INSERT OR REPLACE INTO sync_state
                (id, account, member, actor, counter, chain, own_time, epoch, cursor_seq,
                 cursor_tag, complete_seq, circle_version, circle_hash, hold, last_success_ms,
                 server_date_ms)
            VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                state.account.column, state.member.column, state.actor.column, state.counter.column,
                state.chain.column, state.ownTime.rawValue.column, state.epoch.column,
                state.cursor?.seq.column, state.cursor?.tag.column, state.completeSeq?.column,
                state.circleVersion.column, state.circleHash.column, state.hold?.rawValue,
                state.lastSuccessMilliseconds?.column, state.serverDateMilliseconds?.column,
            ]
        )
    }

    /// Makes the next pull start from the beginning, for what cannot be read here.
    package static func askForAll(in database: Database) throws {
        try database.run(
            """
            UPDATE sync_state SET complete_seq = coalesce(complete_seq, cursor_seq),
                cursor_seq = NULL, cursor_tag = NULL
            """
        )
    }

    /// Whether the account's records have not all arrived yet.
    package static func isBeforeFirstSync(in database: Database) throws -> Bool {
        try database.hasRow("SELECT 1 FROM sync_state WHERE last_success_ms IS NULL")
    }

    /// The account vector as this device last knew it.
    package static func vector(from database: Database) throws -> VersionVector {
        try vector("counter", of: "", in: database)
    }

    /// The part of it that the server has shown in this epoch.
    ///
    /// Of a server that went back it is less than the whole, until the server's vector is raised.
    package static func shownVector(from database: Database) throws -> VersionVector {
        try vector("shown", of: "WHERE shown > 0", in: database)
    }

    /// What the server's vector lacks, of writes that this device has opened or seen replaced.
    static func unshownVector(from database: Database) throws -> VersionVector {
        try vector("counter", of: "WHERE shown < counter", in: database)
    }

    private static func vector(
        _ column: String,
        of condition: String,
        in database: Database
    ) throws -> VersionVector {
        let rows = try database.rows(
            "SELECT actor, \(column) FROM sync_vector \(condition) ORDER BY actor"
        )
        return VersionVector(
            try rows.map { (actor: try $0.actor(), counter: try $0.unsigned(column)) }
        )
    }

    /// Raises the counter of each actor to that of `vector`, if that is higher, as shown by the
    /// server.
    ///
    /// `known`: what was shown before, whose entries need no write.
    package static func raise(
        to vector: VersionVector,
        above known: VersionVector = VersionVector(),
        in database: Database
    ) throws {
        for entry in vector.entries where entry.counter > known[entry.actor] {
            try database.run(
                """
                INSERT INTO sync_vector (actor, counter, shown) VALUES (?1, ?2, ?2)
                ON CONFLICT (actor) DO UPDATE SET counter = max(counter, excluded.counter),
                    shown = max(shown, excluded.shown)
                """,
                [entry.actor.column, entry.counter.column]
            )
        }
    }

    /// Forgets what the server has shown: it went back.
    static func forgetShown(in database: Database) throws {
        try database.run("UPDATE sync_vector SET shown = 0")
    }

    /// Says no more of a write that it was seen: the server lost it, and it is unopened here.
    ///
    /// Nor of its author's later ones. Those that this device has opened it knows by their records.
    static func forget(_ dot: Dot, in database: Database) throws {
        let earlier = dot.counter - 1
        guard earlier > 0 else {
            return try database.run("DELETE FROM sync_vector WHERE actor = ?", [dot.actor.column])
        }
        try database.run(
            """
            UPDATE sync_vector SET counter = ?2, shown = min(shown, ?2)
            WHERE actor = ?1 AND counter > ?2
            """,
            [dot.actor.column, earlier.column]
        )
    }
}

extension SyncState {
    /// Columns are read by position, as ``SyncStateTable/load(from:)`` selects them: names take
    /// several times as long, and every step of sync reads this row.
    fileprivate init(_ row: Row) throws {
        account = try row.fixed(at: 0)
        member = try row.fixed(at: 1)
        actor = try row.actor(at: 2)
        counter = try row.unsigned(at: 3)
        chain = try row.fixed(at: 4)
        ownTime = HybridTime(rawValue: try row.unsigned(at: 5))
        epoch = try row.fixed(at: 6)
        if row[7] as Int64? != nil {
            cursor = Cursor(epoch: epoch, seq: try row.unsigned(at: 7), tag: try row.fixed(at: 8))
        }
        completeSeq = (row[9] as Int64?).flatMap { UInt64(exactly: $0) }
        circleVersion = try row.unsigned(at: 10)
        circleHash = try row.fixed(at: 11)
        if let name = row[12] as String? { hold = try Hold(rawValue: name).orCorrupt() }
        lastSuccessMilliseconds = (row[13] as Int64?).flatMap { UInt64(exactly: $0) }
        serverDateMilliseconds = (row[14] as Int64?).flatMap { UInt64(exactly: $0) }
    }
}
