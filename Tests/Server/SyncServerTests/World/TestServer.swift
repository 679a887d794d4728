import GRDB
import KSDigests
import Logging
import KSRecords
import KSStore
import Synchronization
import KSTestSupport
import Testing
import KSWire

import KSSyncServer

/// A clock that a test moves.
final class ManualClock: Sendable {
    private let milliseconds = Mutex<UInt64>(1_700_000_000_000)

    var wallClock: WallClock { WallClock { self.milliseconds.withLock { $0 } } }

    func advance(seconds: UInt64) {
        milliseconds.withLock { $0 += seconds * 1000 }
    }

    func setBack(seconds: UInt64) {
        milliseconds.withLock { $0 -= seconds * 1000 }
    }
}

/// A server inside the test's own process, on a port that the system chose.
struct TestServer: Sendable {
    let port: Int
    let service: SyncService
    let store: any Store
    let clock: ManualClock
    /// The folder of the store.
    let database: DatabaseQueue

    var origin: String { "https://127.0.0.1:\(port)" }

    /// The number of rows in a table of the store.
    func count(of table: String) throws -> Int? {
        try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") }
    }

    /// Sends one request on a connection of its own.
    func request(
        _ method: String,
        _ path: String,
        headers: [String: String] = [:],
        body: [UInt8] = [],
        declaredLength: Int? = nil
    ) async throws -> HTTPAnswer {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            head += "\(name): \(value)\r\n"
        }
        head += "Content-Length: \(declaredLength ?? body.count)\r\n\r\n"
        let bytes = Array(head.utf8) + body
        let connection = try #require(LoopbackConnection(port: port))
        let answer = try await onThread {
            connection.send(bytes)
            return try connection.receiveAll()
        }
        return try #require(HTTPAnswer(answer))
    }
}

/// Runs a server until the test's body returns.
func withServer(
    options: SyncService.Options = SyncService.Options(),
    accountBytesMax: UInt64? = nil,
    invitationsPath: String = "/nonexistent",
    log: TestLog? = nil,
    wrapping wrap: (any Store) -> any Store = { $0 },
    _ body: @Sendable (TestServer) async throws -> Void
) async throws {
    let clock = ManualClock()
    let random = SeededRandomSource(seed: 7)
    let database = try DatabaseQueue()
    let store = wrap(
        try SQLiteStore(
            database: database,
            accountBytesMax: accountBytesMax,
            random: random,
            clockSeconds: clock.wallClock.seconds
        )
    )
    let service = SyncService(
        store: store,
        secret: ServerSecret(key: random.bytes(ServerSecret.byteCount)),
        options: options,
        origins: Origins([]),
        invitations: Invitations(directory: invitationsPath),
        random: random,
        clock: clock.wallClock
    )
    try await withServer(service, store, clock, database, log: log, body)
}

/// Runs a server of this service until the test's body returns.
func withServer(
    _ service: SyncService,
    _ store: any Store,
    _ clock: ManualClock,
    _ database: DatabaseQueue,
    log: TestLog? = nil,
    _ body: @Sendable (TestServer) async throws -> Void
) async throws {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    if let log { logger = log.logger() }
    let (ports, portContinuation) = AsyncStream.makeStream(of: Int.self)
    let server = SyncServer(
        service: service,
        address: ListenAddress(host: "127.0.0.1", port: 0),
        tlsConfiguration: nil,
        logger: logger,
        onListening: { portContinuation.yield($0) },
        onStopping: {}
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
        // The server ends by cancellation, which it may report as an error.
        group.addTask { _ = try? await server.run(signals: []) }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        try await body(
            TestServer(
                port: port,
                service: service,
                store: store,
                clock: clock,
                database: database
            )
        )
        service.hub.stop()
        group.cancelAll()
    }
}

extension SyncService.Options {
    /// The standard options, except for the given ones.
    init(
        registration: Registration = .open,
        heartbeat: Duration? = nil,
        proofBurst: Int? = nil,
        proofsPerSecond: Double? = nil,
        signupBurst: Int? = nil,
        signupsPerSecond: Double? = nil
    ) {
        self.init()
        self.registration = registration
        self.heartbeat = heartbeat ?? self.heartbeat
        self.proofBurst = proofBurst ?? self.proofBurst
        self.proofsPerSecond = proofsPerSecond ?? self.proofsPerSecond
        self.signupBurst = signupBurst ?? self.signupBurst
        self.signupsPerSecond = signupsPerSecond ?? self.signupsPerSecond
    }
}
