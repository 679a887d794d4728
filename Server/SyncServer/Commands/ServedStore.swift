internal import KSDigests
internal import KSMerging
internal import KSPostgreSQLStore
internal import KSRecords
internal import KSStore
internal import Logging

/// The store that `serve` opens, with what is kept beside it.
struct ServedStore {
    let store: any Store
    let secret: ServerSecret
    let invitations: Invitations
    private let place: PlaceOptions
    /// The store, if it is one that other servers may use too.
    private let database: PostgreSQLStore?
    let close: () throws -> Void

    /// Opens the database that is named, or else the store in the directory.
    ///
    /// `whenLeftOut`: called for each damaged row that an answer leaves out.
    init(
        _ place: PlaceOptions,
        quota: AccountQuota,
        whenLeftOut: @escaping @Sendable (LeftOutRow) -> Void
    ) throws {
        self.place = place
        database = try place.database(quota: quota, whenLeftOut: whenLeftOut)
        if let database {
            store = database
            secret = ServerSecret(key: try database.secret(byteCount: ServerSecret.byteCount))
            invitations = Invitations(database: database)
            close = { database.close() }
            return
        }
        let directory = try place.existingDirectory()
        let file = try SQLiteStore(
            path: directory.storePath,
            accountBytesMax: quota.bytesMax,
            newAccountBytesMax: quota.newBytesMax,
            random: SystemRandomSource(),
            whenLeftOut: whenLeftOut,
            clockSeconds: WallClock.system.seconds
        )
        store = file
        secret = try ServerSecret(ofDirectory: directory, random: SystemRandomSource())
        invitations = Invitations(directory: directory.invitationsPath)
        close = { try file.close() }
    }

    /// Connects the hub with those of the database's other servers.
    ///
    /// - Returns: nil if there can be no others.
    func wakeUps(of hub: EventHub, listenAddress: String?, _ logger: Logger) -> WakeUps? {
        guard let database, let address = listenAddress ?? place.address else { return nil }
        return hub.wakeUps(over: database, listeningAt: address, logger)
    }
}
