internal import GRDB
internal import KSDigests
internal import KSKeychain
internal import KSKeychainRecords
internal import KSKeyValueRecords
internal import KSRecords
internal import KSStore
internal import KSSyncEngine
internal import Synchronization

/// The databases that a world begins with: an empty one of a device, and a server's with the
/// account.
///
/// Making their tables would cost more than the rest of a world. A connection that a world gives
/// back is used again by the next one, since it has prepared its statements.
final class Templates: Sendable {
    static let shared: Result<Templates, any Error> = Result { try Templates() }

    private let device: DatabaseTemplate
    private let server: DatabaseTemplate
    private let emptyServer: DatabaseQueue
    /// The epoch of the server with the account.
    let epoch: StoreEpoch
    /// How many words of its random source the account took from the server.
    let serverWords: Int
    private let devices = Mutex<[DatabaseQueue]>([])
    private let servers = Mutex<[ServerConnection]>([])
    /// More are closed; a process has as many worlds as tests at once.
    private static let keptMax = 32

    private init() throws {
        let database = try KeychainDatabase.openInMemory()
        try SyncSchema.schema.apply(to: database)
        try KeyValueSchema.schema.apply(to: database)
        device = try DatabaseTemplate(of: database)
        emptyServer = try DatabaseQueue()
        _ = try SQLiteStore(
            database: emptyServer,
            random: SimulationRandomSource(seed: 0),
            clockSeconds: { 0 }
        )
        let connection = try ServerConnection(Self.copy(emptyServer, Configuration()))
        let random = SimulationRandomSource(seed: 1)
        let clock = VirtualClock(milliseconds: World.startMilliseconds)
        // A store that is opened takes some words, which a connection does only once.
        _ = try SQLiteStore(database: connection.database, random: random, clockSeconds: { 0 })
        connection.begin(clock: clock, random: random)
        epoch = try Self.addAccount(to: connection.store)
        serverWords = random.wordCount
        server = try DatabaseTemplate(of: connection.database)
    }

    private static func addAccount(to store: SQLiteStore) throws -> StoreEpoch {
        let fixture = try AccountFixture.shared.get()
        var changes = fixture.changes[...]
        let genesis = changes.removeFirst()
        let epoch = try store.createAccount(
            NewAccount(id: fixture.account, name: "simulated", genesis: genesis)
        )
        for (index, change) in changes.enumerated() {
            try store.appendEntry(change, to: fixture.account, ifVersion: UInt64(index) + 1)
        }
        return epoch
    }

    // MARK: Lending

    /// An empty database of a device, to be given back.
    func lendDevice() throws -> DatabaseQueue {
        guard let database = devices.withLock({ $0.popLast() }) else {
            return try Self.copy(device.database)
        }
        // A connection whose tables were changed is of no use.
        return try device.isRestored(in: database) ? database : Self.copy(device.database)
    }

    func giveBack(device database: DatabaseQueue) {
        devices.withLock { if $0.count < Self.keptMax { $0.append(database) } }
    }

    /// A server that has the account, to be given back.
    func lendServer(clock: VirtualClock, random: any RandomSource) throws -> ServerConnection {
        var connection = servers.withLock { $0.popLast() }
        if let kept = connection, try !server.isRestored(in: kept.database) { connection = nil }
        let lent =
            try connection
            ?? ServerConnection(Self.copy(server.database, Configuration()))
        lent.begin(clock: clock, random: random)
        return lent
    }

    func giveBack(server: ServerConnection) {
        servers.withLock { if $0.count < Self.keptMax { $0.append(server) } }
    }

    // MARK: Copies

    /// A copy of a device's database.
    static func copy(
        _ database: DatabaseQueue,
        _ configuration: Configuration = KeychainDatabase.configuration()
    ) throws -> DatabaseQueue {
        let copy = try DatabaseQueue(configuration: configuration)
        try database.backup(to: copy)
        return copy
    }

    /// A server's database without an account.
    func emptyServerDatabase() throws -> DatabaseQueue {
        try Self.copy(emptyServer, Configuration())
    }
}

/// A connection to a server's database, and its store, which worlds use one after the other.
final class ServerConnection: Sendable {
    let database: DatabaseQueue
    let store: SQLiteStore
    private let sources: Sources

    /// The world's clock and random source.
    private final class Sources: RandomSource {
        private let current = Mutex<(clock: VirtualClock, random: any RandomSource)>(
            (VirtualClock(milliseconds: 0), SimulationRandomSource(seed: 0))
        )

        func begin(_ clock: VirtualClock, _ random: any RandomSource) {
            current.withLock { $0 = (clock, random) }
        }

        func bytes(_ count: Int) -> [UInt8] { current.withLock { $0.random }.bytes(count) }

        var clockSeconds: UInt64 { current.withLock { $0.clock }.milliseconds / 1000 }
    }

    init(_ database: DatabaseQueue) throws {
        self.database = database
        let sources = Sources()
        self.sources = sources
        store = try SQLiteStore(
            database: database,
            random: sources,
            clockSeconds: { sources.clockSeconds }
        )
    }

    func begin(clock: VirtualClock, random: any RandomSource) { sources.begin(clock, random) }
}
