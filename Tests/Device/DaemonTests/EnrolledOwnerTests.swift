import KSDeviceKeys
import Foundation
import GRDB
import KSAgent
import KSImporting
import KSKeychain
import KSKeychainFiles
import KSSealing
import Logging
import KSSyncEngine
import Testing

import KSDaemon

/// Calls on items of a device that belongs to an account.
struct EnrolledOwnerTests {
    private static let access = KeychainFile.access
    private let passcode = Array("2580".utf8)

    private func plan(_ rows: String) throws -> ImportPlan {
        try ImportPlan(
            bytes: Array(("name,url,username,password,note\n" + rows).utf8),
            format: nil
        )
    }

    private func login(_ server: String, of device: EnrolledOwner) async throws -> Item {
        try #require(try await device.owner.synchronized(place: server, account: "me").first)
    }

    private func secret(_ server: String, of device: EnrolledOwner) async throws -> String {
        let query = try KeychainQuery(
            ["class": "inet", "attributes": ["srvr": .string(server)], "wantsSecret": true],
            access: Self.access
        )
        let found = try await device.owner.find(query)
        return String(decoding: found.first?.secret ?? [], as: UTF8.self)
    }

    @Test
    func `an import puts the file's other password into the history, and once only`() async throws {
        let device = try await EnrolledOwner()
        let old = try plan("a,https://a.example,me,newer,\n")
        _ = try await device.owner.add(old.items[...], isDryRun: false)
        let export = try plan("a,https://a.example,me,older,\n")
        let dry = try await device.owner.add(export.items[...], isDryRun: true)
        #expect(dry == ImportCounts.with { $0.kept = 1 })
        #expect(try await device.history(of: login("a.example", of: device)) == ["newer"])

        #expect(try await device.owner.add(export.items[...], isDryRun: false) == dry)
        #expect(try await secret("a.example", of: device) == "newer")
        let history = try await device.history(of: login("a.example", of: device))
        #expect(history.first == "newer" && history.contains("older"))

        for file in [old, export] {
            let again = try await device.owner.add(file.items[...], isDryRun: false)
            #expect(again == ImportCounts.with { $0.unchanged = 1 })
        }
        #expect(try await device.history(of: login("a.example", of: device)) == history)
    }

    @Test
    func `of two passwords in a file the first is current, the second in the history`()
        async throws
    {
        let device = try await EnrolledOwner()
        let file = try plan("a,https://a.example,me,first,\na,https://a.example,me,second,\n")
        #expect(
            try await device.owner.add(file.items[...], isDryRun: false)
                == ImportCounts.with { $0.added = 1 }
        )
        #expect(try await secret("a.example", of: device) == "first")
        #expect(
            try await device.history(of: login("a.example", of: device)) == ["first", "second"]
        )
    }

    @Test
    func `an import names the passwords for which the history has no room`() async throws {
        let device = try await EnrolledOwner()
        let rows = (0..<25).map { "a,https://a.example,me,secret \($0),\n" }
        let file = try plan(rows.joined())
        let dry = try await device.owner.add(file.items[...], isDryRun: true)
        let counts = try await device.owner.add(file.items[...], isDryRun: false)
        #expect(counts == dry && counts.added == 1)
        let history = try await device.history(of: login("a.example", of: device))
        #expect(history == (0..<21).map { "secret \($0)" })
        #expect(counts.beyondHistory == Array(23...26))
    }

    @Test
    func `an import reports a row that a local item prevents, and adds the others`()
        async throws
    {
        let device = try await EnrolledOwner()
        let rows = "a,https://a.example,me,one,\nb,https://b.example,me,two,\n"
        let file = try plan(rows)
        var bound = try Item(#require(file.items.first))
        bound.attributes[.accessible] = .string(
            ProtectionClass.whenUnlockedThisDeviceOnly.letters
        )
        bound.secret = Array("stays here".utf8)
        let item = bound
        try await device.owner.with { keychain in
            try keychain.write { database in
                _ = try keychain.add(item, access: Self.access, in: database)
            }
        }
        let counts = try await device.owner.add(file.items[...], isDryRun: false)
        #expect(counts == ImportCounts.with { ($0.added, $0.taken) = (1, [2]) })
        #expect(try await secret("a.example", of: device) == "stays here")
        #expect(try await secret("b.example", of: device) == "two")
    }

    @Test
    func `locking wipes the account's keys, unlocking brings them back`() async throws {
        let device = try await EnrolledOwner()
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let lock = try DeviceLock(
            owner: device.owner,
            accounts: AccountKeeper(owner: device.owner, logger: logger),
            settings: SettingsFile(path: nil),
            logger: logger
        )
        let ring = try #require(await device.owner.keys).keyRing
        #expect(!ring.isLocked)
        await lock.lock()
        #expect(ring.isLocked)
        try await lock.unlock(passcode: nil)
        #expect(!ring.isLocked)

        try await lock.setPasscode(passcode)
        await lock.lock()
        await #expect(throws: SealingError.wrongPasscode) {
            try await lock.unlock(passcode: Array("2581".utf8))
        }
        #expect(ring.isLocked)
        try await lock.changePasscode(from: passcode, to: Array("0852".utf8))
        #expect(!ring.isLocked)
    }

    /// The change could not be recorded for the account: the outbox's keys are not there.
    @Test
    func `before the first unlock no synchronized item is changed`() async throws {
        let device = try await EnrolledOwner()
        try device.files.keys.setPasscode(passcode)
        device.files.keys.reboot()
        let started = try KeychainOwner(files: device.files)
        #expect(try await started.resume() == nil)
        let request = try ItemAddRequest([
            "class": "genp", "secret": .data([1]), "synchronizable": true,
            "attributes": [
                "svce": "wifi", "acct": "me", "pdmn": .string(ProtectionClass.always.letters),
            ],
        ])
        await #expect(throws: ItemStoreError.interactionNotAllowed) {
            try await started.add(request, access: Self.access)
        }
        try device.files.keys.unlock(passcode: passcode)
        #expect(try await started.takeUnlock() != nil)
        try await started.add(request, access: Self.access)
    }

    @Test
    func `a backup carries the history, in its order`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        // A leftover temporary folder does no harm.
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "backup").path()
        let passphrase = Array("correct horse".utf8)

        let device = try await EnrolledOwner()
        for secret in ["one", "two", "three"] {
            let request = try ItemAddRequest([
                "class": "inet", "secret": .data(Array(secret.utf8)), "synchronizable": true,
                "attributes": ["srvr": "a.example", "acct": "me"], "update": true,
                "match": ["srvr": "a.example", "acct": "me"],
            ])
            try await device.owner.add(request, access: Self.access)
        }
        let history = try await device.history(of: login("a.example", of: device))
        #expect(history == ["three", "two", "one"])
        #expect(try await device.owner.backUp(to: path, passphrase: passphrase).items == 1)

        let other = try await EnrolledOwner()
        let counts = try await other.owner.restore(
            from: path,
            passphrase: passphrase,
            undeletes: false
        )
        #expect(counts.items.added == 1 && counts.items.leftOut.sum == 0)
        #expect(try await other.history(of: login("a.example", of: other)) == history)
    }

    @Test
    func `a home that lost a key file says so, and makes no new one`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        // A leftover temporary folder does no harm.
        defer { try? FileManager.default.removeItem(at: folder) }
        let home = try AgentHome(argument: folder.path())
        try DeviceFiles(home: home).close()
        for name in KeyFileName.allCases where name != .devicePins {
            let file = folder.appending(path: name.rawValue)
            let bytes = try Data(contentsOf: file)
            try FileManager.default.removeItem(at: file)
            #expect(throws: SealingError.keyFileMissing(name)) { _ = try DeviceFiles(home: home) }
            #expect(!FileManager.default.fileExists(atPath: file.path()))
            try bytes.write(to: file)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600],
                ofItemAtPath: file.path()
            )
        }
        try DeviceFiles(home: home).close()
    }
}
