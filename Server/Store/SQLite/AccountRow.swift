internal import KSCausality
internal import Foundation
internal import GRDB
internal import KSRecords

/// What the store keeps of an account, beside its records.
struct AccountRow {
    let number: Int64
    let id: AccountID
    let name: String
    let epoch: StoreEpoch
    let seq: UInt64
    let removalHorizon: UInt64
    let recordCount: Int64
    let storedBytes: Int64
    let circleVersion: UInt64
    let generation: UInt64
    /// Of all entries of the circle.
    let circleBytes: Int64

    private static let columns = """
        SELECT number, id, name, epoch, seq, removal_horizon, record_count, stored_bytes,
            circle_version, generation, circle_bytes
        FROM account
        """

    static func find(_ id: AccountID, in database: Database) throws -> AccountRow {
        let statement = try database.cachedStatement(sql: columns + " WHERE id = ?")
        guard let row = try Row.fetchOne(statement, arguments: [id.data]) else {
            throw StoreError.notFound
        }
        return try AccountRow(row)
    }

    static func find(lookUpName: String, in database: Database) throws -> AccountRow? {
        let statement = try database.cachedStatement(sql: columns + " WHERE look_up_name = ?")
        return try Row.fetchOne(statement, arguments: [lookUpName]).map(AccountRow.init)
    }

    private init(_ row: Row) throws {
        number = row[0]
        id = try AccountID(column: row[1])
        name = row[2]
        epoch = try StoreEpoch(column: row[3])
        seq = row[4]
        removalHorizon = row[5]
        recordCount = row[6]
        storedBytes = row[7]
        circleVersion = row[8]
        generation = row[9]
        circleBytes = row[10]
    }

    /// Whether the circle may grow by one more entry.
    func hasRoom(forEntryOf byteCount: Int) -> Bool {
        circleVersion < UInt64(Limits.circleEntriesMax)
            && circleBytes + Int64(byteCount) <= Int64(Limits.circleBytesMax)
    }

    var state: AccountState {
        AccountState(
            id: id,
            name: name,
            epoch: epoch,
            seq: seq,
            circleVersion: circleVersion,
            generation: generation
        )
    }

    /// Where a record stands whose latest write has this seq.
    func position(_ seq: UInt64) -> Int64 {
        number << 40 | Int64(seq)
    }

    /// The seq of a position of this account.
    func seq(at position: Int64) -> UInt64 {
        UInt64(position - number << 40)
    }

    func vector(in database: Database) throws -> VersionVector {
        let statement = try database.cachedStatement(
            sql: "SELECT id, accepted FROM actor WHERE account = ?"
        )
        let rows = try Row.fetchAll(statement, arguments: [number])
        return VersionVector(
            rows.map { (actor: ActorID(column: $0[0]), counter: $0[1]) }
        )
    }

    func isMember(_ member: MemberID, in database: Database) throws -> Bool {
        let statement = try database.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM member WHERE account = ? AND id = ?)"
        )
        return try Bool.fetchOne(statement, arguments: [number, member.data]) ?? false
    }

    /// Begins a new life of the account's history.
    ///
    /// Nothing that was applied before counts any more, and no actor goes on writing: two copies of
    /// one may have gone separate ways since the history that came back.
    func beginEpoch(_ epoch: StoreEpoch, in database: Database) throws {
        try database.execute(
            sql: "UPDATE account SET epoch = ? WHERE number = ?",
            arguments: [epoch.data, number]
        )
        try database.execute(
            sql: "UPDATE member SET applied_seq = 0 WHERE account = ?",
            arguments: [number]
        )
        try database.execute(
            sql: "UPDATE actor SET is_closed = 1 WHERE account = ?",
            arguments: [number]
        )
    }
}

extension ActorID {
    /// SQLite's integers have a sign; the 64 bits are the same.
    var column: Int64 { Int64(bitPattern: rawValue) }

    init(column: Int64) {
        self.init(rawValue: UInt64(bitPattern: column))
    }
}
