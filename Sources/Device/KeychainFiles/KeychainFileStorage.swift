package import KSFiles
internal import Foundation
package import GRDB
internal import GRDBSQLite
package import KSKeychain
internal import KSDeviceKeys
package import KSSealing
internal import Synchronization

/// The file of a further keychain: items, keys and settings in one SQLite database.
///
/// It has no companion files while nobody writes to it, so it can be moved and copied as a whole.
package enum KeychainFileStorage {
    /// "KCS1": marks our files, so that nothing is written to any other SQLite database.
    private static let applicationID: UInt32 = 0x4B43_5331

    // The name must not begin with that of the keychain's own schema: it would count as part of it.
    private static let schema = Schema(
        name: "file",
        migrations: [(name: "v01-parts", sql: PackageResources.v01_parts_sql)]
    )

    /// Opens the database of an existing keychain.
    package static func open(path: String) throws -> DatabaseQueue {
        try checkKind(path: path)
        return try database(path: path)
    }

    /// Begins a keychain's file, which only its user can read; it gets its name once it is
    /// complete.
    ///
    /// - Throws: ``KeychainFileError/duplicateKeychain`` when the name is taken.
    package static func begin(path: String) throws(KeychainFileError) -> ReplacementFile {
        guard !KeychainPlaces.exists(path) else { throw .duplicateKeychain }
        do {
            return try ReplacementFile(for: path, replaces: false)
        } catch {
            throw KeychainFileError(error)
        }
    }

    /// A database in memory, in which a new keychain is prepared before it is written.
    package static func inMemory() throws -> DatabaseQueue {
        try openable {
            let database = try DatabaseQueue(configuration: configuration)
            try database.write { try $0.execute(sql: "PRAGMA application_id = \(applicationID)") }
            return database
        }
    }

    /// Gives the file its contents and its name, and opens it.
    package static func finish(
        _ file: inout ReplacementFile,
        path: String,
        contents: DatabaseQueue
    ) throws -> DatabaseQueue {
        // SQLite would apply the journal of an older keychain of this name to the new one.
        removeCompanions(path: path)
        do {
            try file.write(try bytes(of: contents))
            try file.finish(permissions: 0o600)
        } catch let error as FileError {
            throw KeychainFileError(error)
        }
        do {
            return try database(path: path)
        } catch {
            // The first error counts.
            try? remove(path: path)
            throw error
        }
    }

    /// Refuses a file that is neither a keychain of this program nor an empty one.
    package static func checkRemovable(path: String) throws(KeychainFileError) {
        var status = stat()
        // A copy that failed, as on a full disk, leaves an empty file.
        let isEmpty =
            unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && status.st_size == 0
        if !isEmpty { try checkKind(path: path) }
    }

    package static func remove(path: String) throws(KeychainFileError) {
        removeCompanions(path: path)
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .unavailable(errno: errno) }
    }

    private static func removeCompanions(path: String) {
        for suffix in ["-journal", "-wal", "-shm"] { unsafe unlink(path + suffix) }
    }

    private static var configuration: Configuration {
        KeychainDatabase.configuration(
            pragmas: "journal_mode = DELETE",
            "synchronous = EXTRA",
            "secure_delete = ON"
        )
    }

    private static func database(path: String) throws -> DatabaseQueue {
        try openable { try DatabaseQueue(path: path, configuration: configuration) }
    }

    /// Opens a database and brings it to this version.
    ///
    /// - Throws: ``KeychainFileError/invalidKeychain`` if the file is damaged or not a database;
    ///   errors of the disk as ``KeychainError``.
    private static func openable(_ open: () throws -> DatabaseQueue) throws -> DatabaseQueue {
        do {
            let database = try open()
            try KeychainDatabase.schema.apply(to: database)
            try schema.apply(to: database)
            return database
        } catch {
            let error = ItemStoreError(error)
            throw error == .fileDamaged ? KeychainFileError.invalidKeychain : error
        }
    }

    /// The bytes of a file with this database's contents.
    private static func bytes(of database: DatabaseQueue) throws -> [UInt8] {
        try database.read { database in
            var count: sqlite3_int64 = 0
            guard let bytes = unsafe sqlite3_serialize(database.sqliteConnection, "main", &count, 0)
            else { throw ItemStoreError.unavailable(code: SQLITE_NOMEM) }
            defer { unsafe sqlite3_free(bytes) }
            return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
        }
    }

    /// Reads the first hundred bytes of the file: SQLite's own name, and ours at byte 68.
    private static func checkKind(path: String) throws(KeychainFileError) {
        let header: [UInt8]
        do throws(FileError) {
            header = try OpenFile.reading(regular: path, followsLinks: true).read(100)
        } catch .notRegular {
            throw .invalidKeychain
        } catch .system(errno: ENOENT), .system(errno: ENOTDIR) {
            throw .noSuchKeychain
        } catch {
            throw .unavailable(errno: error.number)
        }
        guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)),
            header[68..<72].reduce(0, { $0 << 8 | UInt32($1) }) == applicationID
        else { throw .invalidKeychain }
    }
}

/// The small parts of a keychain's file.
package final class KeychainParts: KeyFileStorage {
    private let current: Mutex<DatabaseQueue>

    package init(database: DatabaseQueue) {
        current = Mutex(database)
    }

    package var database: DatabaseQueue { current.withLock { $0 } }

    /// Uses another database with the same contents from now on.
    package func move(to database: DatabaseQueue) {
        current.withLock { $0 = database }
    }

    package func read(_ name: KeyFileName) throws(SealingError) -> [UInt8]? {
        do throws(ItemStoreError) {
            return try part(name.rawValue)
        } catch {
            throw .keyFileUnavailable(name, systemError: error.systemError)
        }
    }

    package func replace(_ name: KeyFileName, with bytes: [UInt8]) throws(SealingError) {
        do throws(ItemStoreError) {
            try setPart(name.rawValue, bytes)
        } catch {
            throw .keyFileUnavailable(name, systemError: error.systemError)
        }
    }

    package func part(_ name: String) throws(ItemStoreError) -> [UInt8]? {
        try withKeychainErrors {
            try database.read { database in
                try Data.fetchOne(
                    database,
                    sql: "SELECT content FROM keychain_part WHERE name = ?",
                    arguments: [name]
                ).map { Array($0) }
            }
        }
    }

    package func setPart(_ name: String, _ bytes: [UInt8]) throws(ItemStoreError) {
        try withKeychainErrors {
            try database.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO keychain_part (name, content) VALUES (?, ?)
                        ON CONFLICT (name) DO UPDATE SET content = excluded.content
                        """,
                    arguments: [name, Data(bytes)]
                )
            }
        }
    }
}

extension ItemStoreError {
    /// The system's error number for it.
    fileprivate var systemError: Int32 {
        switch self {
        case .diskFull: ENOSPC
        case .readOnly: EROFS
        default: EIO
        }
    }
}

/// When a keychain locks itself, as `set-keychain-settings` says.
package struct KeychainSettings: Equatable, Sendable {
    /// Stored and shown, but without effect: a daemon does not learn when its machine sleeps.
    package var locksOnSleep = true
    package var usesInterval = false
    /// After how long without use; nil = never.
    package var idleSeconds: Int? = 300

    package init(locksOnSleep: Bool = true, usesInterval: Bool = false, idleSeconds: Int? = 300) {
        self.locksOnSleep = locksOnSleep
        self.usesInterval = usesInterval
        self.idleSeconds = idleSeconds
    }

    private static let partName = "settings"

    package static func load(_ parts: KeychainParts) throws -> KeychainSettings {
        guard let bytes = try parts.part(partName) else { return KeychainSettings() }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 3, let seconds = Int(words[2]) else {
            throw KeychainFileError.invalidKeychain
        }
        return KeychainSettings(
            locksOnSleep: words[0] == "1",
            usesInterval: words[1] == "1",
            // Anybody may have written the file, and timers do not take every number.
            idleSeconds: seconds > 0 ? min(seconds, Int(Int32.max)) : nil
        )
    }

    package func save(_ parts: KeychainParts) throws {
        let text = "\(locksOnSleep ? 1 : 0) \(usesInterval ? 1 : 0) \(idleSeconds ?? 0)"
        try parts.setPart(Self.partName, Array(text.utf8))
    }
}
