import GRDB
import KSDigests
import KSPostgreSQLStore
import KSPostgreSQLTestSupport
import KSRecords
import KSSealing
import Logging
import SwiftProtobuf
import Testing
import KSWire

import KSSyncServer

/// Two servers on one database: what a client does at one is seen at the other.
@Suite(.enabled(if: TestPostgreSQL.isInstalled, "PostgreSQL is not installed"))
struct TwoServerTests {
    /// Runs a server on a database that others use too.
    ///
    /// `address`: where it listens for the others' news; nil for nowhere.
    private static func withServer(
        on schema: TestSchema,
        listeningAt address: String?,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        let store = try schema.open(clockSeconds: clock.wallClock.seconds)
        let service = SyncService(
            store: store,
            secret: ServerSecret(key: try store.secret(byteCount: ServerSecret.byteCount)),
            options: SyncService.Options(heartbeat: .milliseconds(100)),
            origins: Origins([]),
            invitations: Invitations(directory: "/nonexistent"),
            random: SystemRandomSource(),
            clock: clock.wallClock
        )
        let wakeUps = service.hub.wakeUps(
            over: store,
            // Nobody answers there.
            listeningAt: address ?? "postgresql:///postgres?host=%2Fnonexistent",
            Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        try wakeUps.start()
        try await SyncServerTests.withServer(service, store, clock, try DatabaseQueue(), body)
        wakeUps.stop()
        store.close()
    }

    private static func withTwoServers(
        secondListens: Bool = true,
        _ body: @Sendable (TestServer, TestServer, TestSchema) async throws -> Void
    ) async throws {
        let schema = try TestPostgreSQL.makeSchema()
        try await withServer(on: schema, listeningAt: schema.address) { first in
            try await withServer(
                on: schema,
                listeningAt: secondListens ? schema.address : nil
            ) { second in
                try await body(first, second, schema)
            }
        }
    }

    /// An account with two devices, made at one server.
    private struct World {
        let account: TestAccount
        let epoch: StoreEpoch
        let writer: DeviceIdentity
        let listenerToken: String
        let writerToken: String

        init(_ server: TestServer) async throws {
            account = try TestAccount()
            epoch = try await server.signUp(account)
            listenerToken = try await server.deviceToken(account)
            writer = DeviceIdentity.random(from: account.random)
            let answer = try await server.putCircle(
                try account.adding(writer),
                by: .credentials(account.credentials),
                account: account.id.bytes
            )
            #expect(answer.status == 200)
            writerToken = try await server.token(by: .device(writer), account: account.id.bytes)
        }

        /// The writer pushes a new record.
        func write(actor: UInt64, to server: TestServer) async throws {
            let batch = try account.batch(by: writer, actor: actor, count: 1, epoch: epoch)
            #expect(try await server.push(batch, token: writerToken).status == 200)
        }
    }

    private static func nextEvent(_ stream: EventStream) async throws -> WireEvent {
        let block = try #require(try await stream.nextEvent())
        return try WireEvent(jsonString: String(block.drop { $0 != "{" }))
    }

    @Test
    func `a write at one server reaches a stream at the other, with its page`() async throws {
        try await Self.withTwoServers { first, second, _ in
            let world = try await World(first)
            // The token is from the first server.
            let stream = try await EventStream(server: second, token: world.listenerToken)
            #expect(try await Self.nextEvent(stream).seq == 0)
            for seq in 1...5 as ClosedRange<UInt64> {
                let start = ContinuousClock.now
                try await world.write(actor: seq, to: first)
                let event = try await Self.nextEvent(stream)
                let page = try event.announcedPage()?.page
                #expect(event.seq == seq && page?.records.count == 1)
                #expect(ContinuousClock.now - start < .seconds(5))
            }
            // And the other way.
            let back = try await EventStream(server: first, token: world.listenerToken)
            #expect(try await Self.nextEvent(back).seq == 5)
            try await world.write(actor: 6, to: second)
            #expect(try await Self.nextEvent(back).seq == 6)
            stream.hangUp()
            back.hangUp()
        }
    }

    @Test
    func `a server that cannot listen looks for news`() async throws {
        try await Self.withTwoServers(secondListens: false) { first, second, _ in
            let world = try await World(first)
            let stream = try await EventStream(server: second, token: world.listenerToken)
            #expect(try await Self.nextEvent(stream).seq == 0)
            try await world.write(actor: 1, to: first)
            #expect(try await Self.nextEvent(stream).seq == 1)
            stream.hangUp()
        }
    }

    @Test
    func `a listening connection that ends loses no news`() async throws {
        try await Self.withTwoServers { first, second, schema in
            let world = try await World(first)
            let stream = try await EventStream(server: second, token: world.listenerToken)
            #expect(try await Self.nextEvent(stream).seq == 0)
            for seq in 1...3 as ClosedRange<UInt64> {
                _ = try schema.integers(
                    """
                    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                    WHERE query LIKE 'LISTEN%' AND datname = current_database()
                    """
                )
                try await world.write(actor: seq, to: first)
                #expect(try await Self.nextEvent(stream).seq == seq)
            }
            stream.hangUp()
        }
    }

    @Test
    func `an account that ends at one server ends its streams at the other`() async throws {
        try await Self.withTwoServers { first, second, _ in
            let world = try await World(first)
            let stream = try await EventStream(server: second, token: world.listenerToken)
            #expect(try await Self.nextEvent(stream).seq == 0)
            let answer = try await first.deleteAccount(
                world.account,
                by: .device(world.writer),
                and: .credentials(world.account.credentials)
            )
            #expect(answer.status == 204)
            #expect(try await stream.nextEvent() == nil)
        }
    }
}
