import GRDB
import KSKeychain
import KSKeychainTestSupport
import KSTestSupport
import Testing

/// A look-up that is repeated must see whatever has changed in between.
struct RecentRowsTests {
    private let fixture: Fixture

    init() throws {
        fixture = try Fixture()
        try fixture.add("mail", "ada", secret: "first")
    }

    private func query(_ service: String = "mail") -> ItemQuery {
        var query = fixture.query(service)
        query.limit = 1
        return query
    }

    private func secret() throws -> String? {
        try fixture.find(query()).first?.secretText
    }

    @Test
    func `a repeated look-up finds the same item without a look into the table`() throws {
        #expect(try secret() == "first")
        let statements = try fixture.database.read { database in
            var statements = 0
            database.trace { _ in statements += 1 }
            defer { database.trace(options: []) }
            _ = try fixture.keychain.find(query(), in: database)
            return statements
        }
        // Inside a transaction it always looks.
        #expect(statements > 0)
        #expect(try traced { try secret() == "first" } == 0)
    }

    /// How many statements ran.
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
    func `an update, a deletion and a new item are seen by the next look-up`() throws {
        #expect(try secret() == "first")
        try fixture.keychain.update(query(), ItemChanges(secret: bytes("second")))
        #expect(try secret() == "second")
        try fixture.keychain.delete(query())
        #expect(try secret() == nil)
        try fixture.add("mail", "ada", secret: "third")
        #expect(try secret() == "third")
    }

    @Test
    func `a write past the keychain on its connection is seen`() throws {
        #expect(try secret() == "first")
        try fixture.execute("UPDATE genp SET secret = x'00'")
        #expect(try secret() == nil)
    }

    @Test
    func `what a transaction saw and undid is not found afterwards`() throws {
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
    func `a look-up that passes the first item over leaves it to the others`() throws {
        try fixture.add("mail", "bob", secret: "bob's")
        let second = try fixture.keychain.find(query()) { $0.secretText == "bob's" }
        #expect(second.items.map(\.secretText) == ["bob's"])
        #expect(try secret() == "first")
        let again = try fixture.keychain.find(query()) { $0.secretText == "bob's" }
        #expect(again.items.map(\.secretText) == ["bob's"])
    }

    @Test
    func `look-ups that differ in anything are different`() throws {
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
    func `large secrets do not stay in memory, and small ones only up to a sum`() throws {
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
