package import KSDigests
internal import Foundation
package import GRDB
internal import KSMerging
internal import KSRecords

/// The store in one SQLite file.
///
/// Write-ahead log with `synchronous=FULL`: what was answered survives a power cut. Every row is
/// reached by a key that leads with the account.
package final class SQLiteStore: Store {
    let database: any DatabaseWriter
    /// Nil when the database was handed in or lies in memory.
    let path: String?
    let settings: StoreSettings
    let random: any RandomSource
    let clockSeconds: @Sendable () -> UInt64

    /// Opens a database that is handed in, such as the simulator's.
    ///
    /// - Parameters:
    ///   - database: its connection for writing; nobody else writes.
    ///   - settings: the operator's.
    ///   - random: draws epochs and tags.
    ///   - clockSeconds: seconds since 1970-01-01 00:00 UTC.
    /// - Throws: ``StoreError/notAStore``, ``StoreError/newerVersion``, or what the disk says.
    package convenience init(
        database: any DatabaseWriter,
        settings: StoreSettings = StoreSettings(),
        random: any RandomSource,
        clockSeconds: @escaping @Sendable () -> UInt64
    ) throws(StoreError) {
        try self.init(
            database: database,
            path: nil,
            settings: settings,
            random: random,
            clockSeconds: clockSeconds
        )
    }

    /// Opens the store at a path, and makes one where there is none.
    package convenience init(
        path: String,
        settings: StoreSettings = StoreSettings(),
        random: any RandomSource,
        clockSeconds: @escaping @Sendable () -> UInt64
    ) throws(StoreError) {
        let database = try rethrowing {
            try StoreFile.createEmptyIfMissing(path)
            let database = try DatabaseQueue(path: path, configuration: Self.configuration)
            // Only a store of ours, or a new one, is switched to the log: that alone changes the
            // file.
            try database.read(StoreSchema.checkIdentityUnlessEmpty)
            try database.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA journal_mode = WAL")
            }
            return database
        }
        try self.init(
            database: database,
            path: path,
            settings: settings,
            random: random,
            clockSeconds: clockSeconds
        )
    }

    /// Opens the store at a path only to read it, also while another process writes.
    ///
    /// The file is not changed.
    /// - Throws: ``StoreError/notAStore``, ``StoreError/newerVersion``, or what the disk says.
    package init(
        reading path: String,
        random: any RandomSource,
        clockSeconds: @escaping @Sendable () -> UInt64
    ) throws(StoreError) {
        database = try rethrowing {
            let database = try Self.openForReading(path)
            try database.read(StoreSchema.checkIdentity)
            return database
        }
        self.path = path
        settings = StoreSettings()
        self.random = random
        self.clockSeconds = clockSeconds
    }

    private init(
        database: any DatabaseWriter,
        path: String?,
        settings: StoreSettings,
        random: any RandomSource,
        clockSeconds: @escaping @Sendable () -> UInt64
    ) throws(StoreError) {
        self.database = database
        self.path = path
        self.settings = settings
        self.random = random
        self.clockSeconds = clockSeconds
        try rethrowing {
            try database.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = FULL")
            }
            try StoreSchema.prepare(database, random: random)
        }
    }

    /// A store that is gone when it is let go.
    package static func inMemory(
        settings: StoreSettings = StoreSettings(),
        random: any RandomSource,
        clockSeconds: @escaping @Sendable () -> UInt64
    ) throws(StoreError) -> SQLiteStore {
        let database = try rethrowing { try DatabaseQueue(configuration: configuration) }
        return try SQLiteStore(
            database: database,
            settings: settings,
            random: random,
            clockSeconds: clockSeconds
        )
    }

    /// Ends all use; every later call fails.
    package func close() throws(StoreError) {
        try rethrowing { try database.close() }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        // Another process may be writing a backup or taking a checkpoint.
        configuration.busyMode = .timeout(10)
        return configuration
    }

    // MARK: Transactions

    func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        // `read` would set and unset a PRAGMA, which has SQLite compile every statement anew; one
        // queue serves all, so nothing changes while this reads.
        try rethrowing { try database.unsafeRead(body) }
    }

    func write<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try rethrowing { try database.write(body) }
    }

    /// Writes what may be lost in a power cut, without waiting for the disk.
    ///
    /// In the write-ahead log such a commit is as atomic as any other, and the next durable one
    /// takes it along.
    func writeLazily(_ body: (Database) throws -> Void) throws(StoreError) {
        try rethrowing {
            try database.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = NORMAL")
                let result = Result {
                    try database.inTransaction {
                        try body(database); return .commit
                    }
                }
                try database.execute(sql: "PRAGMA synchronous = FULL")
                try result.get()
            }
        }
    }
}

/// Runs what may throw anything, and throws what callers can act on.
func rethrowing<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    do {
        return try body()
    } catch let error as StoreError {
        throw error
    } catch let refusal as Refusal {
        throw StoreError(refusal)
    } catch let error as DatabaseError {
        switch error.resultCode {
        case .SQLITE_NOTADB: throw .notAStore
        case .SQLITE_CORRUPT: throw .damaged
        default: throw .storageFailed(code: error.extendedResultCode.rawValue)
        }
    } catch {
        // A value that SQLite holds did not have the form it was written in.
        throw .damaged
    }
}

extension [UInt8] {
    var data: Data { Data(self) }
}

extension FixedBytes {
    var data: Data { Data(bytes) }

    /// The value of a column whose length the schema checks.
    init(column: Data) throws {
        guard let value = Self(Array(column)) else { throw StoreError.damaged }
        self = value
    }
}
