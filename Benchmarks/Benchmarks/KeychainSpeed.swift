internal import KSDigests
internal import Foundation
internal import GRDB
internal import KSKeychain
internal import KSDeviceKeys

/// The keychain in this process, against bare SQLite in the same run.
struct KeychainSpeed {
    static let itemCount = 10_000
    private static let group = "benchmark"

    private let folder: URL
    private let keychain: ItemStore
    private let random = SystemRandomSource()

    init(folder: URL) throws {
        self.folder = folder
        let keys = try LocalKeyFile.open(storage: MemoryKeyFiles(), random: random, mayCreate: true)
        keychain = ItemStore(
            database: try KeychainDatabase.open(path: folder.path + "/keychain.db"),
            sealing: LocalRowSealing(keys, random: random),
            clock: { Date().timeIntervalSince1970 },
            random: random
        )
    }

    private func attributes(_ number: Int) -> [AttributeName: AttributeValue] {
        [
            .service: .string("service \(number)"), .account: .string("account \(number)"),
            .accessGroup: .string(Self.group),
        ]
    }

    private func item(_ number: Int) -> Item {
        Item(
            .genericPassword,
            attributes: attributes(number),
            secret: Array("a secret of some length \(number)".utf8)
        )
    }

    private func query(_ number: Int) -> KeychainQuery {
        KeychainQuery(
            .genericPassword,
            attributes: attributes(number),
            synchronizable: .no,
            access: .groups([Self.group]),
            limit: 1,
            wantsAttributes: false,
            wantsSecret: true
        )
    }

    /// One item a commit, each synced to disk, ours and bare in turn so that the disk's moods hit
    /// both; then the rest, for the searches.
    func adds() throws {
        let bare = try BareTable(path: folder.path + "/bare.db")
        let rounds = 8
        let perRound = 100
        var ours = Duration.zero
        var bares = Duration.zero
        let clock = ContinuousClock()
        var number = 0
        for _ in 0..<rounds {
            ours += try clock.measure {
                for index in number..<number + perRound {
                    try keychain.add(item(index), access: .groups([Self.group]))
                }
            }
            bares += try clock.measure {
                for index in number..<number + perRound { try bare.insert(index) }
            }
            number += perRound
        }
        let count = Double(number)
        report(
            "add an item, synced to disk",
            ours: count / (ours / .seconds(1)),
            bare: count / (bares / .seconds(1)),
            aimPercent: 50
        )
        try keychain.write { database in
            for index in number..<Self.itemCount {
                try keychain.add(item(index), access: .groups([Self.group]), in: database)
            }
        }
        try bare.fill(from: number, to: Self.itemCount)
    }

    func finds() throws {
        let bare = try BareTable(path: folder.path + "/bare.db")
        var number = 0
        var failures = 0
        let queries = (0..<Self.itemCount).map(query)
        func findNext() {
            number = (number + 7919) % Self.itemCount
            // Counted, so that the time of failures is never taken for speed.
            let found = try? keychain.find(queries[number])
            if found?.items.first?.secret == nil { failures += 1 }
        }
        let first = runsPerSecond(tries: 1, count: Self.itemCount, findNext)
        let ours = runsPerSecond(count: 20_000, findNext)
        let bareRate = runsPerSecond(count: 20_000) {
            number = (number + 7919) % Self.itemCount
            if !bare.find(number) { failures += 1 }
        }
        precondition(failures == 0, "every item has to be found")
        report("find a secret by its key", ours: ours, bare: bareRate, aimRate: 100_000)
        report("the same for the first time", ours: first, bare: bareRate, aimRate: 50_000)
    }

    func lists() throws {
        let query = KeychainQuery(
            .genericPassword,
            attributes: [:],
            synchronizable: .any,
            access: .groups([Self.group])
        )
        let bare = try BareTable(path: folder.path + "/bare.db")
        var counts: Set<Int> = []
        let ours = runsPerSecond(count: 1) {
            // Counted below: a listing that failed has none.
            counts.insert((try? keychain.find(query))?.items.count ?? 0)
        }
        let bareRate = runsPerSecond(count: 1) { counts.insert(bare.list()) }
        precondition(counts == [Self.itemCount], "every item has to be listed")
        report(
            "list the attributes of \(Self.itemCount) items",
            milliseconds: 1000 / ours,
            bareMilliseconds: 1000 / bareRate,
            aimMilliseconds: 100
        )
    }
}

/// A table of rows of the keychain's size, with one unique index, used by SQLite's own calls.
struct BareTable {
    private static let columns = 12
    private let database: DatabaseQueue

    init(path: String) throws {
        // The settings of the keychain's own connection: the same log, the same durability.
        database = try DatabaseQueue(path: path, configuration: KeychainDatabase.configuration())
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS bare (
                        id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, attributes BLOB,
                        secret BLOB, row BLOB, revision BLOB
                    ) STRICT
                    """
            )
        }
    }

    private static func key(_ number: Int) -> Data {
        Data(SHA256.hash(Array("key \(number)".utf8)).prefix(16))
    }

    private static let half = Data(repeating: 7, count: 337)
    private static let name = Data(repeating: 9, count: 16)

    private func insert(_ number: Int, in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO bare (key, attributes, secret, row, revision) VALUES (?, ?, ?, ?, ?)
                """
        )
        try statement.execute(arguments: [
            Self.key(number), Self.half, Self.half, Self.name, Self.name,
        ])
    }

    func insert(_ number: Int) throws {
        try database.write { try insert(number, in: $0) }
    }

    func fill(from first: Int, to end: Int) throws {
        try database.write { database in
            for number in first..<end { try insert(number, in: database) }
        }
    }

    func find(_ number: Int) -> Bool {
        // What is not found is counted by the caller.
        let secret = try? database.unsafeRead { database in
            let statement = try database.cachedStatement(
                sql: "SELECT secret FROM bare WHERE key = ?"
            )
            return try Data.fetchOne(statement, arguments: [Self.key(number)])
        }
        return secret?.count == Self.half.count
    }

    func list() -> Int {
        // The caller checks the count.
        let all = try? database.unsafeRead { database in
            try Data.fetchAll(database, sql: "SELECT attributes FROM bare ORDER BY id")
        }
        return all?.count ?? 0
    }
}
