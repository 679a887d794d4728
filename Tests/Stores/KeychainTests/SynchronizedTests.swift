import GRDB
import KSSealing
import KSKeychain
import KSResolution
import Testing

struct SynchronizedTests {
    static let incoming = Item(
        .genericPassword,
        attributes: [
            .service: .string("s"), .account: .string("a"), .accessGroup: .string("group"),
            .accessible: .string("ak"), .creationDate: .date(5), .modificationDate: .date(6),
            .label: .string("label"),
        ],
        secret: [1, 2, 3]
    )

    static func apply(
        _ changes: [SynchronizedChange],
        to fixture: Fixture
    ) throws -> [AppliedChange] {
        try fixture.keychain.write {
            try fixture.keychain.applySynchronized(changes, in: $0)
        }
    }

    @Test
    func `changes of sync are applied without being recorded`() throws {
        let fixture = try Fixture()
        var item = Self.incoming
        #expect(try Self.apply([.absent(item.key)], to: fixture) == [.unchanged])
        let added = try Self.apply([.present(item)], to: fixture)
        let first = try #require(try fixture.find(fixture.query()).first)
        #expect(added == [.added(first)])
        #expect(first.syncedAttributes == item.attributes)
        #expect(first.secret == item.secret)
        #expect(first.isSynced)
        #expect(try Self.apply([.present(item)], to: fixture) == [.unchanged])

        item.secret = [4]
        item.attributes[.label] = nil
        // The same key in another type is the same item.
        item.attributes[.service] = .data(bytes("s"))
        let changed = try Self.apply([.present(item)], to: fixture)
        let second = try #require(try fixture.find(fixture.query()).first)
        #expect(changed == [.changed(before: first, after: second)])
        #expect(second.persistentReference == first.persistentReference)
        #expect(second.attributes[.label] == nil)
        #expect(second.secret == [4])

        #expect(try Self.apply([.absent(item.key)], to: fixture) == [.removed(second)])
        #expect(try fixture.find(fixture.query()) == [])
        #expect(fixture.recorder.changes == [])

        // The tombstone stays, and is replaced when the item is added again.
        let buried = try fixture.find(fixture.query(with: [.tombstone: .integer(1)]))
        #expect(buried.map(\.secret) == [nil])
        guard case .date(let last) = second.attributes[.modificationDate] else {
            Issue.record("an item has a date")
            return
        }
        #expect(buried.map(\.attributes[.modificationDate]) == [.date(last + 0.001)])
        #expect(try Self.apply([.absent(item.key)], to: fixture) == [.unchanged])
        let again = try Self.apply([.present(item)], to: fixture)
        let third = try #require(try fixture.find(fixture.query()).first)
        #expect(again == [.added(third)])
        #expect(third.persistentReference == first.persistentReference)
        #expect(try fixture.count("genp") == 1)
    }

    @Test
    func `a row keeps its ids when its contents change`() throws {
        let fixture = try Fixture()
        var item = Self.incoming
        _ = try Self.apply([.present(item)], to: fixture)
        let rowName = { try fixture.database.read { try Row.fetchOne($0, sql: Self.names) } }
        let before = try rowName()
        item.secret = [4]
        _ = try Self.apply([.present(item)], to: fixture)
        #expect(try rowName() == before)
    }

    static let names = "SELECT id, row, persistentReference FROM genp"

    @Test
    func `sync leaves an item of this device alone`() throws {
        let fixture = try Fixture()
        let local = try fixture.add("s", "a")
        _ = try Self.apply([.present(Self.incoming)], to: fixture)
        #expect(try fixture.find(fixture.query()).count == 2)
        _ = try Self.apply([.absent(Self.incoming.key)], to: fixture)
        #expect(try fixture.find(fixture.query()) == [local])
    }

    @Test
    func `a synchronizable item that is bound to this device is not overwritten`() throws {
        let fixture = try Fixture()
        let bound = try fixture.add("s", "a", sync: true, with: [.accessible: .string("aku")])
        #expect(
            try Self.apply(
                [.present(Self.incoming), .absent(Self.incoming.key)],
                to: fixture
            ) == [.refused(.duplicateItem), .unchanged]
        )
        #expect(try fixture.find(fixture.query()) == [bound])
    }

    @Test
    func `an item that cannot be kept is refused, and does not stop the others`() throws {
        let fixture = try Fixture()
        var wrongType = Self.incoming
        wrongType.attributes[.label] = .date(1)
        var noGroup = Self.incoming
        noGroup.attributes[.accessGroup] = nil
        let applied = try Self.apply(
            [.present(wrongType), .present(noGroup), .present(Self.incoming)],
            to: fixture
        )
        #expect(applied.dropLast() == [.refused(.parameter), .refused(.parameter)])
        #expect(try fixture.find(fixture.query()).count == 1)
    }

    @Test
    func `unknown attributes are left out, and a device-only class is loosened`() throws {
        let fixture = try Fixture()
        var item = Self.incoming
        item.attributes[.server] = .string("not an attribute of this class")
        item.attributes[.tombstone] = .integer(1)
        item.attributes[.accessible] = .string("cku")
        _ = try Self.apply([.present(item)], to: fixture)
        let found = try #require(try fixture.find(fixture.query()).first)
        #expect(found.attributes[.server] == nil)
        #expect(found.attributes[.tombstone] == .integer(0))
        #expect(found.accessibility == .afterFirstUnlock)
    }

    @Test
    func `two devices show the same for an item`() throws {
        let left = try Fixture(seed: 1)
        let right = try Fixture(seed: 2)
        right.clock.seconds += 1000
        var item = Self.incoming
        item.attributes[.creationDate] = nil
        for fixture in [left, right] { _ = try Self.apply([.present(item)], to: fixture) }
        let attributes = try [left, right].map { try $0.find($0.query()).map(\.attributes) }
        #expect(attributes[0] == attributes[1])
    }

    @Test
    func `synced items are found in full, all of them or one by its key`() throws {
        let fixture = try Fixture()
        let synced = try fixture.add("s", sync: true)
        try fixture.add("local")
        try fixture.add("bound", sync: true, with: [.accessible: .string("aku")])
        let internet = try fixture.keychain.add(
            Item(.internetPassword, attributes: [.synchronizable: .integer(1)], secret: [1]),
            access: Fixture.all
        )
        try fixture.keychain.write { database in
            let all = try fixture.keychain.syncedItems(in: database)
            let one = try fixture.keychain.syncedItem(synced.key, in: database)
            let none = try fixture.keychain.syncedItem(Self.incoming.key, in: database)
            #expect(all == [synced, internet])
            #expect(one == synced)
            #expect(none == nil)
        }
    }

    @Test
    func `ten thousand synced items are found by an index`() throws {
        let fixture = try Fixture()
        let changes = (0..<10_000).map { number in
            var item = Self.incoming
            item.attributes[.account] = .string("account \(number)")
            return SynchronizedChange.present(item)
        }
        _ = try Self.apply(changes, to: fixture)
        #expect(try fixture.count("genp") == 10_000)
        var statements: [String] = []
        let query = fixture.query("s", with: [.account: .string("account 77")])
        try fixture.database.write { database in
            database.trace { statements.append($0.expandedDescription) }
            let found = try fixture.keychain.find(query, in: database)
            database.trace(options: [])
            #expect(found.items.count == 1)
        }
        let select = try #require(statements.first { $0.hasPrefix("SELECT") })
        let plan = try fixture.database.read {
            try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN " + select).map {
                $0["detail"] as String
            }
        }
        #expect(plan == ["SEARCH genp USING INDEX genpByService (svce=? AND acct=?)"])
    }
}
