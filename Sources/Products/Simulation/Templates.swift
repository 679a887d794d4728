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
/// Making their tables would cost more than the rest of a world. A disk that a world gives back is
/// used again by the next one with its connection, which has prepared its statements.
final class Templates: Sendable {
    static let shared: Result<Templates, any Error> = Result { try Templates() }

    private let device: SimulatedDisk.Contents
    private let server: SimulatedDisk.Contents
    /// A server's database without an account.
    let emptyServer: SimulatedDisk.Contents
    /// The epoch of the server with the account.
    let epoch: StoreEpoch
    /// How many words of its random source the account took from the server.
    let serverWords: Int
    private let devices = Mutex<[OpenDisk]>([])
    private let servers = Mutex<[ServerConnection]>([])
    /// More are closed; a process has as many worlds as tests at once.
    private static let keptMax = 32

    private init() throws {
        let open = try OpenDisk(with: nil, KeychainDatabase.configuration())
        for schema in [KeychainDatabase.schema, SyncSchema.schema, KeyValueSchema.schema] {
            try schema.apply(to: open.database)
        }
        device = try open.settled()
        let connection = try ServerConnection(with: nil)
        emptyServer = try connection.open.settled()
        let random = SimulationRandomSource(seed: 1)
        let clock = VirtualClock(milliseconds: World.startMilliseconds)
        // A store that is opened takes some words, which a connection does only once.
        _ = try SQLiteStore(
            database: connection.open.database,
            random: random,
            clockSeconds: { 0 }
        )
        connection.begin(clock: clock, random: random)
        epoch = try Self.addAccount(to: connection.store)
        serverWords = random.wordCount
        server = try connection.open.settled()
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

    /// A disk with an empty database of a device, to be given back.
    func lendDevice() throws -> OpenDisk {
        guard let open = devices.withLock({ $0.popLast() }) else {
            return try OpenDisk(with: device, KeychainDatabase.configuration())
        }
        open.disk.replace(with: device)
        return open
    }

    func giveBack(device open: OpenDisk) {
        open.disk.endFaults()
        devices.withLock { if $0.count < Self.keptMax { $0.append(open) } }
    }

    /// A server that has the account, to be given back.
    func lendServer(clock: VirtualClock, random: any RandomSource) throws -> ServerConnection {
        let kept = servers.withLock { $0.popLast() }
        kept?.open.disk.replace(with: server)
        let lent = try kept ?? ServerConnection(with: server)
        lent.begin(clock: clock, random: random)
        return lent
    }

    func giveBack(server: ServerConnection) {
        server.open.disk.endFaults()
        servers.withLock { if $0.count < Self.keptMax { $0.append(server) } }
    }
}

/// A disk, and the connection to its database.
struct OpenDisk: Sendable {
    let disk: SimulatedDisk
    let database: DatabaseQueue

    init(_ disk: SimulatedDisk, _ database: DatabaseQueue) {
        (self.disk, self.database) = (disk, database)
    }

    /// `contents`: of a new disk; nil for an empty one.
    init(with contents: SimulatedDisk.Contents?, _ configuration: Configuration) throws {
        disk = SimulatedDisk()
        if let contents { disk.replace(with: contents) }
        database = try DiskFileSystem.open(disk, configuration)
    }

    /// What is on the disk, without a log that would have to be read at each start.
    func settled() throws -> SimulatedDisk.Contents {
        _ = try database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        return disk.contents
    }
}

/// A connection to a server's database, and its store, which worlds use one after the other.
final class ServerConnection: Sendable {
    let open: OpenDisk
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

    /// `contents`: nil for an empty database.
    convenience init(with contents: SimulatedDisk.Contents?) throws {
        try self.init(OpenDisk(with: contents, Configuration()))
    }

    init(_ open: OpenDisk) throws {
        self.open = open
        let sources = Sources()
        self.sources = sources
        // As the store's own file has them. The first would be written each time that it is given.
        try open.database.writeWithoutTransaction { database in
            if try Int.fetchOne(database, sql: "PRAGMA auto_vacuum") != 2 {
                try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            }
            try database.execute(sql: "PRAGMA journal_mode = WAL")
        }
        store = try SQLiteStore(
            database: open.database,
            random: sources,
            clockSeconds: { sources.clockSeconds }
        )
    }

    func begin(clock: VirtualClock, random: any RandomSource) { sources.begin(clock, random) }
}
