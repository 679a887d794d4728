import Foundation
import KSCausality
import KSMerging
import KSPostgreSQLStore
import KSPostgreSQLTestSupport
import KSRecords
import KSStore
import KSTestSupport
import KSWire
import Synchronization
import Testing

/// What only a database that several servers share can get wrong.
@Suite(.enabled(if: TestPostgreSQL.isInstalled, "PostgreSQL is not installed"))
struct PostgreSQLTests {
    @Test
    func `two servers that write one account lose nothing and write nothing twice`() async throws {
        let schema = try TestPostgreSQL.makeSchema()
        let stores = try (0..<2).map { _ in try schema.open() }
        let account = FakeAccount(1)
        let epoch = try stores[0].createAccount(account.signUp)
        let pushed = await withTaskGroup(of: [PushAnswer].self) { group in
            for number in 0..<8 {
                group.addTask {
                    var actor = FakeActor(
                        UInt64(number),
                        of: account,
                        device: number % 2,
                        epoch: epoch
                    )
                    return (0..<20).flatMap { step -> [PushAnswer] in
                        let batch = actor.seal([FakeWrite(record: .number(number * 20 + step))])
                        let request = actor.request(batch)
                        // Both servers get it, as when a client's first answer was lost.
                        let results = stores.map { $0.push([request])[0] }
                        #expect(results[0].lasting == results[1].lasting)
                        return results.prefix(1).compactMap { result in
                            if case .success(let answer) = result { answer } else { nil }
                        }
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        let seqs = pushed.flatMap(\.records).map(\.seq)
        #expect(seqs.sorted() == Array(1...160))
        let page = try stores[1].changes(
            ChangesRequest(account: account.id, member: account.device, after: nil)
        )
        #expect(page.records.map(\.seq) == Array(1...160))
        for store in stores { store.close() }
    }

    @Test
    func `many accounts are pushed in one call, each with its own result`() throws {
        let world = try StoreKind.postgresql.make()
        let accounts = try (1...30).map { try world.signUp($0) }
        var actors = accounts.map { FakeActor(7, of: $0.0, epoch: $0.1) }
        let requests = actors.indices.flatMap { index in
            (0..<3).map { step in
                actors[index].request(actors[index].seal([FakeWrite(record: .number(step))]))
            }
        }
        let results = world.store.push(requests)
        for (index, result) in results.enumerated() {
            #expect(try result.get().records.map(\.seq) == [UInt64(index % 3 + 1)])
        }
        #expect(world.store.push(requests).map(\.lasting) == results.map(\.lasting))
    }

    @Test
    func `calls survive connections that end between them, and in them`() throws {
        let schema = try TestPostgreSQL.makeSchema()
        let store = try PostgreSQLStore(
            address: schema.address + "&application_name=\(schema.name)",
            options: TestSchema.options,
            random: SeededRandomSource(seed: 1)
        ) { 1 }
        let account = FakeAccount(1)
        let epoch = try store.createAccount(account.signUp)
        @Sendable
        func endConnections() throws -> UInt64 {
            try schema.integers(
                """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE application_name = '\(schema.name)'
                """
            )[0]
        }
        let (isDone, hasEnded) = (Flag(), Flag())
        Thread.detachNewThread {
            while !isDone.isSet {
                // An error only means fewer connections that end.
                _ = try? endConnections()
                Thread.sleep(forTimeInterval: 0.1)
            }
            hasEnded.set()
        }
        var actor = FakeActor(7, of: account, epoch: epoch)
        for step in 0..<100 { try actor.push(.number(step), to: store) }
        isDone.set()
        // Else it may end the connection of the next push, and none is left to be counted.
        while !hasEnded.isSet { Thread.sleep(forTimeInterval: 0.01) }
        for step in 100..<110 {
            try actor.push(.number(step), to: store)
            #expect(try endConnections() > 0)
        }
        let page = try store.changes(
            ChangesRequest(account: account.id, member: account.device, after: nil)
        )
        #expect(page.records.map(\.seq) == Array(1...110))
        store.close()
    }

    @Test
    func `a page of one large record says that there is more`() throws {
        let world = try StoreKind.postgresql.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        for step in 0..<3 { try actor.push(.number(step), to: world.store) }
        let page = try world.store.changes(
            ChangesRequest(account: account.id, member: account.device, after: nil, bytesMax: 1)
        )
        #expect(page.records.map(\.seq) == [1] && page.hasMore && page.cursor.seq == 1)
    }

    @Test
    func `a lock that is held for too long has its own code, and the account goes on`() throws {
        let schema = try TestPostgreSQL.makeSchema()
        var options = TestSchema.options
        options.statementMax = .milliseconds(300)
        let store = try schema.open(options: options)
        let account = FakeAccount(1)
        let other = FakeAccount(2)
        let epoch = try store.createAccount(account.signUp)
        _ = try store.createAccount(other.signUp)
        var actor = FakeActor(7, of: account, epoch: epoch)
        var free = FakeActor(7, of: other, epoch: epoch)
        let held = actor.request(actor.seal([FakeWrite(record: .number(1))]))
        let open = free.request(free.seal([FakeWrite(record: .number(1))]))
        let holder = try schema.connect()
        try holder.runScript("BEGIN; SELECT 1 FROM account WHERE name = 'account 1' FOR UPDATE")
        let results = store.push([held, open])
        #expect(results[0] == .failure(.database(.busy)))
        #expect(try results[1].get().cursor.seq == 1)
        try holder.runScript("ROLLBACK")
        #expect(try store.push([held])[0].get().cursor.seq == 1)
        store.close()
    }

    @Test(
        arguments: [
            ("53100", .full), ("25006", .readOnly), ("40001", .busy), ("57P01", .failingOver),
            ("22012", .failed(state: "22012")),
        ] as [(String, DatabaseTrouble)]
    )
    func `a full, read-only or stopping database has its own code, and nothing is stored`(
        state: String,
        trouble: DatabaseTrouble
    ) throws {
        let schema = try TestPostgreSQL.makeSchema()
        var options = TestSchema.options
        options.patience = .milliseconds(300)
        let store = try schema.open(options: options)
        let account = FakeAccount(1)
        let epoch = try store.createAccount(account.signUp)
        var actor = FakeActor(7, of: account, epoch: epoch)
        let request = actor.request(actor.seal([FakeWrite(record: .number(1))]))
        try schema.execute(
            """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '\(state)'; END $$;
            CREATE TRIGGER fail BEFORE INSERT ON accepted_batch EXECUTE FUNCTION fail();
            """
        )
        #expect(store.push([request]) == [.failure(.database(trouble))])
        #expect(try store.account(account.id)?.seq == 0)
        try schema.execute("DROP TRIGGER fail ON accepted_batch")
        #expect(try store.push([request])[0].get().cursor.seq == 1)
        store.close()
    }

    @Test
    func `a database that is away has its own code, and an unreadable address is refused`() throws {
        #expect(throws: StoreError.database(.away)) {
            var options = TestSchema.options
            options.patience = .milliseconds(200)
            _ = try PostgreSQLStore(
                address: "postgresql:///postgres?host=%2Fnonexistent",
                options: options,
                random: SeededRandomSource(seed: 1)
            ) { 1 }
        }
        #expect(!DatabaseConnection.canRead("postgresql://[::1/"))
    }

    @Test
    func `two servers do not make the store's time pass twice as fast`() throws {
        let schema = try TestPostgreSQL.makeSchema()
        let stores = try (0..<2).map { _ in try schema.open() }
        for _ in 0..<10 { for store in stores { try store.passTime(seconds: 3600) } }
        func served() throws -> [UInt64] {
            try schema.integers("SELECT served_seconds FROM server")
        }
        #expect(try served() == [36_000])
        let third = try schema.open()
        try third.passTime(seconds: 5)
        #expect(try served() == [36_005])
        // It counts on from where it started, which others have passed by now.
        try stores[0].passTime(seconds: 4)
        #expect(try served() == [36_005])
        for store in stores + [third] { store.close() }
    }

    @Test
    func `nothing of a deleted account is left`() throws {
        let schema = try TestPostgreSQL.makeSchema()
        let store = try schema.open()
        let account = FakeAccount(1)
        let epoch = try store.createAccount(account.signUp)
        var actor = FakeActor(7, of: account, epoch: epoch)
        try actor.push(.number(1), to: store)
        try store.deleteAccount(account.id)
        #expect(throws: StoreError.notFound) { try store.deleteAccount(account.id) }
        let tables = try schema.texts(
            """
            SELECT table_name::text FROM information_schema.columns
            WHERE table_schema = '\(schema.name)' AND column_name = 'account'
            """
        )
        #expect(tables.count == 10)
        for table in tables {
            #expect(try schema.integers("SELECT count(*) FROM \(table)") == [0], "\(table)")
        }
        _ = try store.createAccount(account.signUp)
        store.close()
    }

    @Test
    func `a contact of an earlier epoch does not count in the next`() throws {
        let schema = try TestPostgreSQL.makeSchema()
        let store = try schema.open()
        let account = FakeAccount(1)
        let epoch = try store.createAccount(account.signUp)
        var actor = FakeActor(7, of: account, epoch: epoch)
        let cursor = try actor.push(.number(1), to: store).cursor
        func pull(_ cursor: Cursor) throws {
            _ = try store.changes(
                ChangesRequest(account: account.id, member: account.device, after: cursor)
            )
        }
        func applied() throws -> [UInt64] {
            try schema.integers("SELECT CAST(max(applied_seq) AS bigint) FROM member")
        }
        try pull(cursor)
        #expect(try applied() == [1])
        let forged = Cursor(epoch: epoch, seq: 1, tag: .start)
        #expect(throws: StoreError.refused(.unknownCursor)) { try pull(forged) }
        let compared = try store.compareHistory(forged, of: account.device, in: account.id)
        #expect(!compared.isKnown && compared.epoch != epoch)
        #expect(try applied() == [0])
        #expect(throws: StoreError.refused(.storeRestored)) { try pull(cursor) }
        #expect(try applied() == [0])
        store.close()
    }

    @Test
    func `an invitation makes one account, and the secret is the same for all`() throws {
        let schema = try TestPostgreSQL.makeSchema()
        let stores = try (0..<2).map { _ in try schema.open() }
        try stores[0].addInvitation(codeHash: [1, 2])
        #expect(try stores[1].hasInvitation(codeHash: [1, 2]))
        #expect(try !stores[1].hasInvitation(codeHash: [1]))
        #expect(try !stores[1].wasInvitationUsed(codeHash: [1, 2]))
        #expect(try !stores[1].wasInvitationUsed(codeHash: [1]))
        let used = try stores.map { try $0.useInvitation(codeHash: [1, 2]) }
        #expect(used == [true, false])
        try stores[0].addInvitation(codeHash: [1, 2])
        #expect(try stores[1].useInvitation(codeHash: [1, 2]))
        let secret = try stores[0].secret(byteCount: 32)
        #expect(try stores[1].secret(byteCount: 32) == secret)
        try stores[0].renewSecret(byteCount: 32)
        #expect(try stores[1].secret(byteCount: 32) != secret)
        for store in stores { store.close() }
    }
}

/// A flag that one task sets for another.
final class Flag: Sendable {
    private let state = Mutex(false)

    var isSet: Bool { state.withLock { $0 } }

    func set() {
        state.withLock { $0 = true }
    }
}
