import GRDB
import KSKeychain
import KSKeychainTestSupport
import KSTestSupport

/// Records changes, and can refuse them.
final class TestRecorder: ChangeRecorder {
    struct Refusal: Error {}

    var changes: [ItemChange] = []
    var refuses = false
    var wasInTransaction = true
    /// The account's values at each key.
    var recorded = RecordedItem.unknown

    func record(_ change: ItemChange, in database: Database) throws {
        if refuses { throw Refusal() }
        try database.execute(sql: "INSERT INTO heard VALUES (1)")
        wasInTransaction = wasInTransaction && database.isInsideTransaction
        changes.append(change)
    }

    func recorded(at key: ItemKey, in database: Database) throws -> RecordedItem {
        recorded
    }
}

/// A keychain in memory, with a clock and other parts that tests set.
final class Fixture {
    static let all = CallerAccess.all(defaultGroup: "group")

    let sealing = TestSealing()
    let recorder = TestRecorder()
    let database: DatabaseQueue
    let clock: Clock
    let keychain: ItemStore

    final class Clock {
        /// Seconds since 2001.
        var seconds = 800_000_000.0
    }

    init(path: String? = nil, seed: UInt64 = 1, recentBytesMax: Int = 16 << 20) throws {
        database =
            try path.map { try KeychainDatabase.open(path: $0) }
            ?? KeychainDatabase.openInMemory()
        try database.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS heard (one INTEGER)") }
        let clock = Clock()
        self.clock = clock
        keychain = ItemStore(
            database: database,
            sealing: sealing,
            clock: { clock.seconds + 978_307_200 },
            random: SeededRandomSource(seed: seed),
            recorder: recorder,
            recentBytesMax: recentBytesMax
        )
    }

    @discardableResult
    func add(
        _ service: String,
        _ account: String = "account",
        secret: String? = "secret",
        sync: Bool = false,
        with more: [AttributeName: AttributeValue] = [:]
    ) throws -> Item {
        var attributes = more
        attributes[.service] = .string(service)
        attributes[.account] = .string(account)
        if sync { attributes[.synchronizable] = .boolean(true) }
        return try keychain.add(
            Item(.genericPassword, attributes: attributes, secret: secret.map { Array($0.utf8) }),
            access: Self.all
        )
    }

    func query(
        _ service: String? = nil,
        synchronizable: KeychainQuery.Synchronizable = .any,
        with more: [AttributeName: AttributeValue] = [:]
    ) -> KeychainQuery {
        var attributes = more
        if let service { attributes[.service] = .string(service) }
        return KeychainQuery(
            .genericPassword,
            attributes: attributes,
            synchronizable: synchronizable,
            access: Self.all,
            wantsSecret: true
        )
    }

    func find(_ query: KeychainQuery) throws -> [Item] {
        try keychain.find(query).items
    }

    /// Runs SQL behind the keychain's back, as a fault would.
    func execute(_ sql: String) throws {
        try database.write { try $0.execute(sql: sql) }
    }

    func count(_ table: String) throws -> Int {
        try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
    }
}

extension Item {
    var secretText: String? {
        secret.map { String(decoding: $0, as: UTF8.self) }
    }
}

func bytes(_ text: String) -> [UInt8] {
    Array(text.utf8)
}
