internal import Foundation
package import GRDB
internal import GRDBSQLite

/// Opens the file that holds the tables of the keychain and of sync.
package enum KeychainDatabase {
    /// The size to which the write-ahead log is grown at once, and at which SQLite starts it over.
    ///
    /// A commit into a log that need not grow is some twenty times as fast.
    private static let logBytes: UInt64 = 4 << 20

    /// How much of the file may stay in memory: enough for some ten thousand items.
    ///
    /// With SQLite's default of 2 MB most look-ups among so many items would read the file again.
    private static let cacheKibibytes = 32 << 10

    /// How long to wait for another process that reads the file, such as a backup.
    private static let busySeconds = 5.0

    /// Opens the file, or makes it, readable by its user only.
    ///
    /// - Throws: ``KeychainError/fileDamaged`` if it is not a database, which then stays
    ///   unchanged; ``KeychainError/newerFormat`` when a newer version wrote it.
    package static func open(path: String) throws(ItemStoreError) -> DatabaseQueue {
        if !FileManager.default.fileExists(atPath: path) {
            // If this fails, opening the file says why.
            _ = FileManager.default.createFile(
                atPath: path,
                contents: nil,
                attributes: [.posixPermissions: 0o600]
            )
        }
        return try withKeychainErrors {
            let database = try DatabaseQueue(path: path, configuration: configuration())
            try schema.apply(to: database)
            growLog(path: path + "-wal")
            return database
        }
    }

    /// Opens a file for reading only, which ``open(path:)`` has opened before.
    package static func openReading(path: String) throws(ItemStoreError) -> DatabaseQueue {
        var configuration = configuration(pragmas: "cache_size = -\(cacheKibibytes)")
        configuration.readonly = true
        return try withKeychainErrors {
            try DatabaseQueue(path: path, configuration: configuration)
        }
    }

    /// A keychain that lives as long as the process.
    package static func openInMemory() throws(ItemStoreError) -> DatabaseQueue {
        try withKeychainErrors {
            let database = try DatabaseQueue(configuration: configuration())
            try schema.apply(to: database)
            return database
        }
    }

    /// The settings of a connection that writes, also for tests and the simulator.
    ///
    /// Each connection needs its own, since they count its transactions.
    package static func configuration() -> Configuration {
        var configuration = Configuration()
        // Before the first page is written: only an empty file takes it.
        configuration.prepareDatabase { try reclaimSpace(of: $0) }
        add(
            to: &configuration,
            pragmas: [
                "journal_mode = WAL", "synchronous = FULL", "secure_delete = ON",
                "cache_size = -\(cacheKibibytes)",
            ]
        )
        configuration.prepareDatabase { keepLog(of: $0) }
        configuration.transactionClock = TransactionCounter()
        return configuration
    }

    /// The settings of all connections, and these pragmas.
    package static func configuration(pragmas: String...) -> Configuration {
        var configuration = Configuration()
        add(to: &configuration, pragmas: pragmas)
        return configuration
    }

    private static func add(to configuration: inout Configuration, pragmas: [String]) {
        configuration.busyMode = .timeout(busySeconds)
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { database in
            for pragma in pragmas + ["temp_store = MEMORY", "trusted_schema = OFF"] {
                try database.execute(sql: "PRAGMA " + pragma)
            }
        }
    }

    /// The keychain's tables.
    package static let schema = Schema(
        name: "keychain",
        migrations: [(name: "v01-items", sql: PackageResources.v01_items_sql)]
    )

    /// Makes a new file one whose free space can be given back.
    ///
    /// SQLite writes this setting to the file each time that it is given, so it is given once: a
    /// keychain must open on a full disk too.
    private static func reclaimSpace(of database: Database) throws {
        guard try Int.fetchOne(database, sql: "PRAGMA auto_vacuum") != incrementalVacuum else {
            return
        }
        try database.execute(sql: "PRAGMA auto_vacuum = \(incrementalVacuum)")
    }

    /// The number of `auto_vacuum = INCREMENTAL`.
    private static let incrementalVacuum = 2

    /// Keeps the write-ahead log when the last connection closes, so that it stays grown.
    private static func keepLog(of database: Database) {
        var isKept: Int32 = 1
        // A failure only costs speed: a file system in memory refuses this.
        _ = unsafe sqlite3_file_control(
            database.sqliteConnection,
            nil,
            SQLITE_FCNTL_PERSIST_WAL,
            &isKept
        )
    }

    /// Fills the log with zeros up to its working size.
    ///
    /// SQLite stops at the first wrong checksum, so it never takes the zeros for a commit. Where
    /// little room is left on the disk, the log stays as it is: passwords need that room.
    private static func growLog(path: String) {
        guard hasRoom(besides: path), let file = FileHandle(forUpdatingAtPath: path) else { return }
        do {
            let size = try file.seekToEnd()
            if size < logBytes {
                try file.write(contentsOf: Data(count: Int(logBytes - size)))
                try file.synchronize()
            }
            try file.close()
        } catch {
            // A small log is only slower: a full disk must not keep the keychain from opening.
        }
    }

    /// Whether the disk has room for a log of several times the working size.
    private static func hasRoom(besides path: String) -> Bool {
        var figures = statvfs()
        guard unsafe statvfs(path, &figures) == 0 else { return false }
        return UInt64(figures.f_bavail) * UInt64(figures.f_frsize) >= 8 * logBytes
    }
}
