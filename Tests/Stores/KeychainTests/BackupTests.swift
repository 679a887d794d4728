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

    private func backup(_ past: [String: ItemPast] = [:]) throws -> [BackupItem] {
        let items = try source.keychain.backup { item, _ in past[item.secretText ?? ""] }
        for item in items { #expect(try BackupItem(decoding: item.encoded) == item) }
        return items
    }

    private func restore(
        _ items: [BackupItem],
        past: ItemPast? = nil
    ) throws -> RestoreCounts {
        try target.keychain.restore(items) { _, _ in past }
    }

    private func secrets(_ service: String) throws -> [String?] {
        try target.find(target.query(service)).map(\.secretText)
    }

    @Test
    func `items are restored with their references, except those of one device`() throws {
        for (service, accessible) in [("a", "ak"), ("b", "cku"), ("c", "ck"), ("d", "akpu")] {
            try source.add(service, with: [.accessible: .string(accessible)])
        }
        try source.add("s", sync: true)
        let items = try backup()
        #expect(try restore(items) == RestoreCounts(added: 3))
        #expect(try restore(items) == RestoreCounts(unchanged: 3))
        #expect(
            try target.find(target.query())
                == source.find(source.query()).filter {
                    !$0.accessibility.isThisDeviceOnly
                }
        )
        // The synced item is recorded for the other devices too.
        #expect(target.recorder.changes.count == 1)
    }

    @Test
    func `the newer of two versions wins`() throws {
        try target.add("a", secret: "old here")
        source.clock.seconds += 10
        try source.add("a", secret: "new there")
        let items = try backup()
        #expect(try restore(items) == RestoreCounts(replaced: 1))
        #expect(try secrets("a") == ["new there"])
        target.clock.seconds += 100
        try target.keychain.update(target.query("a"), ItemChanges(secret: bytes("newest here")))
        #expect(try restore(items) == RestoreCounts(kept: 1))
        #expect(try secrets("a") == ["newest here"])
    }

    @Test
    func `two devices keep the same one of two versions with one time`() throws {
        try source.add("a", secret: "one")
        try target.add("a", secret: "two")
        let items = try backup()
        _ = try restore(items)
        let winner = try secrets("a")
        let others = try target.keychain.backup { _, _ in nil }
        _ = try source.keychain.restore(others) { _, _ in nil }
        #expect(try source.find(source.query("a")).map(\.secretText) == winner)
    }

    @Test
    func `the losing secret goes to the history of a synced item`() throws {
        try source.add("s", secret: "lost", sync: true)
        target.clock.seconds += 100
        try target.add("s", secret: "kept", sync: true)
        let before = target.recorder.changes.count
        let items = try backup(["lost": ItemPast(secrets: [bytes("oldest")], changedSeconds: nil)])
        let known = ItemPast(secrets: [bytes("oldest")], changedSeconds: nil)
        #expect(try restore(items, past: known) == RestoreCounts(kept: 1))
        #expect(try secrets("s") == ["kept"])
        let told = target.recorder.changes.dropFirst(before).compactMap { change -> String? in
            guard case .edited(_, let after) = change else { return nil }
            return after.secretText
        }
        // Secrets that the history has already are not recorded again.
        #expect(told == ["lost", "kept"])
    }

    @Test
    func `a restored item keeps its history`() throws {
        try source.add("s", secret: "third", sync: true)
        let past = ItemPast(secrets: [bytes("first"), bytes("second")], changedSeconds: nil)
        #expect(try restore(backup(["third": past])) == RestoreCounts(added: 1))
        let told = target.recorder.changes.map { change -> String? in
            switch change {
            case .added(let item), .edited(_, let item): item.secretText
            case .renamed, .deleted: nil
            }
        }
        #expect(told == ["first", "second", "third"])
        #expect(try secrets("s") == ["third"])
    }

    /// The item's own dates do not show when another device set the secret.
    @Test
    func `a secret stays if the account knows that it is newer`() throws {
        source.clock.seconds += 10
        try source.add("s", secret: "there", sync: true)
        try target.add("s", secret: "here", sync: true)
        let items = try backup()
        let past = ItemPast(secrets: [], changedSeconds: source.clock.seconds + 5)
        #expect(try restore(items, past: past) == RestoreCounts(kept: 1))
        #expect(try secrets("s") == ["here"])
    }

    @Test
    func `a restored tombstone deletes an older item`() throws {
        try target.add("s", sync: true)
        try source.add("s", sync: true)
        source.clock.seconds += 10
        #expect(try source.keychain.delete(source.query("s")) == 1)
        let items = try backup()
        #expect(items.count == 1)
        #expect(try restore(items) == RestoreCounts(replaced: 1))
        #expect(try secrets("s") == [])
        guard case .deleted = target.recorder.changes.last else {
            Issue.record("the others are not told")
            return
        }
        // An item that was added again since stays.
        target.clock.seconds += 100
        try target.add("s", secret: "again", sync: true)
        #expect(try restore(items) == RestoreCounts(kept: 1))
        #expect(try secrets("s") == ["again"])
    }

    @Test
    func `a restore that fails in the middle changes nothing`() throws {
        try source.add("a")
        try source.add("s", sync: true)
        let items = try backup()
        target.recorder.refuses = true
        #expect(throws: KeychainError.refused) { try restore(items) }
        #expect(try target.count("genp") == 0)
    }

    @Test
    func `a backup fails if an item is locked`() throws {
        try source.add("a")
        source.sealing.lock(.whenUnlocked)
        #expect(throws: KeychainError.interactionNotAllowed) { try backup() }
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
    func `a newer version from a backup brings its history`() throws {
        try target.add("s", secret: "here", sync: true)
        source.clock.seconds += 10
        try source.add("s", secret: "there", sync: true)
        let before = target.recorder.changes.count
        let past = ItemPast(secrets: [bytes("once there")], changedSeconds: nil)
        #expect(try restore(backup(["there": past])) == RestoreCounts(replaced: 1))
        let told = target.recorder.changes.dropFirst(before).compactMap { change -> String? in
            guard case .edited(_, let after) = change else { return nil }
            return after.secretText
        }
        #expect(told == ["once there", "here", "there"])
        #expect(try secrets("s") == ["there"])
    }

    @Test
    func `a restored tombstone without an item is not recorded`() throws {
        try source.add("s", sync: true)
        try source.keychain.delete(source.query("s"))
        let items = try backup()
        #expect(try restore(items) == RestoreCounts(added: 1))
        #expect(target.recorder.changes.isEmpty)

        // A newer tombstone in place of an older one is not recorded either.
        source.clock.seconds += 10
        try source.add("s", secret: "again", sync: true)
        source.clock.seconds += 10
        try source.keychain.delete(source.query("s"))
        _ = try restore(backup())
        #expect(target.recorder.changes.isEmpty)
        #expect(try secrets("s") == [])
    }

    @Test
    func `a restored item gets a new reference if another item has its own`() throws {
        try source.add("a")
        let items = try backup()
        _ = try restore(items)
        let reference = try target.find(target.query("a")).first?.persistentReference
        let changes = ItemChanges(attributes: [.service: .string("b")])
        try target.keychain.update(target.query("a"), changes)
        #expect(try restore(items) == RestoreCounts(added: 1))
        #expect(try target.find(target.query("b")).first?.persistentReference == reference)
        #expect(try target.find(target.query("a")).first?.persistentReference != reference)
    }

    @Test
    func `a backup's item replaces a damaged one, which is quarantined`() throws {
        try source.add("a", secret: "whole")
        try target.add("a", secret: "damaged")
        try target.execute("UPDATE genp SET secret = zeroblob(50)")
        #expect(try restore(backup()) == RestoreCounts(added: 1))
        #expect(try secrets("a") == ["whole"])
        #expect(try target.keychain.inspect().quarantined.count == 1)
    }

    @Test
    func `a time that is not a number is refused`() throws {
        try source.add("a")
        let item = try #require(try backup().first?.item)
        for seconds in [Double.nan, .infinity] {
            let backup = BackupItem(item: item, changedSeconds: seconds, history: [])
            #expect(throws: KeychainError.decode) { try BackupItem(decoding: backup.encoded) }
        }
    }

    @Test
    func `a backup item that was cut or extended is refused`() throws {
        try source.add("a")
        let encoded = try #require(try backup().first?.encoded)
        for count in 0..<encoded.count {
            #expect(throws: KeychainError.self) {
                try BackupItem(decoding: Array(encoded.prefix(count)))
            }
        }
        #expect(throws: KeychainError.decode) { try BackupItem(decoding: encoded + [0]) }
    }
}
