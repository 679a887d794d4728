package import KSAgent
package import KSDigests
internal import Foundation
internal import GRDB
internal import KSFiles
package import KSKeychain
package import KSKeyValueRecords
package import KSPrimitives
package import KSRecords
package import KSDeviceKeys
internal import KSSealing
package import KSSyncEngine
internal import KSKeychainRecords

/// What a device keeps in its home: the keychain's database and the keys to it.
package struct DeviceFiles: Sendable {
    /// The only connection that changes anything.
    package let database: DeviceDatabase
    /// A second connection, which never waits for a write; of a database in memory, the same one.
    private let reading: DeviceDatabase
    package let keys: LocalKeyFile
    package let random: any RandomSource = SystemRandomSource()

    /// Opens the files, or creates them in a new home.
    ///
    /// A home that was in use and has lost its database is refused and left unchanged.
    ///
    /// `passcodeCost`: other than the default only in tests.
    package init(home: AgentHome, passcodeCost: ScryptCost = .k1) throws {
        let path = home.path + "/keychain.db"
        try Self.checkIsNotLost(path, home: home)
        let isNew = !FileManager.default.fileExists(atPath: path)
        try Self.checkIsWritable(path)
        // The keys first: a crash in between leaves keys without a database, which is still new.
        keys = try LocalKeyFile.open(
            storage: DirectoryKeyFiles(path: home.path),
            random: random,
            mayCreate: isNew,
            passcodeCost: passcodeCost
        )
        database = try DeviceDatabase { try KeychainDatabase.open(path: path) }
        try SyncSchema.schema.apply(to: database)
        try KeyValueSchema.schema.apply(to: database)
        reading = try DeviceDatabase { try KeychainDatabase.openReading(path: path) }
    }

    /// Opens both connections again; if one cannot be opened, both stay as they are.
    ///
    /// What was read over the old ones must be forgotten. A database in memory stays as it is.
    func reopen() throws {
        guard let writing = try database.reopened(), let reader = try reading.reopened() else {
            return
        }
        database.take(writing)
        reading.take(reader)
    }

    /// Refuses to create a database where there was a keychain: SQLite would delete the log with
    /// the last changes, which would be lost even if the user puts the file back.
    private static func checkIsNotLost(_ path: String, home: AgentHome) throws {
        let files = FileManager.default
        // If this fails, opening the file fails too and reports the reason.
        let size = try? files.attributesOfItem(atPath: path)[.size] as? Int
        guard !files.fileExists(atPath: path) || size == 0 else { return }
        let pins = home.path + "/" + KeyFileName.devicePins.rawValue
        guard try files.fileExists(atPath: pins) || holdsCommits(log: path + "-wal") else { return }
        throw CommandFailure(code: .databaseLost)
    }

    /// Refuses a read-only file: its connection would stay read-only even after a repair.
    private static func checkIsWritable(_ path: String) throws(ItemStoreError) {
        guard unsafe access(path, W_OK) != 0 else { return }
        if errno == EACCES || errno == EROFS { throw .readOnly }
    }

    /// Whether a database's log was ever written to; a new one is filled with zeros.
    private static func holdsCommits(log: String) throws -> Bool {
        guard FileManager.default.fileExists(atPath: log) else { return false }
        let file = try FileHandle(forReadingFrom: URL(filePath: log))
        while let part = try file.read(upToCount: 1 << 20), !part.isEmpty {
            if part.contains(where: { $0 != 0 }) { return true }
        }
        return false
    }

    /// Opens a database in memory with the keys from `storage`; key derivation from a passcode is
    /// cheap.
    package init(storage: any KeyFileStorage) throws {
        keys = try LocalKeyFile.open(
            storage: storage,
            random: random,
            mayCreate: true,
            passcodeCost: .simulation
        )
        database = DeviceDatabase(try KeychainDatabase.openInMemory())
        try SyncSchema.schema.apply(to: database)
        try KeyValueSchema.schema.apply(to: database)
        reading = database
    }

    /// The room that an account needs at least, with its first changes.
    private static let accountBytes = 1 << 20

    /// Checks that the home's disk has room for an account, by a file that it removes again.
    ///
    /// What was kept of an account may be written again, to the log and then to the file.
    func checkRoom() throws {
        let path = database.path + ".room"
        // A database in memory needs none.
        guard path.hasPrefix("/") else { return }
        // A crash may have left it.
        unsafe unlink(path)
        defer { unsafe unlink(path) }
        let bytes = Self.accountBytes + 2 * (try database.unsafeRead { try Self.usedBytes(in: $0) })
        do throws(FileError) {
            try Self.writeRoom(bytes, to: path)
        } catch {
            guard [ENOSPC, EDQUOT].contains(error.number) else { throw error }
            throw ItemStoreError.diskFull
        }
    }

    private static func writeRoom(_ bytes: Int, to path: String) throws(FileError) {
        let file = try OpenFile.creating(path)
        let part = [UInt8](repeating: 0, count: accountBytes)
        for _ in 0..<(bytes + accountBytes - 1) / accountBytes { try file.write(part) }
    }

    /// The size of the file's pages that are in use.
    private static func usedBytes(in database: Database) throws -> Int {
        let sql = """
            SELECT (page_count - freelist_count) * page_size
            FROM pragma_page_count, pragma_freelist_count, pragma_page_size
            """
        return try Int.fetchOne(database, sql: sql) ?? 0
    }

    /// Closes both connections, for a tidy log file.
    package func close() {
        // Everything is on the disk already, so nothing is lost when closing fails.
        try? reading.close()
        // As above.
        try? database.close()
    }

    /// Seals what sync keeps in the database.
    package var rows: SealedRows {
        SealedRows(cipher: keys.rowCipher(random: random), random: random)
    }

    /// A reader of items over the second connection, for one caller alone.
    package func makeReader() -> KeychainReader {
        KeychainReader(
            database: reading,
            sealing: LocalRowSealing(keys, random: random, isCompletedAtUnlock: true),
            clock: { Double(Self.milliseconds()) / 1000 },
            random: random,
            othersWrite: true
        )
    }

    /// A keychain over the database, for one caller alone.
    package func makeKeychain() throws -> ItemStore {
        ItemStore(
            database: database,
            sealing: LocalRowSealing(keys, random: random, isCompletedAtUnlock: true),
            clock: { Double(Self.milliseconds()) / 1000 },
            random: random
        )
    }

    /// The key-value stores over the database, for one caller alone.
    package func makeKeyValueStore() -> KeyValueStores {
        KeyValueStores(
            database: database,
            cipher: keys.rowCipher(random: random),
            clock: { Self.milliseconds() },
            random: random
        )
    }

    /// The account that the device belongs to, if any; works on a locked device too.
    package func account() throws -> AccountID? {
        try database.unsafeRead { try SyncStateTable.load(from: $0)?.account }
    }

    package func hasAccount() throws -> Bool { try account() != nil }

    /// This device in its account, if it has one.
    package func enrolled() throws -> EnrolledDevice? {
        try EnrolledDevice.load(from: database, rows: rows, random: random)
    }

    /// Since 1970-01-01 00:00 UTC.
    package static func milliseconds() -> UInt64 {
        UInt64(max(0, Date().timeIntervalSince1970 * 1000))
    }

    private static let start = ContinuousClock.now

    /// By a monotonic clock that also runs while the machine sleeps (`CLOCK_BOOTTIME`).
    package static func uptimeMilliseconds() -> UInt64 {
        UInt64((ContinuousClock.now - start) / .milliseconds(1))
    }
}
