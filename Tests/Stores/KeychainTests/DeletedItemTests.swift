import GRDB
import KSKeychain
import KSResolution
import KSSealing
import Testing

/// A deleted item is kept for a month, and can be made again with all that it had.
struct DeletedItemTests {
    private static let field = ItemExtra.field("PIN").valueName
    private static let pin = ItemField.Content(.secret, bytes("1111")).encoded

    private func addFull(to fixture: Fixture, sync: Bool = true) throws -> Item {
        var item = Item(
            .genericPassword,
            attributes: [
                .service: .string("s"), .account: .string("a"), .label: .string("title"),
                .comment: .string("note"), .synchronizable: .boolean(sync),
            ],
            secret: bytes("pw")
        )
        item.extras[Self.field] = Self.pin
        item.extras[ItemExtra.tag("work").valueName] = [1]
        return try fixture.keychain.add(item, access: .groups(["group"]))
    }

    private func delete(_ item: Item, in fixture: Fixture) throws {
        try fixture.keychain.delete(KeychainQuery(exactly: item, access: .groups(["group"])))
    }

    private func found(_ fixture: Fixture) throws -> [Item] {
        var query = fixture.query()
        query.wantsExtras = true
        return try fixture.find(query)
    }

    @Test(arguments: [true, false])
    func `a deleted item is restored with all that it had`(sync: Bool) throws {
        let fixture = try Fixture()
        let item = try addFull(to: fixture, sync: sync)
        try delete(item, in: fixture)
        #expect(try found(fixture) == [])
        let deleted = try fixture.keychain.deletedItems()
        let kept = try #require(deleted.items.first)
        #expect(deleted.items.count == 1 && deleted.unreadableCount == 0)
        #expect(kept.device == .thisOne && kept.item.secret == nil)
        #expect(kept.item.attributes[.label] == .string("title"))
        // A list shows nothing that is hidden.
        #expect(kept.item.extras[Self.field] == ItemField.Content(.secret, []).encoded)
        let restored = try fixture.keychain.restoreDeleted(kept.id)
        #expect(restored.contentsToTell == item.contentsToTell)
        #expect(restored.attributes[.creationDate] == item.attributes[.creationDate])
        #expect(try found(fixture) == [restored])
        #expect(try fixture.keychain.deletedItems().items == [])
        if sync {
            // It is the item that programs know.
            #expect(restored.persistentReference == item.persistentReference)
            #expect(fixture.recorder.changes.last == .restored(restored))
        }
        // It is restored once.
        #expect(throws: ItemStoreError.itemNotFound) {
            try fixture.keychain.restoreDeleted(kept.id)
        }
    }

    @Test
    func `an item of the same key is in the way, and stays as it is`() throws {
        let fixture = try Fixture()
        try delete(try addFull(to: fixture), in: fixture)
        let other = try fixture.add("s", "a", sync: true)
        let kept = try #require(try fixture.keychain.deletedItems().items.first)
        #expect(throws: ItemStoreError.duplicateItem) {
            try fixture.keychain.restoreDeleted(kept.id)
        }
        #expect(try fixture.find(fixture.query()) == [other])
        #expect(try fixture.keychain.deletedItems().items.count == 1)
        // Nothing is lost: both can be had, one after the other.
        try delete(other, in: fixture)
        #expect(try fixture.keychain.deletedItems().items.count == 2)
        _ = try fixture.keychain.restoreDeleted(kept.id)
        #expect(try found(fixture).map(\.secret) == [bytes("pw")])
    }

    @Test
    func `an item that another device deleted names that device`() throws {
        let fixture = try Fixture()
        let item = try addFull(to: fixture)
        let deletion = ItemDeletion(seconds: 7, device: "phone")
        _ = try SynchronizedTests.apply([.absent(item.key, deletion)], to: fixture)
        let kept = try #require(try fixture.keychain.deletedItems().items.first)
        #expect(kept.device == .other("phone") && kept.seconds == 7)
        #expect(kept.item.extras.keys.allSatisfy { $0 != ItemExtra.mark("deleted by").valueName })
        let restored = try fixture.keychain.restoreDeleted(kept.id)
        #expect(restored.contentsToTell == item.contentsToTell)
    }

    @Test
    func `an item that only moved is not a deleted one`() throws {
        let fixture = try Fixture()
        let item = try addFull(to: fixture)
        let move = ItemDeletion(seconds: 7, device: "phone", isMove: true)
        _ = try SynchronizedTests.apply([.absent(item.key, move)], to: fixture)
        #expect(try found(fixture) == [] && fixture.keychain.deletedItems().items == [])
    }

    @Test
    func `an item that another device has restored is no longer a deleted one`() throws {
        let fixture = try Fixture()
        let item = try addFull(to: fixture)
        try delete(item, in: fixture)
        var other = item
        other.secret = bytes("another")
        _ = try SynchronizedTests.apply([.present(other)], to: fixture)
        #expect(try fixture.keychain.deletedItems().items.count == 1)
        _ = try SynchronizedTests.apply([.absent(item.key)], to: fixture)
        #expect(try fixture.keychain.deletedItems().items.count == 2)
        _ = try SynchronizedTests.apply([.present(item)], to: fixture)
        #expect(try fixture.keychain.deletedItems().items.count == 1)
    }

    @Test
    func `of an item that is replaced all the time a few are kept`() throws {
        let fixture = try Fixture()
        for number in 0..<12 {
            let item = try fixture.add("s", "a", secret: "\(number)")
            try delete(item, in: fixture)
        }
        let kept = try fixture.keychain.deletedItems().items
        #expect(kept.count == 5)
        let restored = try fixture.keychain.restoreDeleted(kept[0].id)
        #expect(restored.secret == bytes("11"))
    }

    @Test
    func `a device that leaves its account forgets the account's deleted items`() throws {
        let fixture = try Fixture()
        try delete(try addFull(to: fixture), in: fixture)
        try delete(try addFull(to: fixture, sync: false), in: fixture)
        try fixture.keychain.write { try fixture.keychain.removeTombstones(in: $0) }
        #expect(try fixture.keychain.deletedItems().items.map(\.item.isSynced) == [false])
    }

    @Test
    func `a device that leaves its account keeps none of the account's items as deleted`() throws {
        let fixture = try Fixture()
        let item = try addFull(to: fixture)
        _ = try SynchronizedTests.apply([.absent(item.key, nil)], to: fixture)
        #expect(try found(fixture) == [] && fixture.keychain.deletedItems().items == [])
    }

    @Test
    func `a program that makes and deletes thousands does not fill the disk`() throws {
        let fixture = try Fixture()
        for number in 0..<2200 {
            let item = try fixture.add("s\(number)", "a", secret: "\(number)")
            try delete(item, in: fixture)
        }
        let kept = try fixture.keychain.deletedItems().items
        #expect((2000..<2064).contains(kept.count))
        #expect(kept[0].item.attributes[.service] == .string("s2199"))
    }

    @Test
    func `what was deleted before the clock was set is kept for a month from then on`() throws {
        let fixture = try Fixture()
        let now = fixture.clock.seconds
        fixture.clock.seconds = -978_307_200
        try delete(try addFull(to: fixture), in: fixture)
        fixture.clock.seconds = max(now, 800_000_000)
        try fixture.keychain.forgetOldDeleted()
        #expect(try fixture.keychain.deletedItems().items.count == 1)
        fixture.clock.seconds += 31 * 86_400
        try fixture.keychain.forgetOldDeleted()
        #expect(try fixture.keychain.deletedItems().items == [])
    }

    @Test
    func `after a month a deleted item is gone`() throws {
        let fixture = try Fixture()
        try delete(try addFull(to: fixture), in: fixture)
        fixture.clock.seconds += 29 * 86_400
        #expect(try fixture.keychain.deletedItems().items.count == 1)
        fixture.clock.seconds += 2 * 86_400
        #expect(try fixture.keychain.deletedItems().items == [])
        let rows = try fixture.database.read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM deleted_item")
        }
        #expect(rows == 0)
    }
}
