import GRDB
import KSKeychain
import KSKeychainTestSupport
import KSTestSupport
import Testing

/// A repeated look-up must see every change since the first one.
struct RecentRowsTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture()
        try fixture.add("mail", "ada", secret: "first")
    }

    private func query(_ service: String = "mail") -> KeychainQuery {
        var query = fixture.query(service)
        query.limit = 1
        return query
    }

    private func secret() throws -> String? {
        try fixture.find(query()).first?.secretText
    }

    @Test
    func `a repeated look-up finds the same item without a statement`() throws {
        #expect(try secret() == "first")
        let statements = try fixture.database.read { database in
            var statements = 0
            database.trace { _ in statements += 1 }
            defer { database.trace(options: []) }
            _ = try fixture.keychain.find(query(), in: database)
            return statements
        }
        // Inside a transaction a look-up always reads the table.
        #expect(statements > 0)
        #expect(try traced { try secret() == "first" } == 0)
    }

    /// The number of statements that ran.
    private func traced(
        in other: Fixture? = nil,
        _ body: () throws -> Bool
    ) throws -> Int {
        let fixture = other ?? fixture
        let count = Counter()
        fixture.database.unsafeRead { $0.trace { _ in count.value += 1 } }
        #expect(try body())
        fixture.database.unsafeRead { $0.trace(options: []) }
        return count.value
    }

    private final class Counter {
        var value = 0
    }

    @Test
    func `the next look-up sees an update, a deletion and a new item`() throws {
        #expect(try secret() == "first")
        try fixture.keychain.update(query(), ItemChanges(secret: bytes("second")))
        #expect(try secret() == "second")
        try fixture.keychain.delete(query())
        #expect(try secret() == nil)
        try fixture.add("mail", "ada", secret: "third")
        #expect(try secret() == "third")
    }

    @Test
    func `the next look-up sees a write behind the keychain's back`() throws {
        #expect(try secret() == "first")
        try fixture.execute("UPDATE genp SET secret = x'00'")
        #expect(try secret() == nil)
    }

    @Test
    func `a look-up does not find an item of an undone transaction`() throws {
        struct Undone: Error {}
        #expect(try secret() == "first")
        #expect(throws: (any Error).self) {
            try fixture.keychain.write { database in
                let changes = ItemChanges(secret: bytes("undone"))
                try fixture.keychain.update(query(), changes, in: database)
                let seen = try fixture.keychain.find(query(), in: database)
                #expect(seen.items.first?.secretText == "undone")
                throw Undone()
            }
        }
        #expect(try secret() == "first")
    }

    @Test
    func `a look-up whose filter refuses the first item does not hide it from others`() throws {
        try fixture.add("mail", "bob", secret: "bob's")
        let second = try fixture.keychain.find(query()) { $0.secretText == "bob's" }
        #expect(second.items.map(\.secretText) == ["bob's"])
        #expect(try secret() == "first")
        let again = try fixture.keychain.find(query()) { $0.secretText == "bob's" }
        #expect(again.items.map(\.secretText) == ["bob's"])
    }

    @Test
    func `look-ups that differ in any part have their own results`() throws {
        try fixture.add("mail", "ada", secret: "synced", sync: true)
        #expect(try secret() == "first")
        var synced = query()
        synced.synchronizable = .yes
        #expect(try fixture.find(synced).first?.secretText == "synced")
        var withoutSecret = query()
        withoutSecret.wantsSecret = false
        #expect(try fixture.find(withoutSecret).first?.secret == nil)
        #expect(try fixture.find(query("web")).isEmpty)
        var ofOthers = query()
        ofOthers.access = .groups(["others"])
        #expect(try fixture.find(ofOthers).isEmpty)
        #expect(try secret() == "first")
    }

    @Test
    func `empty values and values with zeros are found`() throws {
        try fixture.add("", "", secret: "of nobody")
        try fixture.add("a\u{0}b", "x", secret: "with a zero")
        try fixture.add("a", "x", secret: "without")
        for _ in 0..<2 {
            #expect(try fixture.find(query("a\u{0}b")).first?.secretText == "with a zero")
            #expect(try fixture.find(query("a")).first?.secretText == "without")
            #expect(try fixture.find(query("")).first?.secretText == "of nobody")
        }
    }

    @Test
    func `the memory of look-ups holds no large secrets, and small ones up to a limit`() throws {
        let fixture = try Fixture(recentBytesMax: 16_384)
        func traced(_ service: String) throws -> Int {
            try self.traced(in: fixture) { try fixture.find(query(service)).count == 1 }
        }
        try fixture.add("large", secret: String(repeating: "x", count: 1_024))
        for number in 0..<40 { try fixture.add("small \(number)") }
        #expect(try traced("large") > 0)
        #expect(try traced("large") > 0)
        for number in 0..<40 { #expect(try traced("small \(number)") > 0) }
        #expect(try traced("small 39") == 0)
        #expect(try traced("small 0") > 0)
    }
}
