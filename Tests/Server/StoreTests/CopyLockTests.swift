import Foundation
import KSMerging
import KSPostgreSQLStore
import KSPostgreSQLTestSupport
import KSRecords
import KSStore
import KSTestSupport
import Testing

/// Servers and copies of one database keep each other out.
@Suite(.enabled(if: TestPostgreSQL.isInstalled, "PostgreSQL is not installed"))
struct CopyLockTests {
    private func wakeUps(of store: PostgreSQLStore, _ schema: TestSchema) -> WakeUps {
        WakeUps(
            store: store,
            address: schema.address,
            hear: { _ in },
            doubt: {},
            noteListening: { _ in }
        )
    }

    /// Copies from or to a schema.
    private func begin(_ isSource: Bool, _ schema: TestSchema) throws -> PostgreSQLCopy {
        try isSource
            ? PostgreSQLCopy(reading: schema.address)
            : PostgreSQLCopy(
                filling: schema.address,
                from: nil,
                random: SeededRandomSource(seed: 1)
            )
    }

    @Test(arguments: [true, false])
    func `a server that runs refuses a copy, and a copy refuses a server`(isSource: Bool) throws {
        let schema = try TestPostgreSQL.makeSchema()
        let store = try schema.open()
        let secret = try store.secret(byteCount: 32)
        let server = wakeUps(of: store, schema)
        try server.start()
        #expect(throws: StoreError.inUse) { try begin(isSource, schema) }
        server.stop()
        let copy = try begin(isSource, schema)
        // Another copy too.
        #expect(throws: StoreError.inUse) { try begin(isSource, schema) }
        let late = wakeUps(of: store, schema)
        #expect(throws: StoreError.inUse) { try late.start() }
        store.close()
        if isSource {
            // A server that starts opens the store before it looks for a copy.
            let fresh = try schema.open()
            #expect(try fresh.secret(byteCount: 32) == secret)
            fresh.close()
        } else {
            #expect(throws: StoreError.copyUnfinished) { try schema.open() }
        }
        withExtendedLifetime(copy) {}
    }

    @Test
    func `a server that has not been heard of writes nothing while its store is copied`() throws {
        let schema = try TestPostgreSQL.makeSchema()
        var options = TestSchema.options
        options.statementMax = .milliseconds(300)
        let store = try schema.open(options: options)
        let account = FakeAccount(1)
        let epoch = try store.createAccount(account.signUp)
        let server = wakeUps(of: store, schema)
        try server.start()
        try schema.execute("UPDATE node SET announced_at = now() - interval '31 seconds'")
        var copy: PostgreSQLCopy? = try begin(true, schema)
        var actor = FakeActor(7, of: account, epoch: epoch)
        let request = actor.request(actor.seal([FakeWrite(record: .number(1))]))
        #expect(store.push([request]) == [.failure(.database(.busy))])
        #expect(try copy?.rows(of: .record, in: account.id, after: nil).isEmpty == true)
        copy = nil
        // PostgreSQL notices a moment later that the connection has ended.
        while store.push([request]) == [.failure(.database(.busy))] {}
        #expect(try store.push([request])[0].get().cursor.seq == 1)
        server.stop()
        store.close()
    }

    @Test
    func `a server says that it runs for as long as it does`() throws {
        let schema = try TestPostgreSQL.makeSchema()
        let store = try schema.open()
        let server = wakeUps(of: store, schema)
        try server.start()
        func ages() throws -> [UInt64] {
            try schema.integers(
                "SELECT extract(epoch FROM now() - max(announced_at))::bigint FROM node"
            )
        }
        #expect(try ages()[0] < 30)
        server.stop()
        #expect(try ages()[0] >= 30)
        store.close()
    }

    @Test
    func `a source is not made, migrated or changed`() throws {
        let schema = try TestPostgreSQL.makeSchema()
        #expect(throws: StoreError.notFound) { try begin(true, schema) }
        let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = '\(schema.name)'"
        #expect(try schema.integers(tables) == [0])
        try schema.open().close()
        try schema.execute("UPDATE migration SET version = 2")
        for isSource in [true, false] {
            #expect(throws: StoreError.newerVersion) { try begin(isSource, schema) }
        }
        #expect(throws: StoreError.database(.away)) {
            try PostgreSQLCopy(reading: "postgresql:///postgres?host=%2Fnonexistent")
        }
    }

    @Test
    func `a full target is reported as one`() throws {
        let source = try CopyPlace(.file)
        let target = try CopyPlace(.postgresql)
        try source.withStore { _ = try $0.createAccount(FakeAccount(1).signUp) }
        let schema = try #require(target.schema)
        try schema.open().close()
        try schema.execute(
            """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '53100'; END $$;
            CREATE TRIGGER fail BEFORE INSERT ON member EXECUTE FUNCTION fail();
            """
        )
        let failure = #expect(throws: StoreCopy.Failure.self) { try source.copy(to: target) }
        #expect(failure?.error == .database(.full) && failure?.isOfSource == false)
        try schema.execute("DROP TRIGGER fail ON member")
        #expect(try source.copy(to: target).isEqual)
    }
}
