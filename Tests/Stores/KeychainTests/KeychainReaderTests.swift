import Foundation
import GRDB
import KSKeychain
import KSKeychainTestSupport
import KSTestSupport
import Testing

/// Searches over a connection beside the one that changes the keychain.
final class KeychainReaderTests {
    private let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).db"
    private let fixture: Fixture
    private let reader: KeychainReader

    init() throws {
        fixture = try Fixture(path: path)
        reader = KeychainReader(
            database: try KeychainDatabase.openReading(path: path),
            sealing: fixture.sealing,
            clock: { 0 },
            random: SeededRandomSource(seed: 1),
            othersWrite: true
        )
    }

    deinit {
        for suffix in ["", "-wal", "-shm"] {
            // A leftover temporary folder does no harm.
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private func secrets(_ query: KeychainQuery) throws -> [String?] {
        try reader.find(query).items.map(\.secretText)
    }

    @Test
    func `a search sees every commit of the other connection, however often it is repeated`()
        throws
    {
        var one = fixture.query("mail", synchronizable: .no)
        one.limit = 1
        let any = fixture.query("mail")
        #expect(try secrets(one).isEmpty)
        try fixture.add("mail", secret: "first")
        for _ in 0..<3 { #expect(try secrets(one) == ["first"] && secrets(any) == ["first"]) }
        try fixture.keychain.update(one, ItemChanges(secret: bytes("second")))
        for _ in 0..<3 { #expect(try secrets(one) == ["second"] && secrets(any) == ["second"]) }
        try fixture.keychain.delete(one)
        for _ in 0..<3 { #expect(try secrets(one).isEmpty && secrets(any).isEmpty) }
    }

    @Test
    func `a search sees nothing of a transaction that is not committed`() throws {
        try fixture.add("mail", secret: "first")
        try fixture.keychain.write { database in
            try fixture.keychain.delete(fixture.query("mail"), in: database)
            #expect(try secrets(fixture.query("mail")) == ["first"])
        }
        #expect(try secrets(fixture.query("mail")).isEmpty)
    }

    @Test
    func `a search of all items shows one moment, whatever is changed meanwhile`() throws {
        try fixture.add("mail", "local", secret: "of this device")
        try fixture.add("mail", "synced", secret: "of all devices", sync: true)
        var hasChanged = false
        let found = try reader.find(fixture.query("mail")) { _ in
            guard !hasChanged else { return true }
            hasChanged = true
            // Moved to a place that the search has passed.
            try fixture.keychain.delete(fixture.query("mail", synchronizable: .yes))
            try fixture.add("mail", "synced", secret: "moved")
            return true
        }
        #expect(found.items.map(\.secretText) == ["of this device", "of all devices"])
        #expect(try secrets(fixture.query("mail")) == ["of this device", "moved"])
    }

    @Test
    func `an unreadable row is left out, reported and not moved`() throws {
        let item = try fixture.add("mail")
        try fixture.execute("UPDATE genp SET secret = x'00'")
        let found = try reader.find(fixture.query("mail"))
        #expect(found.items.isEmpty)
        #expect(found.unreadable.map(\.persistentReference) == [item.persistentReference])
        #expect(reader.unreadableRows == found.unreadable)
        #expect(try fixture.count("genp") == 1)
    }
}
