import Foundation
import GRDB
import KSCausality
import KSDigests
import KSMerging
import KSPostgreSQLStore
import KSPostgreSQLTestSupport
import KSRecords
import KSStore
import KSTestSupport
import Testing

/// Where a store is copied from or to.
final class CopyPlace {
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case file, postgresql

        /// Those that this machine can run.
        static let allCases: [Kind] = TestPostgreSQL.isInstalled ? [.file, .postgresql] : [.file]
        /// Each kind with each.
        static let pairs = allCases.flatMap { from in allCases.map { (from, $0) } }

        var testDescription: String { rawValue }
    }

    let kind: Kind
    let schema: TestSchema?
    let path: String
    private let directory: TemporaryDirectory

    init(_ kind: Kind) throws {
        self.kind = kind
        schema = kind == .postgresql ? try TestPostgreSQL.makeSchema() : nil
        directory = try TemporaryDirectory()
        path = directory.path("store.sqlite")
    }

    /// Opens the store as a server does.
    func withStore<Value>(_ body: (any Store) throws -> Value) throws -> Value {
        let random = SeededRandomSource(seed: 3)
        if let schema {
            var options = TestSchema.options
            options.statementMax = .milliseconds(500)
            let store = try schema.open(options: options, random: random)
            defer { store.close() }
            return try body(store)
        }
        let store = try SQLiteStore(path: path, random: random) { 1_000_000 }
        let value = try body(store)
        try store.close()
        return value
    }

    func execute(_ sql: String) throws {
        if let schema { return try schema.execute(sql) }
        let database = try DatabaseQueue(path: path)
        try database.write { try $0.execute(sql: sql) }
        try database.close()
    }

    func source() throws -> any StoredRows {
        if let schema { return try PostgreSQLCopy(reading: schema.address) }
        return try SQLiteStore(reading: path, random: SeededRandomSource(seed: 4)) { 0 }
    }

    func target(from source: any StoredRows) throws -> any CopyTarget {
        let random = SeededRandomSource(seed: 5)
        guard let schema else { return try SQLiteStore.beginCopy(to: path, random: random) }
        return try PostgreSQLCopy(
            filling: schema.address,
            from: source as? PostgreSQLCopy,
            random: random
        )
    }

    @discardableResult
    func copy(to target: CopyPlace) throws -> StoreCopy.Result {
        let source = try source()
        return try StoreCopy(from: source, to: target.target(from: source)) { _, _, _ in }.run()
    }

    /// All rows of all accounts.
    func allRows() throws -> [StoredRow] {
        let rows = try source()
        return try rows.accounts(after: nil, countMax: 100).flatMap { account in
            try StoredTable.allCases.flatMap { table -> [StoredRow] in
                var all: [StoredRow] = []
                while true {
                    let page = try rows.rows(of: table, in: account, after: all.last)
                    all += page
                    if page.isEmpty || table == .account { return all }
                }
            }
        }
    }
}

/// A store with one of everything that it can hold.
struct FullStore {
    private(set) var busy = FakeAccount(1)
    let large = FakeAccount(2)
    let fresh = FakeAccount(3)
    /// The busy account's last batch, of which the answer was lost.
    private(set) var retried: PushRequest?
    private(set) var actor: FakeActor?
    static let nonce: [UInt8] = [1, 2, 3]
    /// More than two pages of a table.
    static let largeCount = 2 * StoredTable.pageRowsMax + 100

    init(in store: any Store) throws {
        for account in [busy, large, fresh] { _ = try store.createAccount(account.signUp) }
        #expect(try store.useNonce(Self.nonce, expirySeconds: 2_000_000))
        try fillLarge(in: store)
        try fillBusy(in: store)
    }

    private func fillLarge(in store: any Store) throws {
        let epoch = try #require(try store.account(large.id)).epoch
        var actor = FakeActor(5, of: large, device: 1, epoch: epoch)
        for start in stride(from: 0, to: Self.largeCount, by: 300) {
            let numbers = start..<min(start + 300, Self.largeCount)
            try actor.push(numbers.map { FakeWrite(record: .number($0)) }, to: store)
        }
        // More than a page of bytes, with a record that is one by itself.
        for (index, size) in [3 << 20, 3 << 20, 4 << 20, 1].enumerated() {
            let box = [UInt8](repeating: UInt8(index), count: size)
            try actor.push(.number(-1 - index), box: box, to: store)
        }
        // Batches of one, more than a page has tags.
        for step in 0..<StoredTable.pageRowsMax {
            let dots = step == 0 ? [] : [actor.lastDot]
            try actor.push(.number(-9), replacing: dots, to: store)
        }
        try store.setSuspended(true, large.id)
    }

    private mutating func fillBusy(in store: any Store) throws {
        let epoch = try #require(try store.account(busy.id)).epoch
        var first = FakeActor(.max - 6, of: busy, epoch: epoch)
        try first.push((0..<6).map { FakeWrite(record: .number($0)) }, to: store)
        let deleted = (0..<2).map { number in
            FakeWrite(
                record: .number(number),
                replaced: [first.dot(UInt64(number) + 1)],
                isTombstone: true
            )
        }
        try first.push(deleted, to: store)
        let cursor = try #require(try store.account(busy.id)).cursor
        for device in busy.devices {
            _ = try store.changes(
                ChangesRequest(account: busy.id, member: device, after: cursor)
            )
        }
        try store.passTime(seconds: 40 * 86_400)
        while try !store.removeDeleted(from: busy.id, by: RemovalRules()).isLast {}
        try first.push(deleted.map { FakeWrite(record: $0.record, isTombstone: true) }, to: store)
        try busy.append(.rename, to: store)
        // A new generation, without the second device: all actors end.
        let vector = try store.changes(
            ChangesRequest(account: busy.id, member: busy.device, after: nil)
        ).vector
        busy.devices.removeLast()
        let version = busy.version
        let change = busy.advance(
            operation: .revoke,
            raisingGenerationAt: vector,
            credentialsBox: [9, 9]
        )
        try store.appendEntry(change, to: busy.id, ifVersion: version)
        var actor = FakeActor(8, of: busy, epoch: epoch)
        // A second sibling beside the first actor's.
        try actor.push([FakeWrite(record: .number(3)), FakeWrite(record: .number(70))], to: store)
        let batch = actor.seal([FakeWrite(record: .number(71), box: [])])
        retried = actor.request(batch)
        _ = try store.push([actor.request(batch)])[0].get()
        self.actor = actor
        try store.setQuota(7 << 20, of: busy.id)
        try store.passTime(seconds: 3600)
    }

    /// What devices and operators see of a store.
    struct Seen: Equatable {
        let figures: StoreFigures
        let states: [AccountState?]
        let summaries: [AccountSummary]
        let pages: [PageAnswer]
        let circles: [CircleState]
        let entries: [ShownEntry?]
        let retry: PushAnswer
    }

    func seen(in store: any Store) throws -> Seen {
        let accounts = [busy, large, fresh]
        let request = try #require(retried)
        return Seen(
            figures: try store.figures(quotaBytes: nil),
            states: try accounts.flatMap { account in
                [try store.account(account.id), try store.account(named: account.name)]
            },
            summaries: try accounts.map { try store.summary(of: $0.id) },
            pages: try accounts.map { account in
                // Nobody's contact is noted.
                try store.changes(
                    ChangesRequest(
                        account: account.id,
                        member: account.device,
                        after: nil,
                        isOfMember: false
                    )
                )
            },
            circles: try accounts.flatMap { account in
                try account.memberIDs.map { member in
                    try store.circle(of: account.id, after: 0, for: member)
                }
            },
            entries: try [UInt64?.none, 1, 2].map { generation in
                try store.circleEntry(
                    of: busy.id,
                    generation: generation,
                    for: busy.credentials
                )
            },
            retry: try store.push([request])[0].get()
        )
    }
}
