import Digests
import GRDB
import Keychain
import Synchronization
import TestSupport

/// A seal that is good enough to see that nothing shows: a keystream and a tag, both SHA-256.
///
/// Classes can be locked, and rows damaged by hand do not open.
final class TestSealing: RowSealing, SearchDigesting {
    private let locked = Mutex<Set<Accessibility>>([])
    private let openedSecrets = Mutex(0)

    /// How often a secret half was opened.
    var openedSecretsCount: Int { openedSecrets.withLock { $0 } }

    func lock(_ accessibility: Accessibility) {
        locked.withLock { _ = $0.insert(accessibility) }
    }

    func unlock() {
        locked.withLock { $0 = [] }
    }

    private func key(_ context: ItemRowContext) throws(KeychainError) -> [UInt8] {
        guard !locked.withLock({ $0.contains(context.accessibility) }) else {
            throw .interactionNotAllowed
        }
        let part: UInt8 = context.part == .secret ? 2 : 1
        return SHA256.hash(
            Array("key \(context.table) \(context.accessibility.rawValue)".utf8) + [part]
                + context.row + context.accessGroup + context.revision
        )
    }

    private func mask(_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = []
        var block: UInt8 = 0
        while stream.count < bytes.count {
            stream += SHA256.hash(key + [block, UInt8(stream.count >> 8 & 0xFF)])
            block &+= 1
        }
        return zip(bytes, stream).map { $0 ^ $1 }
    }

    func seal(
        _ text: [UInt8],
        _ context: ItemRowContext
    ) throws(KeychainError) -> [UInt8] {
        let key = try key(context)
        let masked = mask(text, key)
        return masked + SHA256.hash(key + masked)
    }

    func open(
        _ box: [UInt8],
        _ context: ItemRowContext
    ) throws(KeychainError) -> [UInt8] {
        if context.part == .secret { openedSecrets.withLock { $0 += 1 } }
        let key = try key(context)
        let masked = Array(box.dropLast(32))
        guard box.count >= 32, SHA256.hash(key + masked) == Array(box.suffix(32)) else {
            throw .decode
        }
        return mask(masked, key)
    }

    func digest(
        type: UInt64,
        value: [UInt8],
        table: String,
        column: String
    ) throws(KeychainError) -> [UInt8] {
        Array(
            SHA256.hash(Array("digest \(table) \(column) \(type) ".utf8) + value).prefix(16)
        )
    }

    func alwaysReadableDigest(
        type: UInt64,
        value: [UInt8],
        table: String,
        column: String
    ) throws(KeychainError) -> [UInt8] {
        Array(
            SHA256.hash(Array("always \(table) \(column) \(type) ".utf8) + value).prefix(16)
        )
    }
}

/// Keeps what it was told, and can refuse.
final class TestRecorder: ChangeRecorder {
    struct Refusal: Error {}

    var changes: [ItemChange] = []
    var refuses = false
    var wasInTransaction = true

    func record(_ change: ItemChange, in database: Database) throws {
        if refuses { throw Refusal() }
        try database.execute(sql: "INSERT INTO heard VALUES (1)")
        wasInTransaction = wasInTransaction && database.isInsideTransaction
        changes.append(change)
    }
}

/// A keychain in memory, its clock and everything else that tests turn.
final class Fixture {
    static let all = CallerAccess.all(defaultGroup: "group")

    let sealing = TestSealing()
    let recorder = TestRecorder()
    let database: DatabaseQueue
    let clock: Clock
    let keychain: Keychain

    final class Clock {
        /// Seconds since 2001.
        var seconds = 800_000_000.0
    }

    init(path: String? = nil, seed: UInt64 = 1) throws {
        database =
            try path.map { try KeychainDatabase.open(path: $0) }
            ?? KeychainDatabase.openInMemory()
        try database.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS heard (one INTEGER)") }
        let clock = Clock()
        self.clock = clock
        keychain = Keychain(
            database: database,
            sealing: sealing,
            digesting: sealing,
            clock: { clock.seconds + 978_307_200 },
            random: SeededRandomSource(seed: seed),
            recorder: recorder
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
        synchronizable: ItemQuery.Synchronizable = .any,
        with more: [AttributeName: AttributeValue] = [:]
    ) -> ItemQuery {
        var attributes = more
        if let service { attributes[.service] = .string(service) }
        return ItemQuery(
            .genericPassword,
            attributes: attributes,
            synchronizable: synchronizable,
            access: Self.all,
            wantsSecret: true
        )
    }

    func find(_ query: ItemQuery) throws -> [Item] {
        try keychain.find(query).items
    }

    /// Runs SQL past the keychain, as a fault would.
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
