internal import Foundation
package import GRDB
internal import GRDBSQLite

/// Opens the file that the keychain, and whatever syncs it, keep their tables in.
package enum KeychainDatabase {
    /// The size the write-ahead log is grown to at once, and at which SQLite begins it anew.
    ///
    /// A commit into a log that need not grow is some twenty times as fast.
    private static let logBytes: UInt64 = 4 << 20

    /// How much of the file may stay in memory: that of some ten thousand items.
    ///
    /// With SQLite's own two megabytes most look-ups among so many read from the file again.
    private static let cacheKibibytes = 32 << 10

    /// How long to wait for another process that reads the file, such as a backup.
    private static let busySeconds = 5.0

    /// Opens the file, or makes it, readable by its user only.
    ///
    /// - Throws: ``KeychainError/fileDamaged`` when it is not a database, which is then left as it
    ///   is; ``KeychainError/newerFormat`` when a newer version wrote it.
    package static func open(path: String) throws(KeychainError) -> DatabaseQueue {
        if !FileManager.default.fileExists(atPath: path) {
            // When this fails, opening says why.
            _ = FileManager.default.createFile(
                atPath: path,
                contents: nil,
                attributes: [.posixPermissions: 0o600]
            )
        }
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration())
            try schema.apply(to: database)
            growLog(path: path + "-wal")
            return database
        } catch {
            throw KeychainError(error)
        }
    }

    /// A keychain that lives as long as the process.
    package static func openInMemory() throws(KeychainError) -> DatabaseQueue {
        do {
            let database = try DatabaseQueue(configuration: configuration())
            try schema.apply(to: database)
            return database
        } catch {
            throw KeychainError(error)
        }
    }

    /// What every connection is set to, also one that a test or the simulator opens by itself.
    package static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(busySeconds)
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA journal_mode = WAL;
                    PRAGMA synchronous = FULL;
                    PRAGMA secure_delete = ON;
                    PRAGMA temp_store = MEMORY;
                    PRAGMA cache_size = -\(cacheKibibytes);
                    PRAGMA trusted_schema = OFF;
                    """
            )
            keepLog(of: database)
        }
        return configuration
    }

    /// The keychain's tables.
    package static let schema = Schema(
        name: "keychain",
        migrations: [.init(name: "v01-items", sql: PackageResources.v01_items_sql)]
    )

    /// Keeps the write-ahead log when the last connection closes, so that it stays grown.
    private static func keepLog(of database: Database) {
        var isKept: Int32 = 1
        // It is about speed alone, and a file system in memory refuses it.
        _ = unsafe sqlite3_file_control(
            database.sqliteConnection,
            nil,
            SQLITE_FCNTL_PERSIST_WAL,
            &isKept
        )
    }

    /// Fills the log's file with zeros up to its working size; SQLite reads no further than its
    /// checksums hold, so what follows them is never taken for a commit.
    private static func growLog(path: String) {
        guard let file = FileHandle(forUpdatingAtPath: path) else { return }
        do {
            let size = try file.seekToEnd()
            if size < logBytes {
                try file.write(contentsOf: Data(count: Int(logBytes - size)))
                try file.synchronize()
            }
            try file.close()
        } catch {
            // A small log is slower, nothing else: a full disk must not keep the keychain shut.
        }
    }
}
