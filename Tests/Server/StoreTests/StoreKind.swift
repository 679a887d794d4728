import KSCausality
import KSDigests
import Foundation
import GRDB
import KSRecords
import KSStore
import Synchronization
import KSTestSupport
import Testing

/// Every implementation of ``Store``; the conformance suite runs on each.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, file

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
    /// The parts that the suite may use: those of every implementation.
    private(set) var store: any Store
    private var end: () throws -> Void
    private let reopened: (UInt64?) throws -> SQLiteStore
    /// The given connection to the store, or another one.
    private let database: () throws -> DatabaseQueue
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
        isHandedIn = kind == .memory || canBeFull
        if !isHandedIn {
            reopened = { bytesMax in
                try SQLiteStore(path: path, accountBytesMax: bytesMax, random: random) { clock.now }
            }
            database = { try DatabaseQueue(path: path) }
        } else {
            var configuration = Configuration()
            if kind == .file { configuration.journalMode = .wal }
            let queue =
                kind == .file
                ? try DatabaseQueue(path: path, configuration: configuration)
                : try DatabaseQueue(configuration: configuration)
            reopened = { bytesMax in
                try SQLiteStore(database: queue, accountBytesMax: bytesMax, random: random) {
                    clock.now
                }
            }
            database = { queue }
        }
        let made = try reopened(accountBytesMax)
        store = made
        end = { try made.close() }
    }

    /// Closes the store as a stopping program does; later calls fail.
    func close() throws { try end() }

    // MARK: What no caller can bring about, or not in the time of a test
    //
    // Another implementation needs its own ways to do these.

    /// Reopens the store as a restarted program does, with another quota.
    func reopen(accountBytesMax: UInt64) throws {
        // The caller's database stays open: closing it would lose a store in memory.
        if !isHandedIn { try end() }
        let made = try reopened(accountBytesMax)
        store = made
        end = { try made.close() }
    }

    /// Has the effect of removing all deleted records up to this seq.
    func removeHistory(upTo seq: UInt64) throws {
        try change("UPDATE account SET removal_horizon = ?", seq)
    }

    /// Has the effect of appending entries to every circle up to this version.
    func lengthenCircle(to version: UInt64) throws {
        try change("UPDATE account SET circle_version = ?", version)
        try change("UPDATE circle_entry SET version = ?", version)
    }

    /// Leaves space for this many more pages; nil for plenty.
    func leaveRoom(pages: Int? = nil) throws {
        try database().writeWithoutTransaction { database in
            let count = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(
                sql: "PRAGMA max_page_count = \(pages.map { count + $0 } ?? 1_000_000)"
            )
        }
    }

    /// The number of rows in a table.
    func count(of table: String) throws -> Int {
        try database().read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } ?? 0
    }

    /// Backs up a store in a file.
    func backUp(to target: String) throws {
        try SQLiteStore.backup(of: directory.path("store.sqlite"), to: target)
    }

    /// How much the store holds.
    func totals() throws -> StoreTotals {
        try StoreTotals(database())
    }

    /// A store made of a backup.
    func restored(from backup: String) throws -> any Store {
        let path = directory.path("restored")
        let random = SeededRandomSource(seed: 5)
        let aside = try SQLiteStore.restore(from: backup, to: path, random: random)
        #expect(aside == nil)
        return try SQLiteStore(path: path, random: random) { 1_000_000 }
    }

    private func change(_ sql: String, _ value: UInt64) throws {
        try database().write { try $0.execute(sql: sql, arguments: [value]) }
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
        let row = try database.read { database in
            try Row.fetchOne(
                database,
                sql: """
                    SELECT count(*), coalesce(sum(record_count), 0), coalesce(sum(stored_bytes), 0)
                    FROM account
                    """
            )
        }
        let totals = try #require(row)
        (accounts, records, storedBytes) = (totals[0], totals[1], totals[2])
    }
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
