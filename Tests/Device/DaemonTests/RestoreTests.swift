import Foundation
import GRDB
import KSAgent
import KSCausality
import KSDaemon
import KSKeychain
import KSKeychainFiles
import KSKeyValueRecords
import KSKeyValues
import KSKeychainRecords
import KSRecords
import KSResolution
import KSDeviceKeys
import KSSyncEngine
import Testing

/// A device's own backup, on devices with an account and without one.
final class RestoreTests {
    private let folder: URL
    private let passphrase = Array("correct horse".utf8)
    private let store: StoreIdentifier

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        store = try #require(StoreIdentifier("app"))
    }

    deinit {
        // A leftover temporary folder does no harm.
        try? FileManager.default.removeItem(at: folder)
    }

    private func newOwner() throws -> KeychainOwner {
        try KeychainOwner(files: try DeviceFiles(storage: MemoryKeyFiles()))
    }

    private func save(_ secret: String, on owner: KeychainOwner, sync: Bool = true) async throws {
        let request = try ItemAddRequest([
            "class": "inet", "secret": .data(Array(secret.utf8)), "synchronizable": .bool(sync),
            "attributes": ["srvr": "a.example", "acct": "me"], "update": true,
            "match": ["srvr": "a.example", "acct": "me"],
        ])
        try await owner.add(request, access: KeychainFile.access)
    }

    private func secret(on owner: KeychainOwner) async throws -> String? {
        let query = try KeychainQuery(
            ["class": "inet", "attributes": ["srvr": "a.example"], "wantsSecret": true],
            access: KeychainFile.access
        )
        return try await owner.find(query).first?.secret.map { String(decoding: $0, as: UTF8.self) }
    }

    private func item(on owner: KeychainOwner) async throws -> Item {
        try #require(try await owner.synchronized(place: "a.example", account: "me").first)
    }

    private func write(_ write: EntryWrite, on owner: KeychainOwner) async throws {
        let refusals = try await owner.withKeyValues { [store] in
            try $0.write([KeyWrite(key: "k", .write(write))], to: store)
        }
        #expect(refusals.isEmpty)
    }

    private func value(on owner: KeychainOwner) async throws -> PropertyValue? {
        try await owner.keyValues(of: store).first?.value
    }

    private func backUp(_ owner: KeychainOwner, _ name: String) async throws {
        let path = folder.appending(path: name).path()
        _ = try await owner.backUp(to: path, passphrase: passphrase)
    }

    private func restore(
        _ name: String,
        on owner: KeychainOwner,
        undeletes: Bool = false
    ) async throws -> Restored {
        let counts = try await owner.restore(
            from: folder.appending(path: name).path(),
            passphrase: passphrase,
            undeletes: undeletes
        )
        return Restored(items: counts.items, entries: counts.entries)
    }

    private func counts(_ change: (inout RestoreCounts) -> Void) -> RestoreCounts {
        var counts = RestoreCounts()
        change(&counts)
        return counts
    }

    @Test
    func `without an account an earlier secret waits for the history of one`() async throws {
        let owner = try newOwner()
        try await save("one", on: owner)
        try await backUp(owner, "first")
        try await save("two", on: owner)
        try await backUp(owner, "second")
        try await save("three", on: owner)
        for name in ["first", "second", "first"] {
            #expect(try await restore(name, on: owner).items == counts { $0.unchanged = 1 })
        }
        #expect(try await secret(on: owner) == "three")

        let enrollment = try EnrolledOwner.enrollment()
        _ = try await owner.join(enrollment)
        let device = await EnrolledOwner(of: owner)
        #expect(try await device.history(of: item(on: owner)) == ["three", "two", "one"])

        // Another device of the account joins the same from both files.
        let other = try newOwner()
        #expect(try await restore("second", on: other).items == counts { $0.added = 1 })
        #expect(try await restore("first", on: other).items == counts { $0.unchanged = 1 })
        #expect(try await secret(on: other) == "two")
        _ = try await other.join(enrollment)
        let history = try await EnrolledOwner(of: other).history(of: item(on: other))
        #expect(history == ["two", "one"])
    }

    @Test
    func `an older secret than the backup's stays beside it`() async throws {
        let (owner, other) = (try newOwner(), try newOwner())
        try await save("here", on: other)
        try await save("there", on: owner)
        try await backUp(owner, "backup")
        #expect(try await restore("backup", on: other).items == counts { $0.joined = 1 })
        #expect(try await restore("backup", on: other).items == counts { $0.unchanged = 1 })
        let first = try #require(try await secret(on: other))
        _ = try await other.join(try EnrolledOwner.enrollment())
        let history = try await EnrolledOwner(of: other).history(of: item(on: other))
        #expect(history.first == first && Set(history) == ["here", "there"])
    }

    @Test
    func `an item that is deleted after its restore stays away from the account`() async throws {
        let (owner, other) = (try newOwner(), try newOwner())
        try await save("one", on: owner)
        try await backUp(owner, "backup")
        _ = try await restore("backup", on: other)
        let query = KeychainQuery(exactly: try await item(on: other), access: KeychainFile.access)
        _ = try await other.with { try $0.delete(query) }
        _ = try await other.join(try EnrolledOwner.enrollment())
        #expect(try await other.files.database.read { try Departure.unsentCount(in: $0) } == 0)
        #expect(try await restore("backup", on: other).items == counts { $0.added = 1 })
    }

    @Test
    func `counters and lists count once, before and after a login`() async throws {
        let (owner, other) = (try newOwner(), try newOwner())
        try await write(.increment(by: 4), on: owner)
        try await backUp(owner, "first")
        try await write(.increment(by: 1), on: owner)
        try await backUp(owner, "second")
        for name in ["second", "first", "second"] { _ = try await restore(name, on: other) }
        #expect(try await value(on: other) == .integer(5))
        try await write(.increment(by: 10), on: other)
        let enrollment = try EnrolledOwner.enrollment()
        for device in [owner, other] { _ = try await device.join(enrollment) }
        #expect(try await restore("first", on: other).entries == counts { $0.unchanged = 1 })
        try await backUp(other, "of both")
        #expect(try await restore("of both", on: owner).entries == counts { $0.joined = 1 })
        for device in [owner, other] {
            #expect(try await value(on: device) == .integer(15))
        }
        #expect(try await restore("of both", on: owner).entries == counts { $0.unchanged = 1 })
    }

    @Test
    func `a device that has left its account with its items counts once too`() async throws {
        let enrollment = try EnrolledOwner.enrollment()
        let device = try await EnrolledOwner(enrollment)
        let owner = device.owner
        try await write(.increment(by: 4), on: owner)
        for secret in ["one", "two"] { try await save(secret, on: owner) }
        try await backUp(owner, "before")
        _ = try await owner.leave(keepsItems: true, discardsUnsent: true)
        try await backUp(owner, "after")
        for name in ["before", "after"] {
            let restored = try await restore(name, on: owner)
            #expect(restored.items == counts { $0.unchanged = 1 })
            #expect(restored.entries == counts { $0.unchanged = 1 })
        }
        try await write(.increment(by: 1), on: owner)
        for joined in [enrollment, try EnrolledOwner.enrollment()] {
            _ = try await owner.join(joined)
            #expect(try await value(on: owner) == .integer(5))
            #expect(try await device.history(of: item(on: owner)) == ["two", "one"])
            for name in ["before", "after"] {
                #expect(try await restore(name, on: owner).entries == counts { $0.unchanged = 1 })
            }
            _ = try await owner.leave(keepsItems: true, discardsUnsent: true)
        }
    }

    @Test
    func `of an item of this device alone the newer version stays`() async throws {
        let (owner, other) = (try newOwner(), try newOwner())
        try await save("older", on: owner, sync: false)
        try await backUp(owner, "backup")
        #expect(try await restore("backup", on: other).items == counts { $0.added = 1 })
        try await save("newer", on: owner, sync: false)
        let restored = try await restore("backup", on: owner)
        #expect(restored.items == counts { $0.leftOut.newerHere = 1 })
        #expect(restored.notRestored == 0)
        #expect(try await secret(on: owner) == "newer")
    }

    @Test
    func `a device that was put back takes a new actor before it restores its backup`()
        async throws
    {
        let device = try await EnrolledOwner()
        let enrolled = try #require(try await device.owner.resume())
        _ = try await device.owner.makeReplica(of: enrolled)
        try await save("one", on: device.owner)
        func actor() async throws -> ActorID? {
            try await device.files.database.read { try SyncStateTable.load(from: $0)?.actor }
        }
        let before = try #require(try await actor())
        try await backUp(device.owner, "backup")
        _ = try await restore("backup", on: device.owner)
        #expect(try await actor() == before)

        let stamp = Stamp(time: HybridTime(rawValue: 9_000_000_000_000 << 16), actor: before)
        let later = try BackupRecord.of(await item(on: device.owner), stamp)
        try BackupFile.write(
            [later.encoded],
            to: folder.appending(path: "later").path(),
            passphrase: passphrase,
            random: device.files.random
        )
        _ = try await restore("later", on: device.owner)
        #expect(try await actor() != before)
    }
}

extension BackupRecord {
    /// A record of an item with another secret, all under one stamp.
    fileprivate static func of(_ item: Item, _ stamp: Stamp) throws -> BackupRecord {
        var item = item
        item.secret = Array("later".utf8)
        var record = LocalRecord()
        record.create(item.values, atMilliseconds: 1)
        let state = record.stampUnsent { _, _ in stamp }
        return BackupRecord(kind: .keychain, state: try #require(state))
    }
}
