import KSKeychain
import KSResolution
import Testing

/// What an item has beside Apple's attributes.
struct ExtraTests {
    private static let pin = ItemExtra.field("PIN")
    private static let color = ItemExtra.field("color")
    private static let extras: ItemExtras = [
        pin.valueName: ItemField.Content(.secret, bytes("1234")).encoded,
        color.valueName: ItemField.Content(.text, bytes("blue")).encoded,
        pin.positionName: [128],
        ItemExtra.tag("work").valueName: [1],
        // Of a newer program.
        ValueName(kind: ValueName.Kind.extra, nameBytes: [0xFF, 1]): [9, 9],
    ]

    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func add(_ service: String, sync: Bool = false) throws -> Item {
        try fixture.keychain.add(
            Item(
                .genericPassword,
                attributes: [.service: .string(service), .synchronizable: .boolean(sync)],
                secret: bytes("secret"),
                extras: Self.extras
            ),
            access: Fixture.all
        )
    }

    private func item(_ service: String) throws -> Item {
        var query = fixture.query(service)
        query.wantsExtras = true
        return try #require(try fixture.find(query).first)
    }

    @Test
    func `extras are kept, also those of a newer program`() throws {
        _ = try add("a")
        #expect(try item("a").extras == Self.extras)
    }

    @Test
    func `a search shows visible extras, and of hidden fields the name and kind`() throws {
        _ = try add("a")
        let found = try #require(try fixture.find(fixture.query("a")).first)
        #expect(found.extras[Self.color.valueName] == Self.extras[Self.color.valueName])
        #expect(found.extras[Self.pin.valueName] == ItemField.Content(.secret, []).encoded)
        #expect(found.extras.count == Self.extras.count - 1, "a newer program's extra is hidden")
        #expect(found.secretText == "secret")
    }

    @Test
    func `a change of an attribute keeps all extras, and one of extras the rest`() throws {
        _ = try add("a", sync: true)
        try fixture.keychain.update(
            fixture.query("a"),
            ItemChanges(attributes: [.label: .string("new")])
        )
        #expect(try item("a").extras == Self.extras)
        fixture.recorder.changes = []
        let blue = ItemField.Content(.text, bytes("red")).encoded
        try fixture.keychain.update(
            fixture.query("a"),
            ItemChanges(extras: [Self.color.valueName: blue, Self.pin.valueName: nil])
        )
        let changed = try item("a")
        #expect(changed.extras[Self.color.valueName] == blue)
        #expect(changed.extras[Self.pin.valueName] == nil)
        #expect(changed.secretText == "secret" && changed.attributes[.label] == .string("new"))
        guard case .edited(let before, let after) = fixture.recorder.changes.first else {
            Issue.record("the change is recorded")
            return
        }
        #expect(before.extras == Self.extras && after.extras == changed.extras)
    }

    @Test
    func `extras come and go with sync, and a backup has them`() throws {
        var item = SynchronizedTests.incoming
        item.extras = Self.extras
        _ = try SynchronizedTests.apply([.present(item)], to: fixture)
        #expect(try self.item("s").extras == Self.extras)
        item.extras[Self.pin.valueName] = nil
        _ = try SynchronizedTests.apply([.present(item)], to: fixture)
        #expect(try self.item("s").extras == item.extras)
        _ = try add("local")
        let backup = try fixture.keychain.backup()
        #expect(backup.map(\.item.extras) == [Self.extras])
        #expect(try backup.map { try BackupItem(decoding: $0.encoded) } == backup)
    }

    @Test
    func `a damaged half makes the item unreadable instead of losing its extras`() throws {
        _ = try add("a")
        try fixture.execute("UPDATE genp SET extras = zeroblob(200)")
        var query = fixture.query("a")
        query.wantsExtras = true
        #expect(try fixture.keychain.find(query).items.isEmpty)
        #expect(try fixture.keychain.inspect().unreadable.count == 1)
        // The password itself can still be read.
        #expect(try fixture.find(fixture.query("a")).map(\.secretText) == ["secret"])
    }
}
