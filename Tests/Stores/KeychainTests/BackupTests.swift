import GRDB
import KSSealing
import KSKeychain
import KSResolution
import KSKeychainTestSupport
import Testing

/// The contents of a backup, and how a restore merges them.
struct BackupTests {
    private let source: Fixture
    private let target: Fixture

    init() throws {
        source = try Fixture(seed: 1)
        target = try Fixture(seed: 2)
    }

    private func backup() throws -> [BackupItem] {
        let items = try source.keychain.backup()
        for item in items { #expect(try BackupItem(decoding: item.encoded) == item) }
        return items
    }

    private func restore(_ items: [BackupItem]) throws -> [RestoredItem] {
        try target.keychain.restore(items)
    }

    private func secrets(_ service: String) throws -> [String?] {
        try target.find(target.query(service)).map(\.secretText)
    }

    @Test
    func `items are restored with their references, except those of one device`() throws {
        for (service, accessible) in [("a", "ak"), ("b", "cku"), ("c", "ck"), ("d", "akpu")] {
            try source.add(service, with: [.accessible: .string(accessible)])
        }
        // A synced item is in a backup as a record.
        try source.add("s", sync: true)
        let items = try backup()
        #expect(try restore(items) == [.added, .added])
        #expect(try restore(items) == [.unchanged, .unchanged])
        #expect(
            try target.find(target.query())
                == source.find(source.query()).filter {
                    !$0.accessibility.isThisDeviceOnly && !$0.isSynced
                }
        )
    }

    @Test
    func `the newer of two versions wins`() throws {
        try target.add("a", secret: "old here")
        source.clock.seconds += 10
        try source.add("a", secret: "new there")
        let items = try backup()
        #expect(try restore(items) == [.replaced])
        #expect(try secrets("a") == ["new there"])
        target.clock.seconds += 100
        try target.keychain.update(target.query("a"), ItemChanges(secret: bytes("newest here")))
        #expect(try restore(items) == [.newerHere])
        #expect(try secrets("a") == ["newest here"])
    }

    @Test
    func `two devices keep the same one of two versions with one time`() throws {
        try source.add("a", secret: "one")
        try target.add("a", secret: "two")
        let items = try backup()
        _ = try restore(items)
        let winner = try secrets("a")
        _ = try source.keychain.restore(try target.keychain.backup())
        #expect(try source.find(source.query("a")).map(\.secretText) == winner)
    }

    @Test
    func `a restore that fails in the middle changes nothing`() throws {
        try source.add("a")
        let items = try backup()
        let strange = BackupItem(Item(.genericPassword, attributes: [.service: .integer(1)]))
        #expect(throws: ItemStoreError.self) { try restore(items + [strange]) }
        #expect(try target.count("genp") == 0)
    }

    @Test
    func `a backup fails if an item is locked`() throws {
        try source.add("a")
        source.sealing.lock(.whenUnlocked)
        #expect(throws: ItemStoreError.interactionNotAllowed) { try backup() }
        source.sealing.unlock()
        try source.execute("UPDATE genp SET secret = zeroblob(50)")
        #expect(try backup().isEmpty)
        #expect(source.keychain.unreadableRows.count == 1)
    }

    @Test
    func `items of the system itself are not in a backup`() throws {
        try source.add("a", with: [.systemBound: .integer(1)])
        for group in ["com.apple.security.sos", "lockdown-identities"] {
            try source.add("of the system", with: [.accessGroup: .string(group)])
        }
        try source.add("shared", with: [.sharingGroup: .string("family")])
        try source.add("b", with: [.systemBound: .integer(0)])
        #expect(try backup().map { $0.item.attributes[.service] } == [.string("b")])
    }

    @Test
    func `a restored item gets a new reference if another item has its own`() throws {
        try source.add("a")
        let items = try backup()
        _ = try restore(items)
        let reference = try target.find(target.query("a")).first?.persistentReference
        let changes = ItemChanges(attributes: [.service: .string("b")])
        try target.keychain.update(target.query("a"), changes)
        #expect(try restore(items) == [.added])
        #expect(try target.find(target.query("b")).first?.persistentReference == reference)
        #expect(try target.find(target.query("a")).first?.persistentReference != reference)
    }

    @Test
    func `a backup's item replaces a damaged one, which is quarantined`() throws {
        try source.add("a", secret: "whole")
        try target.add("a", secret: "damaged")
        try target.execute("UPDATE genp SET secret = zeroblob(50)")
        #expect(try restore(backup()) == [.added])
        #expect(try secrets("a") == ["whole"])
        #expect(try target.keychain.inspect().quarantined.count == 1)
    }

    @Test
    func `a backup item that was cut or extended is refused`() throws {
        try source.add("a")
        let encoded = try #require(try backup().first?.encoded)
        for count in 0..<encoded.count {
            #expect(throws: ItemStoreError.self) {
                try BackupItem(decoding: Array(encoded.prefix(count)))
            }
        }
        #expect(throws: ItemStoreError.decode) { try BackupItem(decoding: encoded + [0]) }
    }
}
