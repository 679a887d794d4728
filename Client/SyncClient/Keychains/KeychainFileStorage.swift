internal import Foundation
internal import GRDB
internal import Keychain
internal import Sealing

/// The file of a further keychain: items, keys and settings in one SQLite database.
///
/// It has no companion files while nobody writes to it, so it can be moved and copied as a whole.
enum KeychainFileStorage {
    /// "KCS1": tells our files from all other SQLite databases, before anything is written to one.
    private static let applicationID: UInt32 = 0x4B43_5331

    // A name that begins with that of the keychain's own schema would pass for a part of it.
    private static let schema = Schema(
        name: "file",
        migrations: [
            .init(
                name: "v01-parts",
                sql: Array(
                    """
                    -- What a home keeps in small files: its keys (sealed under the password) and
                    -- the keychain's settings.
                    CREATE TABLE keychain_part (
                        name TEXT NOT NULL PRIMARY KEY,
                        content BLOB NOT NULL CHECK (length(content) <= 65536)
                    ) STRICT, WITHOUT ROWID;
                    """.utf8
                )
            )
        ]
    )

    /// Opens the database of a keychain that is there.
    static func open(path: String) throws(KeychainFileError) -> DatabaseQueue {
        try checkKind(path: path)
        return try database(path: path)
    }

    /// Makes the file, for its user alone.
    ///
    /// - Throws: ``KeychainFileError/duplicateKeychain`` when something has its name.
    static func create(path: String) throws(KeychainFileError) -> DatabaseQueue {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = unsafe Foundation.open(path, flags, 0o600)
        guard file >= 0 else {
            throw errno == EEXIST ? .duplicateKeychain : .unavailable(errno: errno)
        }
        close(file)
        do throws(KeychainFileError) {
            return try database(path: path)
        } catch {
            remove(path: path)
            throw error
        }
    }

    static func remove(path: String) {
        for suffix in ["-journal", ""] { unsafe unlink(path + suffix) }
    }

    private static func database(path: String) throws(KeychainFileError) -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA journal_mode = DELETE;
                    PRAGMA synchronous = EXTRA;
                    PRAGMA secure_delete = ON;
                    PRAGMA temp_store = MEMORY;
                    PRAGMA trusted_schema = OFF;
                    PRAGMA application_id = \(applicationID);
                    """
            )
        }
        do {
            let database = try DatabaseQueue(path: path, configuration: configuration)
            try KeychainDatabase.schema.apply(to: database)
            try schema.apply(to: database)
            return database
        } catch let error as KeychainError {
            throw error == .fileDamaged ? .invalidKeychain : .unavailable(errno: EIO)
        } catch {
            throw .invalidKeychain
        }
    }

    /// Reads the first hundred bytes of the file: SQLite's own name, and ours at byte 68.
    private static func checkKind(path: String) throws(KeychainFileError) {
        let file = unsafe Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR ? .noSuchKeychain : .unavailable(errno: errno)
        }
        defer { close(file) }
        var header = [UInt8](repeating: 0, count: 100)
        guard unsafe read(file, &header, header.count) == header.count,
            header.starts(with: Array("SQLite format 3\0".utf8)),
            header[68..<72].reduce(0, { $0 << 8 | UInt32($1) }) == applicationID
        else { throw .invalidKeychain }
    }
}

/// The small parts of a keychain's file.
struct KeychainParts: KeyFileStorage {
    let database: DatabaseQueue

    func read(_ name: KeyFileName) throws(SealingError) -> [UInt8]? {
        do {
            return try part(name.rawValue)
        } catch {
            throw .keyFileUnavailable(name, systemError: EIO)
        }
    }

    func replace(_ name: KeyFileName, with bytes: [UInt8]) throws(SealingError) {
        do {
            try setPart(name.rawValue, bytes)
        } catch {
            throw .keyFileUnavailable(name, systemError: EIO)
        }
    }

    func part(_ name: String) throws -> [UInt8]? {
        try database.read { database in
            try Data.fetchOne(
                database,
                sql: "SELECT content FROM keychain_part WHERE name = ?",
                arguments: [name]
            ).map { Array($0) }
        }
    }

    func setPart(_ name: String, _ bytes: [UInt8]) throws {
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

/// When a keychain locks itself, as `set-keychain-settings` says.
struct KeychainSettings: Equatable, Sendable {
    /// Kept and shown; a daemon is not told when its machine sleeps.
    var locksOnSleep = true
    var usesInterval = false
    /// After how long without use; nil = never.
    var idleSeconds: Int? = 300

    private static let partName = "settings"

    static func load(_ parts: KeychainParts) throws -> KeychainSettings {
        guard let bytes = try parts.part(partName) else { return KeychainSettings() }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 3, let seconds = Int(words[2]) else {
            throw KeychainFileError.invalidKeychain
        }
        return KeychainSettings(
            locksOnSleep: words[0] == "1",
            usesInterval: words[1] == "1",
            idleSeconds: seconds > 0 ? seconds : nil
        )
    }

    func save(_ parts: KeychainParts) throws {
        let text = "\(locksOnSleep ? 1 : 0) \(usesInterval ? 1 : 0) \(idleSeconds ?? 0)"
        try parts.setPart(Self.partName, Array(text.utf8))
    }
}
