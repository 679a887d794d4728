internal import Agent
internal import Digests
internal import Foundation
internal import GRDB
internal import Keychain
internal import Primitives
internal import Sealing
internal import SyncEngine

/// What a device keeps in its home: the keychain's database and the keys to it.
struct DeviceFiles: Sendable {
    let database: DatabaseQueue
    let keys: LocalKeyFile
    let random: any RandomSource = SystemRandomSource()

    /// Opens them, or makes them in a home that is new.
    ///
    /// `passcodeCost`: another one only in tests.
    init(home: AgentHome, passcodeCost: ScryptCost = .k1) throws {
        let path = home.path + "/keychain.db"
        let isNew = !FileManager.default.fileExists(atPath: path)
        // The keys first: a crash in between leaves keys without a database, which is still new.
        keys = try LocalKeyFile.open(
            storage: DirectoryKeyFiles(path: home.path),
            random: random,
            mayCreate: isNew,
            passcodeCost: passcodeCost
        )
        database = try KeychainDatabase.open(path: path)
        try SyncSchema.schema.apply(to: database)
    }

    /// The same, in memory.
    init(storage: any KeyFileStorage) throws {
        keys = try LocalKeyFile.open(storage: storage, random: random, mayCreate: true)
        database = try KeychainDatabase.openInMemory()
        try SyncSchema.schema.apply(to: database)
    }

    /// Seals what sync keeps in the database.
    var rows: SealedRows {
        SealedRows(cipher: keys.rowCipher(random: random), random: random)
    }

    /// A keychain over the database, for whoever calls this alone.
    func makeKeychain() throws -> Keychain {
        Keychain(
            database: database,
            sealing: LocalRowSealing(keys, random: random),
            digesting: LocalSearchDigesting(keys),
            clock: { Double(Self.milliseconds()) / 1000 },
            random: random
        )
    }

    /// Whether the device belongs to an account, which can be told while it is locked too.
    func hasAccount() throws -> Bool {
        try database.unsafeRead { try SyncStateTable.load(from: $0) != nil }
    }

    /// The account that this device belongs to, if any.
    func enrolled() throws -> EnrolledDevice? {
        try EnrolledDevice.load(from: database, rows: rows, random: random)
    }

    /// Since 1970-01-01 00:00 UTC.
    static func milliseconds() -> UInt64 {
        UInt64(max(0, Date().timeIntervalSince1970 * 1000))
    }
}
