package import KSDigests
internal import Foundation
package import GRDB
package import KSMerging
internal import KSRecords

/// The store in one SQLite file.
///
/// It uses a write-ahead log with `synchronous=FULL`, so answered writes survive a power cut. Every
/// key begins with the account.
package final class SQLiteStore: Store {
    let database: any DatabaseWriter
    let quota: AccountQuota
    let random: any RandomSource
    let clockSeconds: @Sendable () -> UInt64
    let whenLeftOut: @Sendable (LeftOutRow) -> Void
    private static let logBytesMax = 16 << 20

    /// Opens the store at a path, and creates it if there is none.
    ///
    /// - Throws: ``StoreError/restoreUnfinished`` or ``StoreError/copyUnfinished`` if it would be
    ///   empty because a restore or a copy was cut off, ``StoreError/notAStore``,
    ///   ``StoreError/newerVersion``, or what the disk says.
    package convenience init(
        path: String,
        accountBytesMax: UInt64? = nil,
        newAccountBytesMax: UInt64? = nil,
        random: any RandomSource,
        whenLeftOut: @escaping @Sendable (LeftOutRow) -> Void = { _ in },
        clockSeconds: @escaping @Sendable () -> UInt64
    ) throws(StoreError) {
        if !StoreFile.exists(path) {
            if StoreFile.exists(path + Self.restoringSuffix) { throw .restoreUnfinished }
            if StoreFile.exists(path + Self.copyingSuffix) { throw .copyUnfinished }
        }
        let database = try rethrowing {
            do {
                try StoreFile.createEmpty(path)
            } catch StoreError.fileExists {
                // The existing file is opened below.
            }
            let database = try DatabaseQueue(path: path, configuration: Self.configuration)
            // Switching to the log changes the file, so only a store or an empty file is switched.
            try database.read(StoreSchema.checkIdentityUnlessEmpty)
            try database.writeWithoutTransaction { database in
                // Only an empty file takes it: space that is free can then be given back. SQLite
                // writes it each time that it is given, and a store must open on a full disk too.
                if try Int.fetchOne(database, sql: "PRAGMA auto_vacuum") != 2 {
                    try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
                }
                try database.execute(sql: "PRAGMA journal_mode = WAL")
                // A log that has grown once does not stay large.
                try database.execute(sql: "PRAGMA journal_size_limit = \(Self.logBytesMax)")
            }
            return database
        }
        try self.init(
            database: database,
            accountBytesMax: accountBytesMax,
            newAccountBytesMax: newAccountBytesMax,
            random: random,
            whenLeftOut: whenLeftOut,
            clockSeconds: clockSeconds
        )
    }

    /// Opens the store at a path for reading only, even while another process writes.
    /// - Throws: ``StoreError/notAStore``, ``StoreError/newerVersion``,
    ///   ``StoreError/olderVersion``, or what the disk says.
    package init(
        reading path: String,
        random: any RandomSource,
        clockSeconds: @escaping @Sendable () -> UInt64
    ) throws(StoreError) {
        database = try rethrowing {
            let database = try Self.openForReading(path)
            try database.read(StoreSchema.checkIdentity)
            guard try database.read(StoreSchema.migrator.hasCompletedMigrations) else {
                throw StoreError.olderVersion
            }
            return database
        }
        quota = AccountQuota()
        whenLeftOut = { _ in }
        self.random = random
        self.clockSeconds = clockSeconds
    }

    /// Opens a database of the caller's, such as the simulator's.
    ///
    /// - Parameters:
    ///   - database: the only connection that writes.
    ///   - accountBytesMax: see ``AccountQuota/bytesMax``.
    ///   - newAccountBytesMax: see ``AccountQuota/newBytesMax``.
    ///   - random: makes epochs and tags.
    ///   - whenLeftOut: called for each damaged row that an answer leaves out.
    ///   - clockSeconds: seconds since 1970-01-01 00:00 UTC.
    /// - Throws: ``StoreError/notAStore``, ``StoreError/newerVersion``, or what the disk says.
    package init(
        database: any DatabaseWriter,
        accountBytesMax: UInt64? = nil,
        newAccountBytesMax: UInt64? = nil,
        random: any RandomSource,
        whenLeftOut: @escaping @Sendable (LeftOutRow) -> Void = { _ in },
        clockSeconds: @escaping @Sendable () -> UInt64
    ) throws(StoreError) {
        self.database = database
        quota = AccountQuota(bytesMax: accountBytesMax, newBytesMax: newAccountBytesMax)
        self.whenLeftOut = whenLeftOut
        self.random = random
        self.clockSeconds = clockSeconds
        try rethrowing {
            try database.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = FULL")
            }
            try StoreSchema.prepare(database, random: random)
        }
    }

    /// Closes the store; every later call fails.
    package func close() throws(StoreError) {
        try rethrowing { try database.close() }
    }

    static var configuration: Configuration {
        var configuration = Configuration()
        // Another process may be writing a backup or taking a checkpoint.
        configuration.busyMode = .timeout(10)
        return configuration
    }

    func newEpoch() -> StoreEpoch { StoreEpoch(validated: random.bytes(StoreEpoch.byteCount)) }

    // MARK: Transactions

    func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        // `read` would set and unset a PRAGMA, after which SQLite recompiles every statement; one
        // queue serves all calls, so nothing changes during this read.
        try rethrowing { try database.unsafeRead(body) }
    }

    func write<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try rethrowing { try database.write(body) }
    }

    func writeWithoutTransaction<Value>(
        _ body: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        try rethrowing { try database.writeWithoutTransaction(body) }
    }

    /// Writes without waiting for the disk, so a power cut may lose it.
    ///
    /// In the write-ahead log such a commit is still atomic, and the next durable one makes it
    /// durable too.
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

/// Converts any error of `body` into a ``StoreError``.
func rethrowing<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    do {
        return try body()
    } catch let error as StoreError {
        throw error
    } catch let error as DatabaseError {
        switch error.resultCode {
        case .SQLITE_NOTADB: throw .notAStore
        case .SQLITE_CORRUPT: throw .damaged
        default: throw .storageFailed(code: error.extendedResultCode.rawValue)
        }
    } catch {
        // A stored value does not have the form in which it was written.
        throw .damaged
    }
}

extension Database {
    /// Runs a statement, which each connection compiles once.
    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// The rows of a query, which each connection compiles once.
    func rows(_ sql: String, _ arguments: StatementArguments) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }

    /// The first row of a query, which each connection compiles once.
    func row(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    /// The store's own time: for how long it was served.
    func servedSeconds() throws -> UInt64 {
        guard let row = try row("SELECT served_seconds FROM store", []) else {
            throw StoreError.damaged
        }
        return row[0]
    }

    /// The first value of a query, which each connection compiles once.
    func blob(_ sql: String, _ arguments: StatementArguments) throws -> Data? {
        try Data.fetchOne(cachedStatement(sql: sql), arguments: arguments)
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
