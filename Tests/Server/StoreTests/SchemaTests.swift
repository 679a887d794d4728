import Foundation
import GRDB
import KSMerging
import KSRecords
import KSStore
import KSTestSupport
import KSWire
import Testing

/// The tables themselves.
struct SchemaTests {
    @Test
    func `every key of an account's rows leads with the account`() throws {
        let world = try StoreKind.file.make()
        let database = try DatabaseQueue(path: world.directory.path("store.sqlite"))
        try database.read { database in
            let tables = try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM pragma_table_list
                    WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'grdb_migrations'
                    ORDER BY name
                    """
            )
            let own = ["account", "store", "used_nonce"]
            #expect(Set(tables).isSuperset(of: own) && tables.count == own.count + 8)
            for table in tables where !own.contains(table) {
                let firsts = try String.fetchAll(
                    database,
                    sql: """
                        SELECT info.name
                        FROM pragma_index_list(?) AS list, pragma_index_info(list.name) AS info
                        WHERE info.seqno = 0
                        """,
                    arguments: [table]
                )
                #expect(!firsts.isEmpty && firsts.allSatisfy { $0 == "account" }, "\(table)")
                // A row's number would be a key of its own, which no list of indexes names.
                let hasRowNumber = try Bool.fetchOne(
                    database,
                    sql: "SELECT NOT wr FROM pragma_table_list WHERE name = ?",
                    arguments: [table]
                )
                #expect(hasRowNumber == (table == "record"), "\(table)")
            }
            for table in tables {
                let isStrict = try Bool.fetchOne(
                    database,
                    sql: "SELECT strict FROM pragma_table_list WHERE name = ?",
                    arguments: [table]
                )
                #expect(isStrict == true, "\(table)")
            }
        }
    }

    /// The one table whose rows have a number: its high bits are the account's number.
    @Test
    func `a record's number begins with that of its account`() throws {
        let world = try StoreKind.file.make()
        let database = try DatabaseQueue(path: world.directory.path("store.sqlite"))
        func insert(position: Int64, account: Int64, id: UInt8) throws {
            try database.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO record (position, account, id, is_deleted, siblings, boxes)
                        VALUES (?, ?, ?, 0, x'', x'')
                        """,
                    arguments: [position, account, Data(repeating: id, count: 32)]
                )
            }
        }
        let first: Int64 = 1 << 40
        try insert(position: first, account: 1, id: 1)
        try insert(position: 2 * first - 1, account: 1, id: 2)
        for (position, account) in [(first + 1, 2), (2 * first, 1), (1, 1)] as [(Int64, Int64)] {
            let error = #expect(throws: DatabaseError.self) {
                try insert(position: position, account: account, id: 3)
            }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
        }
    }

    @Test
    func `answered writes are on disk`() throws {
        let directory = try TemporaryDirectory()
        var configuration = Configuration()
        configuration.journalMode = .wal
        let database = try DatabaseQueue(
            path: directory.path("store.sqlite"),
            configuration: configuration
        )
        let store = try SQLiteStore(database: database, random: SeededRandomSource(seed: 1)) { 1 }
        func synchronous() throws -> Int? {
            try database.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        }
        let full = 2
        #expect(try synchronous() == full)
        let account = FakeAccount(1)
        let epoch = try store.createAccount(account.signUp)
        var actor = FakeActor(7, of: account, epoch: epoch)
        let cursor = try actor.push(.number(1), to: store).cursor
        // Noting a contact needs no disk sync; later writes do.
        _ = try store.changes(
            ChangesRequest(account: account.id, member: account.device, after: cursor)
        )
        #expect(try synchronous() == full)
        let world = try StoreKind.file.make()
        let other = try DatabaseQueue(path: world.directory.path("store.sqlite"))
        #expect(try other.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    }

    @Test
    func `a member's applied seq only rises, and ends with the epoch`() throws {
        let world = try StoreKind.file.make()
        let database = try DatabaseQueue(path: world.directory.path("store.sqlite"))
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let first = try actor.push(.number(1), to: world.store).cursor
        let second = try actor.push(.number(2), to: world.store).cursor
        func applied() throws -> [UInt64] {
            try database.read { database in
                guard
                    let row = try Row.fetchOne(
                        database,
                        sql: "SELECT applied_seq, last_contact_seconds FROM member WHERE id = ?",
                        arguments: [Data(account.device.bytes)]
                    )
                else { return [] }
                return [row[0], row[1]]
            }
        }
        func pull(_ cursor: KSRecords.Cursor?, isOfMember: Bool = true) throws {
            _ = try world.store.changes(
                ChangesRequest(
                    account: account.id,
                    member: account.device,
                    after: cursor,
                    isOfMember: isOfMember
                )
            )
        }
        let start: UInt64 = 0
        #expect(try applied() == [0, start])
        // A page that the server sends unasked does not say what the member has applied.
        try pull(second, isOfMember: false)
        #expect(try applied() == [0, start])
        try pull(second)
        #expect(try applied() == [2, start])
        // Contacts are noted by the store's own time, which no clock moves.
        world.clock.advance(by: 100_000)
        try world.store.passTime(seconds: 10)
        try pull(first)
        try pull(nil)
        #expect(try applied() == [2, start])
        try world.store.passTime(seconds: 3600)
        try pull(first)
        #expect(try applied() == [2, start + 3610])
        let late = actor.seal([FakeWrite(record: .number(3))])
        let third = try world.store.push([actor.request(late, applied: second)])[0].get().cursor
        _ = try actor.push(.number(4), to: world.store)
        let batch = actor.seal([FakeWrite(record: .number(5))])
        _ = try world.store.push([actor.request(batch, applied: third)])[0].get()
        #expect(try applied() == [3, start + 3610])
        let forged = KSRecords.Cursor(epoch: epoch, seq: 2, tag: .start)
        #expect(throws: StoreError.refused(.unknownCursor)) { try pull(forged) }
        #expect(try applied() == [3, start + 3610])
        _ = try world.store.compareHistory(forged, of: account.device, in: account.id)
        #expect(try applied() == [0, start + 3610])
    }
}
