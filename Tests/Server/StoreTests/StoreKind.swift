import KSCausality
import KSDigests
import Foundation
import GRDB
import KSPostgreSQLStore
import KSPostgreSQLTestSupport
import KSRecords
import KSStore
import Synchronization
import KSTestSupport
import Testing

/// Every implementation of ``Store``; the conformance suite runs on each.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, file, postgresql

    /// Those that this machine can run.
    static let allCases: [StoreKind] = embedded + (TestPostgreSQL.isInstalled ? [.postgresql] : [])
    /// Those of one SQLite database.
    static let embedded: [StoreKind] = [.memory, .file]

    var testDescription: String { rawValue }

    func make(
        seed: UInt64 = 1,
        accountBytesMax: UInt64? = nil,
        canBeFull: Bool = false
    ) throws -> StoreUnderTest {
        try StoreUnderTest(self, seed: seed, accountBytesMax: accountBytesMax, canBeFull: canBeFull)
    }
}

/// A store, its clock and its directory, which is removed with this object.
final class StoreUnderTest {
    private typealias Opened = (store: any Store, end: () throws -> Void)

    /// Where the store is, for what no call of a store does.
    private enum Place {
        /// The given connection to the store, or another one.
        case sqlite(() throws -> DatabaseQueue)
        case postgresql(TestSchema)
    }

    /// The parts that the suite may use: those of every implementation.
    private(set) var store: any Store
    private var end: () throws -> Void
    private let reopened: (UInt64?) throws -> Opened
    private let place: Place
    private let isHandedIn: Bool
    let clock: ManualSeconds
    let directory: TemporaryDirectory

    /// `canBeFull`: whether ``leaveRoom(pages:)`` will be asked for.
    init(_ kind: StoreKind, seed: UInt64, accountBytesMax: UInt64?, canBeFull: Bool) throws {
        let clock = ManualSeconds(1_000_000)
        self.clock = clock
        let directory = try TemporaryDirectory()
        self.directory = directory
        let random = SeededRandomSource(seed: seed)
        let path = directory.path("store.sqlite")
        isHandedIn = kind != .postgresql && (kind == .memory || canBeFull)
        if kind == .postgresql {
            let schema = try TestPostgreSQL.makeSchema()
            place = .postgresql(schema)
            reopened = { bytesMax in
                let store = try schema.open(accountBytesMax: bytesMax, random: random) {
                    clock.now
                }
                return (store, { store.close() })
            }
        } else if !isHandedIn {
            reopened = { bytesMax in
                let store = try SQLiteStore(
                    path: path,
                    accountBytesMax: bytesMax,
                    random: random
                ) { clock.now }
                return (store, { try store.close() })
            }
            place = .sqlite { try DatabaseQueue(path: path) }
        } else {
            var configuration = Configuration()
            if kind == .file { configuration.journalMode = .wal }
            let queue =
                kind == .file
                ? try DatabaseQueue(path: path, configuration: configuration)
                : try DatabaseQueue(configuration: configuration)
            reopened = { bytesMax in
                let store = try SQLiteStore(
                    database: queue,
                    accountBytesMax: bytesMax,
                    random: random
                ) { clock.now }
                return (store, { try store.close() })
            }
            place = .sqlite { queue }
        }
        (store, end) = try reopened(accountBytesMax)
    }

    deinit {
        if case .postgresql = place {
            // It fails if the test has closed the store.
            try? end()
        }
    }

    /// Closes the store as a stopping program does; later calls fail.
    func close() throws { try end() }

    // MARK: What no caller can bring about, or not in the time of a test

    /// Reopens the store as a restarted program does, with another quota.
    func reopen(accountBytesMax: UInt64) throws {
        // The caller's database stays open: closing it would lose a store in memory.
        if !isHandedIn { try end() }
        (store, end) = try reopened(accountBytesMax)
    }

    /// Has the effect of removing all deleted records up to this seq.
    func removeHistory(upTo seq: UInt64) throws {
        try execute("UPDATE account SET removal_horizon = \(seq)")
    }

    /// Has the effect of appending entries to every circle up to this version.
    func lengthenCircle(to version: UInt64) throws {
        try execute("UPDATE account SET circle_version = \(version)")
        try execute("UPDATE circle_entry SET version = \(version)")
    }

    /// Leaves space in an embedded store for this many more pages; nil for plenty.
    func leaveRoom(pages: Int? = nil) throws {
        guard case .sqlite(let database) = place else { return }
        try database().writeWithoutTransaction { database in
            let count = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(
                sql: "PRAGMA max_page_count = \(pages.map { count + $0 } ?? 1_000_000)"
            )
        }
    }

    /// The number of rows in a table.
    func count(of table: String) throws -> Int {
        Int(try integers("SELECT count(*) FROM \(table)")[0])
    }

    /// Backs up a store in a file.
    func backUp(to target: String) throws {
        try SQLiteStore.backup(of: directory.path("store.sqlite"), to: target)
    }

    /// How much the store holds.
    func totals() throws -> StoreTotals {
        let totals = try integers(StoreTotals.sql)
        return StoreTotals(accounts: totals[0], records: totals[1], storedBytes: totals[2])
    }

    /// A store made of a backup.
    func restored(from backup: String) throws -> any Store {
        let path = directory.path("restored")
        let random = SeededRandomSource(seed: 5)
        let aside = try SQLiteStore.restore(from: backup, to: path, random: random)
        #expect(aside == nil)
        return try SQLiteStore(path: path, random: random) { 1_000_000 }
    }

    private func execute(_ sql: String) throws {
        switch place {
        case .sqlite(let database): try database().write { try $0.execute(sql: sql) }
        case .postgresql(let schema): try schema.execute(sql)
        }
    }

    /// The first row of a query.
    private func integers(_ sql: String) throws -> [UInt64] {
        switch place {
        case .sqlite(let database):
            let row = try #require(try database().read { try Row.fetchOne($0, sql: sql) })
            return row.databaseValues.compactMap { UInt64.fromDatabaseValue($0) }
        case .postgresql(let schema): return try schema.integers(sql)
        }
    }

    // MARK: What many tests do

    /// Signs an account up and returns it with its epoch.
    func signUp(_ number: UInt8 = 1, devices: Int = 2) throws -> (FakeAccount, StoreEpoch) {
        let account = FakeAccount(number, devices: devices)
        return (account, try store.createAccount(account.signUp))
    }

    func vector(of account: FakeAccount) throws -> VersionVector {
        try store.changes(
            ChangesRequest(account: account.id, member: account.device, after: nil)
        ).vector
    }

    /// Everything a fresh device of the account sees, page by page.
    func everything(
        of account: FakeAccount,
        recordsMax: Int = Limits.pageRecordsMax
    ) throws -> [PageAnswer.Record] {
        var records: [PageAnswer.Record] = []
        var cursor: KSRecords.Cursor?
        while true {
            let page = try store.changes(
                ChangesRequest(
                    account: account.id,
                    member: account.device,
                    after: cursor,
                    recordsMax: recordsMax
                )
            )
            records += page.records
            cursor = page.cursor
            guard page.hasMore else { return records }
        }
    }
}

/// The number and size of stored records, as the accounts' rows count them.
struct StoreTotals: Equatable {
    var accounts: UInt64
    var records: UInt64
    var storedBytes: UInt64

    init(accounts: UInt64, records: UInt64, storedBytes: UInt64) {
        self.accounts = accounts
        self.records = records
        self.storedBytes = storedBytes
    }

    init(_ database: DatabaseQueue) throws {
        let row = try database.read { try Row.fetchOne($0, sql: Self.sql) }
        let totals = try #require(row)
        self.init(accounts: totals[0], records: totals[1], storedBytes: totals[2])
    }

    static let sql = """
        SELECT count(*), CAST(coalesce(sum(record_count), 0) AS bigint),
            CAST(coalesce(sum(stored_bytes), 0) AS bigint)
        FROM account
        """
}

/// A clock in seconds that a test advances.
final class ManualSeconds: Sendable {
    private let seconds: Mutex<UInt64>

    init(_ seconds: UInt64) {
        self.seconds = Mutex(seconds)
    }

    var now: UInt64 { seconds.withLock { $0 } }

    func advance(by count: UInt64) {
        seconds.withLock { $0 += count }
    }
}

/// A directory of its own for one test.
final class TemporaryDirectory: Sendable {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A leftover directory must not fail a test.
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String {
        url.appendingPathComponent(name).path
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
