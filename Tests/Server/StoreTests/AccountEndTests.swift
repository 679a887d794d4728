import KSCausality
import Foundation
import GRDB
import KSMerging
import KSRecords
import KSStore
import KSTestSupport
import KSWire
import Testing

/// The end of accounts, of room for them, and of history that a cursor needs.
struct AccountEndTests {
    @Test
    func `nothing of a deleted account is left, even for the next one`() throws {
        let world = try StoreKind.file.make()
        let (account, epoch) = try world.signUp(1)
        var actor = FakeActor(7, of: account, epoch: epoch)
        let batch = actor.seal([FakeWrite(record: .number(1)), FakeWrite(record: .number(2))])
        _ = try world.store.push([actor.request(batch)])[0].get()
        let database = try DatabaseQueue(path: world.directory.path("store.sqlite"))
        try world.store.deleteAccount(account.id)
        #expect(throws: StoreError.notFound) { try world.store.deleteAccount(account.id) }
        #expect(try world.store.account(account.id) == nil)
        #expect(try world.store.account(named: account.name) == nil)
        let tables = try database.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT entry.name FROM sqlite_schema AS entry
                    JOIN pragma_table_info(entry.name) AS info
                    WHERE entry.type = 'table' AND info.name = 'account'
                    """
            )
        }
        #expect(tables.count > 5)
        for table in tables + ["account"] {
            let count = try database.read { database in
                try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)")
            }
            #expect(count == 0, "\(table)")
        }

        // The next account may well get the number of the one that is gone.
        let (next, _) = try world.signUp(2)
        #expect(try world.everything(of: next).isEmpty)
        #expect(try world.vector(of: next) == VersionVector())
    }

    @Test(arguments: StoreKind.allCases)
    func `an account over a lowered quota can shrink, but not grow`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let box = [UInt8](repeating: 1, count: 2000)
        for number in 1...3 { try actor.push(.number(number), box: box, to: world.store) }
        try world.reopen(accountBytesMax: 2000)
        let store = world.store
        var growing = actor
        let batch = growing.seal([FakeWrite(record: .number(4), box: [1])])
        #expect(store.push([growing.request(batch)]) == [.failure(.refused(.quotaExceeded))])
        for number in 1...3 {
            let tombstone = FakeWrite(
                record: .number(number),
                replaced: [actor.dot(UInt64(number))],
                isTombstone: true,
                box: [1]
            )
            try actor.push([tombstone], to: store)
        }
        try actor.push(.number(4), box: [1], to: store)
    }

    @Test(arguments: StoreKind.allCases)
    func `a cursor older than a removal has to start over`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let cursors = try (1...3).map { number in
            try actor.push(.number(number), to: world.store).cursor
        }
        try world.removeHistory(upTo: 2)

        func pull(after cursor: KSRecords.Cursor) throws -> [PageAnswer.Record] {
            let page = try world.store.changes(
                ChangesRequest(account: account.id, member: account.device, after: cursor)
            )
            return page.records
        }
        #expect(throws: StoreError.refused(.resyncRequired)) { try pull(after: cursors[0]) }
        #expect(try pull(after: cursors[1]).count == 1)
        let batch = actor.seal([FakeWrite(record: .number(4))])
        #expect(
            world.store.push([actor.request(batch, applied: cursors[0])])
                == [.failure(.refused(.resyncRequired))]
        )
        _ = try world.store.push([actor.request(batch, applied: cursors[1])])[0].get()
    }

    @Test(arguments: StoreKind.allCases)
    func `a device with a cursor of another epoch cannot push`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let given = try actor.push(.number(1), to: world.store).cursor
        let past = StoreEpoch(validated: [UInt8](repeating: 9, count: StoreEpoch.byteCount))
        let applied = KSRecords.Cursor(epoch: past, seq: given.seq, tag: given.tag)
        let batch = actor.seal([FakeWrite(record: .number(2))])
        #expect(
            world.store.push([actor.request(batch, applied: applied)])
                == [.failure(.refused(.storeRestored))]
        )
        // The device was wrong, so this epoch continues.
        #expect(try world.store.account(account.id)?.epoch == epoch)
        _ = try world.store.push([actor.request(batch, applied: given)])[0].get()
    }

    @Test(arguments: StoreKind.allCases)
    func `an answer has the circle's version, and a retry the first answer's`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        var (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let first = actor.seal([FakeWrite(record: .number(1))])
        let answer = try world.store.push([actor.request(first)])[0].get()
        #expect(answer.circleVersion == 1)
        try world.store.appendEntry(account.advance(), to: account.id, ifVersion: 1)
        #expect(try actor.push(.number(2), to: world.store).circleVersion == 2)
        #expect(try world.store.push([actor.request(first)])[0].get().lasting == answer.lasting)
    }

    @Test(arguments: StoreKind.allCases)
    func `an entry of another account, or of a generation that ended, is refused`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        var (account, _) = try world.signUp(1)
        var (other, _) = try world.signUp(2)
        #expect(throws: StoreError.refused(.malformed)) {
            try world.store.appendEntry(other.advance(), to: account.id, ifVersion: 1)
        }
        let vector = try world.vector(of: account)
        let rising = account.advance(operation: .revoke, raisingGenerationAt: vector)
        try world.store.appendEntry(rising, to: account.id, ifVersion: 1)
        account.generation = 1
        #expect(throws: StoreError.refused(.malformed)) {
            try world.store.appendEntry(account.advance(), to: account.id, ifVersion: 2)
        }
        #expect(try world.store.account(account.id)?.circleVersion == 2)
    }

    @Test
    func `a backup that fails leaves nothing behind`() throws {
        let directory = try TemporaryDirectory()
        let letter = directory.path("letter")
        try Data("a letter to my bank".utf8).write(to: URL(fileURLWithPath: letter))
        #expect(throws: StoreError.notAStore) {
            try SQLiteStore.backup(of: letter, to: directory.path("backup"))
        }
        #expect(try directory.names == ["letter"])
    }
}
