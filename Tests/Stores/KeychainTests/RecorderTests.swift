import KSSealing
import KSKeychain
import KSResolution
import Testing

struct RecorderTests {
    @Test
    func `each change to a synced item is recorded once, in its transaction`() throws {
        let fixture = try Fixture()
        let added = try fixture.add("s", sync: true)
        #expect(fixture.recorder.changes == [.added(added)])

        try fixture.keychain.update(fixture.query("s"), .init(secret: [1]))
        let edited = try #require(try fixture.find(fixture.query("s")).first)
        #expect(fixture.recorder.changes.dropFirst() == [.edited(before: added, after: edited)])

        let rename = ItemChanges(attributes: [.service: .string("t")])
        try fixture.keychain.update(fixture.query("s"), rename)
        let renamed = try #require(try fixture.find(fixture.query("t")).first)
        #expect(
            fixture.recorder.changes.dropFirst(2) == [.renamed(before: edited, after: renamed)]
        )

        try fixture.keychain.delete(fixture.query("t"))
        #expect(fixture.recorder.changes.dropFirst(3) == [.deleted(before: renamed)])
        #expect(fixture.recorder.wasInTransaction)
        #expect(edited.secret == [1])
    }

    @Test
    func `a key that changes only its type is not a rename`() throws {
        let fixture = try Fixture()
        let added = try fixture.add("s", sync: true)
        let changes = ItemChanges(attributes: [.service: .data(bytes("s"))])
        try fixture.keychain.update(fixture.query("s"), changes)
        let after = try #require(try fixture.find(fixture.query("s")).first)
        #expect(fixture.recorder.changes.dropFirst() == [.edited(before: added, after: after)])
    }

    @Test
    func `a change of the date alone is not recorded`() throws {
        let fixture = try Fixture()
        try fixture.add("s", sync: true, with: [.label: .string("l")])
        try fixture.keychain.update(fixture.query("s"), ItemChanges())
        let same = ItemChanges(attributes: [.label: .string("l")], secret: bytes("secret"))
        try fixture.keychain.update(fixture.query("s"), same)
        #expect(fixture.recorder.changes.count == 1)
        try fixture.keychain.update(fixture.query("s"), ItemChanges(secret: [1]))
        #expect(fixture.recorder.changes.count == 2)
    }

    @Test
    func `deleting a tombstone is not recorded`() throws {
        let fixture = try Fixture()
        try fixture.add("s", sync: true)
        try fixture.keychain.delete(fixture.query("s"))
        try fixture.keychain.delete(fixture.query("s", with: [.tombstone: .integer(1)]))
        #expect(fixture.recorder.changes.count == 2)
        #expect(try fixture.count("genp") == 0)
    }

    @Test(arguments: [nil, true, false] as [Bool?])
    func `a delete is recorded whether a tombstone stays or not`(leavesTombstones: Bool?) throws {
        let fixture = try Fixture()
        let added = try fixture.add("s", sync: true)
        try fixture.keychain.delete(fixture.query("s"), leavesTombstones: leavesTombstones)
        #expect(fixture.recorder.changes.dropFirst() == [.deleted(before: added)])
        #expect(try fixture.count("genp") == (leavesTombstones == false ? 0 : 1))
    }

    @Test
    func `items of this device are not recorded`() throws {
        let fixture = try Fixture()
        try fixture.add("s")
        try fixture.keychain.update(fixture.query("s"), .init(secret: [1]))
        try fixture.keychain.delete(fixture.query("s"))
        try fixture.add("bound", sync: true, with: [.accessible: .string("aku")])
        try fixture.keychain.delete(fixture.query("bound"))
        #expect(fixture.recorder.changes == [])
    }

    @Test
    func `an item that leaves or enters sync is recorded as a delete or an add`() throws {
        let fixture = try Fixture()
        let local = try fixture.add("s")
        let synchronizable = AttributeName.synchronizable
        try fixture.keychain.update(
            fixture.query("s"),
            .init(attributes: [synchronizable: .integer(1)])
        )
        let synced = try #require(try fixture.find(fixture.query("s")).first)
        #expect(synced.persistentReference == local.persistentReference)
        try fixture.keychain.update(
            fixture.query("s"),
            .init(attributes: [synchronizable: .integer(0)])
        )
        #expect(fixture.recorder.changes == [.added(synced), .deleted(before: synced)])

        try fixture.keychain.update(
            fixture.query("s"),
            .init(attributes: [synchronizable: .integer(1)])
        )
        try fixture.keychain.update(
            fixture.query("s"),
            .init(attributes: [.accessible: .string("cku")])
        )
        guard case .deleted = fixture.recorder.changes.last else {
            Issue.record("an item bound to its device is no longer synced")
            return
        }
    }

    @Test
    func `a change that cannot be recorded does not happen`() throws {
        let fixture = try Fixture()
        let kept = try fixture.add("kept", sync: true)
        fixture.recorder.refuses = true
        #expect(throws: ItemStoreError.refused) { try fixture.add("s", sync: true) }
        #expect(throws: ItemStoreError.refused) {
            try fixture.keychain.update(fixture.query(), .init(secret: [1]))
        }
        #expect(throws: ItemStoreError.refused) {
            try fixture.keychain.delete(fixture.query())
        }
        #expect(try fixture.find(fixture.query()) == [kept])
        #expect(try fixture.count("heard") == 1)
    }
}
