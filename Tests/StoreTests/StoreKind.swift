import Causality
import Digests
import Foundation
import GRDB
import Records
import Store
import Synchronization
import TestSupport
import Testing

/// Every implementation of ``Store``; the conformance suite runs on each.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, file

    var testDescription: String { rawValue }

    func make(
        seed: UInt64 = 1,
        settings: StoreSettings = StoreSettings()
    ) throws -> StoreUnderTest {
        try StoreUnderTest(self, seed: seed, settings: settings)
    }
}

/// A store, its clock, and the directory it lies in, which goes when this does.
final class StoreUnderTest {
    /// All that the suite may use: what every implementation has.
    let store: any Store
    private let end: () throws -> Void
    let clock: ManualSeconds
    let directory: TemporaryDirectory

    init(_ kind: StoreKind, seed: UInt64, settings: StoreSettings) throws {
        let clock = ManualSeconds(1_000_000)
        self.clock = clock
        directory = try TemporaryDirectory()
        let random = SeededRandomSource(seed: seed)
        let made =
            switch kind {
            case .memory:
                try SQLiteStore.inMemory(settings: settings, random: random) { clock.now }
            case .file:
                try SQLiteStore(
                    path: directory.path("store.sqlite"),
                    settings: settings,
                    random: random
                ) { clock.now }
            }
        store = made
        end = { try made.close() }
    }

    /// Ends the store as its program does when it stops; nothing may be asked of it then.
    func close() throws { try end() }

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
    ) throws -> [ChangedRecord] {
        var records: [ChangedRecord] = []
        var cursor: Records.Cursor?
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

/// Seconds that pass when a test says so.
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
        // A directory that stays behind fails no test.
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String {
        url.appendingPathComponent(name).path
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
