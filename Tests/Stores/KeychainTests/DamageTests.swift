import GRDB
import KSSealing
import KSKeychain
import KSResolution
import KSKeychainTestSupport
import Testing

struct DamageTests {
    static let halves = ["attributes", "secret"]

    /// Overwrites three bytes of a half of the row with this id.
    static func damage(_ half: String, id: Int, in fixture: Fixture) throws {
        try fixture.execute(
            """
            UPDATE genp SET \(half) =
                CAST(substr(\(half), 1, 3) || x'00FF00' || substr(\(half), 7) AS BLOB)
            WHERE id = \(id)
            """
        )
    }

    @Test(arguments: halves)
    func `a damaged row is left out and reported, and does not stop others`(half: String) throws {
        let fixture = try Fixture()
        let damaged = try fixture.add("a")
        let good = try fixture.add("b")
        try Self.damage(half, id: 1, in: fixture)
        var one = fixture.query()
        one.limit = 1
        let found = try fixture.keychain.find(one)
        #expect(found.items == [good])
        #expect(found.unreadable.map(\.persistentReference) == [damaged.persistentReference])
        #expect(fixture.keychain.unreadableRows == found.unreadable)
        #expect(try fixture.keychain.update(fixture.query(), .init(secret: [1])) == 1)
        #expect(throws: ItemStoreError.itemNotFound) {
            try fixture.keychain.update(fixture.query("a"), .init(secret: [1]))
        }
        #expect(fixture.keychain.unreadableRows.count == 1)
    }

    @Test
    func `a damaged secret does not hide the attributes`() throws {
        let fixture = try Fixture()
        try fixture.add("a")
        try Self.damage("secret", id: 1, in: fixture)
        var query = fixture.query()
        query.wantsSecret = false
        #expect(try fixture.find(query).count == 1)
    }

    @Test(arguments: halves)
    func `an add replaces a damaged row, which is quarantined`(half: String) throws {
        let fixture = try Fixture()
        try fixture.add("a", secret: "old")
        try Self.damage(half, id: 1, in: fixture)
        try fixture.add("a", secret: "new")
        #expect(try fixture.find(fixture.query("a")).map(\.secretText) == ["new"])
        #expect(try fixture.count("quarantine") == 1)
    }

    @Test
    func `an update takes the key of a damaged row`() throws {
        let fixture = try Fixture()
        try fixture.add("a")
        try fixture.add("b", secret: "kept")
        try Self.damage("attributes", id: 1, in: fixture)
        let changes = ItemChanges(attributes: [.service: .string("a")])
        try fixture.keychain.update(fixture.query("b"), changes)
        #expect(try fixture.find(fixture.query("a")).map(\.secretText) == ["kept"])
        #expect(try fixture.count("genp") == 1)
        #expect(try fixture.count("quarantine") == 1)
    }

    @Test
    func `sync replaces or removes a damaged row, and quarantines it`() throws {
        let fixture = try Fixture()
        let incoming = SynchronizedTests.incoming
        _ = try SynchronizedTests.apply([.present(incoming)], to: fixture)
        try Self.damage("secret", id: 1, in: fixture)
        let applied = try SynchronizedTests.apply([.present(incoming)], to: fixture)
        let item = try #require(try fixture.find(fixture.query()).first)
        #expect(applied == [.added(item)])
        try Self.damage("secret", id: 1, in: fixture)
        let removed = try SynchronizedTests.apply([.absent(incoming.key)], to: fixture)
        #expect(removed == [.removed(nil)])
        #expect(try fixture.count("genp") == 0)
        #expect(try fixture.count("quarantine") == 2)
    }

    @Test(arguments: halves)
    func `deleting a damaged synced item by its key tells the other devices`(half: String) throws {
        let fixture = try Fixture()
        try fixture.add("local")
        let synced = try fixture.add("synced", sync: true)
        try Self.damage(half, id: 1, in: fixture)
        try Self.damage(half, id: 2, in: fixture)
        #expect(try fixture.keychain.delete(fixture.query("local")) == 1)
        let account = [AttributeName.account: AttributeValue.string("account")]
        #expect(try fixture.keychain.delete(fixture.query("synced", with: account)) == 1)
        #expect(try fixture.find(fixture.query()) == [])
        #expect(try fixture.count("quarantine") == 0)
        guard case .deleted(let before) = fixture.recorder.changes.last else {
            Issue.record("\(fixture.recorder.changes)")
            return
        }
        #expect(before.key == synced.key)
        #expect(throws: ItemStoreError.itemNotFound) {
            try fixture.keychain.delete(fixture.query("synced"))
        }
    }

    @Test
    func `a deleted synced item is quarantined if damage hides its key`() throws {
        let fixture = try Fixture()
        try fixture.add("synced", sync: true)
        try Self.damage("attributes", id: 1, in: fixture)
        let told = fixture.recorder.changes.count
        #expect(try fixture.keychain.delete(fixture.query("synced")) == 1)
        #expect(try fixture.count("genp") == 0)
        #expect(try fixture.count("quarantine") == 1)
        #expect(fixture.recorder.changes.count == told)
    }

    @Test(arguments: [false, true])
    func `a quarantined row is restored when it can be read again`(isSynced: Bool) throws {
        let fixture = try Fixture()
        let item = try fixture.add("a", sync: isSynced)
        let other = try fixture.add("b")
        let told = fixture.recorder.changes.count
        for part in ["attributes", "secret"] {
            try fixture.execute("UPDATE genp SET \(part) = CAST(\(part) || x'00' AS BLOB)")
        }
        try fixture.keychain.quarantine(fixture.keychain.find(fixture.query()).unreadable)
        #expect(try fixture.count("quarantine") == 2)
        #expect(try fixture.keychain.restoreQuarantined() == 0)
        for part in ["attributes", "secret"] {
            try fixture.execute(
                "UPDATE quarantine SET \(part) = substr(\(part), 1, length(\(part)) - 1)"
            )
        }
        // Another item takes the key meanwhile.
        let newer = try fixture.add("b", secret: "newer")
        #expect(newer.persistentReference != other.persistentReference)
        #expect(try fixture.keychain.restoreQuarantined() == 1)
        #expect(try fixture.find(fixture.query("a")) == [item])
        #expect(try fixture.find(fixture.query("b")) == [newer])
        #expect(fixture.recorder.changes.count == told + (isSynced ? 1 : 0))
        #expect(try fixture.count("quarantine") == 1)
        #expect(try fixture.keychain.discardQuarantined() == 1)
        #expect(try fixture.count("quarantine") == 0)
        #expect(try fixture.keychain.discardQuarantined() == 0)
    }

    @Test
    func `a quarantined row stays if the account's item is refused`() throws {
        let fixture = try Fixture()
        var item = try fixture.add("a", sync: true)
        try fixture.execute("UPDATE genp SET secret = CAST(secret || x'00' AS BLOB)")
        try fixture.keychain.quarantine(fixture.keychain.find(fixture.query()).unreadable)
        try fixture.execute("UPDATE quarantine SET secret = substr(secret, 1, length(secret) - 1)")
        item.attributes[.label] = .date(1)
        item.attributes[.creationDate] = .string("no date")
        fixture.recorder.recorded = .present(item)
        #expect(try fixture.keychain.restoreQuarantined() == 0)
        #expect(try fixture.count("quarantine") == 1)
        #expect(try fixture.count("genp") == 0)
        fixture.recorder.recorded = .unknown
        #expect(try fixture.keychain.restoreQuarantined() == 1)
        #expect(try fixture.count("genp") == 1)
    }

    /// After each of these faults or attacks on the file, the row must not open.
    @Test(arguments: [
        "UPDATE genp SET row = randomblob(16)", "UPDATE genp SET revision = randomblob(16)",
        "UPDATE genp SET pdmn = 'ck'", "UPDATE genp SET sync = 1",
        "UPDATE genp SET agrp = randomblob(16)",
        "UPDATE genp SET attributes = (SELECT secret FROM genp)",
        "UPDATE genp SET secret = (SELECT attributes FROM genp)",
        "UPDATE genp SET secret = zeroblob(0)",
    ])
    func `a row with a foreign part does not open`(sql: String) throws {
        let fixture = try Fixture()
        try fixture.add("a")
        try fixture.execute(sql)
        let found = try fixture.keychain.find(fixture.query())
        #expect(found.items == [])
        #expect(found.unreadable.count == 1)
    }

    @Test
    func `halves of two writes do not open together`() throws {
        let fixture = try Fixture()
        try fixture.add("a", secret: "old")
        try fixture.execute("CREATE TABLE copy AS SELECT secret FROM genp")
        try fixture.keychain.update(fixture.query("a"), .init(secret: bytes("new")))
        try fixture.execute("UPDATE genp SET secret = (SELECT secret FROM copy)")
        #expect(try fixture.find(fixture.query()) == [])
    }

    // MARK: Locked

    @Test
    func `one locked match fails the call`() throws {
        let fixture = try Fixture()
        try fixture.add("open", with: [.accessible: .string("ck")])
        try fixture.add("closed")
        fixture.sealing.lock(.whenUnlocked)
        #expect(throws: ItemStoreError.interactionNotAllowed) {
            try fixture.find(fixture.query())
        }
        #expect(try fixture.find(fixture.query("open")).count == 1)
        #expect(throws: ItemStoreError.interactionNotAllowed) {
            try fixture.keychain.update(fixture.query(), .init(secret: [1]))
        }
        #expect(throws: ItemStoreError.interactionNotAllowed) { try fixture.add("closed") }
        #expect(ItemStoreError.interactionNotAllowed.status == -25308)
        fixture.sealing.unlock()
        #expect(try fixture.find(fixture.query()).map(\.secretText) == ["secret", "secret"])
        #expect(fixture.keychain.unreadableRows == [])
    }

    @Test
    func `a locked item that may hide one of the account is not deleted`() throws {
        let fixture = try Fixture()
        try fixture.add("s", sync: true, with: [.accessible: .string("aku")])
        fixture.sealing.lock(.whenUnlockedThisDeviceOnly)
        #expect(throws: ItemStoreError.interactionNotAllowed) {
            try fixture.keychain.delete(fixture.query("s"))
        }
        fixture.keychain.recorder = nil
        #expect(try fixture.keychain.delete(fixture.query("s")) == 1)
    }

    @Test
    func `a locked item of this device can be deleted`() throws {
        let fixture = try Fixture()
        try fixture.add("s")
        fixture.sealing.lock(.whenUnlocked)
        #expect(try fixture.keychain.delete(fixture.query("s")) == 1)
    }
}
