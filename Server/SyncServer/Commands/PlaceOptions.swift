internal import ArgumentParser
internal import KSDigests
internal import KSMerging
internal import KSPostgreSQLStore
internal import KSStore

/// Where a server keeps its data: in a directory, or in a database.
struct PlaceOptions: ParsableArguments {
    @Option(name: .customLong("data"), help: "The directory that holds the server's data.")
    var path: String?

    @Option(
        name: .customLong("store"),
        help: """
            A PostgreSQL database that holds the data in place of --data, as one URI: \
            postgresql://USER@HOST/NAME. Several servers may share it. Put a password in \
            ~/.pgpass, not here: others see the command line.
            """
    )
    var address: String?

    func validate() throws {
        guard path != nil || address != nil else {
            throw ValidationError("Give --data DIR, or --store with the URI of a database.")
        }
        if let address { try Self.check(address) }
    }

    /// Checks that this is the URI of a database.
    static func check(_ address: String, option: String = "--store") throws {
        guard isDatabase(address) else {
            throw ValidationError("\(option) takes a URI like postgresql://USER@HOST/NAME.")
        }
    }

    static func isDatabase(_ address: String) -> Bool {
        (address.hasPrefix("postgresql://") || address.hasPrefix("postgres://"))
            && DatabaseConnection.canRead(address)
    }

    var directory: DataDirectory? { path.map(DataDirectory.init(path:)) }

    /// The directory, which must exist.
    func existingDirectory() throws -> DataDirectory {
        guard let path else { throw ExitReason(.usage, "Give --data DIR.") }
        return try DataOptions.existing(path)
    }

    /// The database, if `--store` names one; its tables are made or migrated.
    func database(
        quota: AccountQuota = AccountQuota(),
        whenLeftOut: @escaping @Sendable (LeftOutRow) -> Void = { _ in }
    ) throws -> PostgreSQLStore? {
        try address.map { address in
            try PostgreSQLStore(
                address: address,
                quota: quota,
                random: SystemRandomSource(),
                whenLeftOut: whenLeftOut,
                clockSeconds: WallClock.system.seconds
            )
        }
    }

    /// Calls `body` with the invitations that are kept beside the store.
    func withInvitations<Value>(_ body: (Invitations) throws -> Value) throws -> Value {
        if let database = try database() {
            defer { database.close() }
            return try body(Invitations(database: database))
        }
        return try body(Invitations(directory: existingDirectory().invitationsPath))
    }
}
