internal import Foundation
internal import GRDB
internal import KSCausality
internal import KSMerging
internal import KSRecords
internal import KSWire

/// The row of an account, valid only in the transaction that loaded it.
struct AccountRow {
    let database: Database
    /// Represents the account in every key.
    let number: Int64
    let id: AccountID
    let name: String
    let standing: AccountStanding
    /// Its own quota; nil if that of the server counts.
    let quotaBytes: UInt64?
    let isSuspended: Bool
    let createdSeconds: UInt64

    private static let columns = """
        SELECT number, id, name, epoch, seq, removal_horizon, circle_version, generation,
            stored_bytes, circle_bytes, quota_bytes, is_suspended, created_seconds
        FROM account
        """

    static func find(_ id: AccountID, in database: Database) throws -> AccountRow {
        guard let row = try database.row(columns + " WHERE id = ?", [id.data]) else {
            throw StoreError.notFound
        }
        return try AccountRow(row, database)
    }

    static func find(lookUpName: String, in database: Database) throws -> AccountRow? {
        try database.row(columns + " WHERE look_up_name = ?", [lookUpName])
            .map { try AccountRow($0, database) }
    }

    /// Adds an account in the store's epoch, whose circle is saved next.
    ///
    /// - Throws: `name_taken` if the id is taken.
    static func make(
        _ id: AccountID,
        named name: String,
        lookUpName: String,
        generation: UInt64,
        credentialsBox: [UInt8],
        in database: Database
    ) throws -> AccountRow {
        guard let epoch = try Data.fetchOne(database, sql: "SELECT epoch FROM store") else {
            throw StoreError.damaged
        }
        try database.run(
            """
            INSERT INTO account
                (id, name, look_up_name, epoch, circle_version, generation, credentials_box,
                    created_seconds)
            VALUES (?, ?, ?, ?, 1, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING
            """,
            [
                id.data, name, lookUpName, epoch, generation, credentialsBox.data,
                database.servedSeconds(),
            ]
        )
        guard database.changesCount == 1 else { throw StoreError.refused(.nameTaken) }
        return try find(id, in: database)
    }

    private init(_ row: Row, _ database: Database) throws {
        self.database = database
        number = row[0]
        id = try AccountID(column: row[1])
        name = row[2]
        standing = AccountStanding(
            epoch: try StoreEpoch(column: row[3]),
            seq: row[4],
            removalHorizon: row[5],
            circleVersion: row[6],
            generation: row[7],
            recordBytes: row[8],
            circleBytes: row[9]
        )
        quotaBytes = row[10]
        isSuspended = row[11]
        createdSeconds = row[12]
    }

    var state: AccountState {
        get throws {
            AccountState(
                id: id,
                name: name,
                cursor: try cursor(at: standing.seq),
                circleVersion: standing.circleVersion,
                generation: standing.generation
            )
        }
    }

    /// How many bytes it may hold; nil for no limit.
    func bytesMax(_ quota: AccountQuota) throws -> UInt64? {
        let now = try database.servedSeconds()
        return quota.bytesMax(
            own: quotaBytes,
            ageSeconds: now - min(now, createdSeconds)
        )
    }

    /// The position of a record whose latest write has this seq.
    func position(_ seq: UInt64) -> Int64 {
        number << 40 | Int64(seq)
    }

    /// The seq of a position of this account.
    func seq(at position: Int64) -> UInt64 {
        UInt64(position - number << 40)
    }

    func vector() throws -> VersionVector {
        let rows = try database.rows("SELECT id, accepted FROM actor WHERE account = ?", [number])
        return VersionVector(rows.map { (actor: ActorID(column: $0[0]), counter: $0[1]) })
    }

    /// The cursor of a seq that the account has reached.
    func cursor(at seq: UInt64) throws -> KSRecords.Cursor {
        guard let tag = try tag(of: seq) else { throw StoreError.damaged }
        return KSRecords.Cursor(epoch: standing.epoch, seq: seq, tag: tag)
    }

    /// The tag of a seq; nil if the account has not reached it.
    func tag(of seq: UInt64) throws -> CommitTag? {
        guard seq <= standing.seq else { return nil }
        guard seq > 0 else { return .start }
        let tag = try database.blob(
            "SELECT tag FROM commit_tag WHERE account = ? AND seq >= ? ORDER BY seq LIMIT 1",
            [number, seq]
        )
        return try tag.map(CommitTag.init(column:))
    }

    /// Begins a new epoch of the account.
    ///
    /// Devices' applied seqs become void, and all actors end: since the restored state, two copies
    /// of an actor may have written different things. No device counts as silent: its last contact
    /// may be lost with the rest.
    func beginEpoch(_ epoch: StoreEpoch) throws {
        try database.run("UPDATE account SET epoch = ? WHERE number = ?", [epoch.data, number])
        try database.run(
            """
            UPDATE member SET applied_seq = 0, last_contact_seconds = ?, is_dormant = 0
            WHERE account = ?
            """,
            [database.servedSeconds(), number]
        )
        try closeActors()
    }

    /// The actors that may still write.
    func openActors() throws -> Set<ActorID> {
        Set(
            try database.rows(
                "SELECT id FROM actor WHERE account = ? AND is_closed = 0",
                [number]
            ).map { ActorID(column: $0[0]) }
        )
    }

    /// Raises these actors, which never write again.
    ///
    /// `member`: stands for the author of those that this store has lost.
    func raise(to vector: VersionVector, by member: MemberID) throws {
        for entry in vector.entries {
            try database.run(
                """
                INSERT INTO actor (account, id, member, accepted, chain, is_closed)
                VALUES (?, ?, ?, ?, ?, 1)
                ON CONFLICT (account, id) DO UPDATE SET accepted = excluded.accepted
                """,
                [number, entry.actor.column, member.data, entry.counter, Hash.zero.data]
            )
        }
    }

    /// Ends all actors of the account: devices go on as new ones.
    func closeActors() throws {
        try database.run("UPDATE actor SET is_closed = 1 WHERE account = ?", [number])
    }
}

extension ActorID {
    /// The same 64 bits as SQLite's signed integer.
    var column: Int64 { Int64(bitPattern: rawValue) }

    init(column: Int64) {
        self.init(rawValue: UInt64(bitPattern: column))
    }
}
