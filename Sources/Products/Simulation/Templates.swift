internal import GRDB
internal import KSKeychain
internal import KSKeychainRecords
internal import KSKeyValueRecords
internal import KSStore
internal import KSSyncEngine

/// Empty databases to copy: creating their tables would cost more than the rest of a world.
struct Templates: Sendable {
    static let shared: Result<Templates, any Error> = Result { try Templates() }

    private let device: DatabaseQueue
    private let server: DatabaseQueue

    private init() throws {
        device = try KeychainDatabase.openInMemory()
        try SyncSchema.schema.apply(to: device)
        try KeyValueSchema.schema.apply(to: device)
        server = try DatabaseQueue()
        _ = try SQLiteStore(
            database: server,
            random: SimulationRandomSource(seed: 0),
            clockSeconds: { 0 }
        )
    }

    func deviceDatabase() throws -> DatabaseQueue { try Self.copy(device) }

    /// A copy of a device's database.
    static func copy(
        _ database: DatabaseQueue,
        _ configuration: Configuration = KeychainDatabase.configuration()
    ) throws -> DatabaseQueue {
        let copy = try DatabaseQueue(configuration: configuration)
        try database.backup(to: copy)
        return copy
    }

    func serverDatabase() throws -> DatabaseQueue { try Self.copy(server, Configuration()) }
}
