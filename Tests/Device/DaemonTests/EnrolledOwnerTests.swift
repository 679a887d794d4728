import KSDeviceKeys
import Foundation
import GRDB
import KSAgent
import KSKeychain
import KSKeychainFiles
import KSMoving
import KSSealing
import Logging
import KSSyncEngine
import Synchronization
import Testing

import KSDaemon

/// Calls on items of a device that belongs to an account.
struct EnrolledOwnerTests {
    private static let access = KeychainFile.access
    private let passcode = Array("2580".utf8)

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
        let old = "a,https://a.example,me,newer,\n"
        _ = try await device.owner.take(rows: old)
        let export = "a,https://a.example,me,older,\n"
        let dry = try await device.owner.take(rows: export, dryRun: true)
        #expect(dry.shown == "0 0 0 1 2 earlier")
        #expect(try await device.history(of: login("a.example", of: device)) == ["newer"])

        #expect(try await device.owner.take(rows: export).shown == dry.shown)
        #expect(try await secret("a.example", of: device) == "newer")
        let history = try await device.history(of: login("a.example", of: device))
        #expect(history.first == "newer" && history.contains("older"))

        for file in [old, export] {
            #expect(try await device.owner.take(rows: file).shown == "0 0 1 0")
        }
        #expect(try await device.history(of: login("a.example", of: device)) == history)
    }

    @Test
    func `a file that lacks the kind of a field, or ends a site with a slash, changes nothing`()
        async throws
    {
        let device = try await EnrolledOwner()
        func take(_ kind: String, _ value: String, at address: String) async throws -> String {
            var entry = Entry()
            (entry.title, entry.userName, entry.secret) = ("A", "me", Array("one".utf8))
            entry.addresses = [.init(address)]
            entry.fields = [.init("pin", kind, text: value)]
            var read = ReadEntries(format: "test")
            read.append(entry, number: 1)
            let placing = EntryPlacing(read)
            let call = ImportEntries(entries: Array(placing.entries), numbers: [1])
            return try await device.owner.take(call).shown
        }
        #expect(try await take("secret", "7755", at: "https://a.example") == "1 0 0 0")
        #expect(try await take("text", "7755", at: "https://a.example/") == "0 0 1 0")
        #expect(try await take("text", "1234", at: "https://a.example") == "0 0 0 1 1 earlier")
        #expect(try await take("secret", "1234", at: "https://a.example") == "0 0 1 0")
        // An address with a path says more than the site.
        #expect(try await take("secret", "7755", at: "https://a.example/login") == "0 1 0 0")
        #expect(try await take("secret", "7755", at: "https://a.example/login/") == "0 0 1 0")
    }

    @Test
    func `a file without realms means the login of a realm that has its password`() async throws {
        let device = try await EnrolledOwner()
        func take(_ realm: String?, _ password: String) async throws -> String {
            var entry = Entry()
            (entry.title, entry.userName, entry.realm) = ("r.example", "admin", realm)
            entry.secret = Array(password.utf8)
            entry.addresses = [.init("http://r.example:8080/")]
            var read = ReadEntries(format: "test")
            read.append(entry, number: 1)
            let call = ImportEntries(entries: Array(EntryPlacing(read).entries), numbers: [1])
            return try await device.owner.take(call).shown
        }
        for realm in ["Router", "Switch"] { #expect(try await take(realm, realm) == "1 0 0 0") }
        #expect(try await take(nil, "Router") == "0 0 1 0")
        #expect(try await take(nil, "Switch") == "0 0 1 0")
        // Both in one file, of which the second gets another place.
        let rows = ["Router", "Switch"].map { "r,http://r.example:8080/,admin,\($0),\n" }
        #expect(try await device.owner.take(rows: rows.joined()).added == 0)
        // Which of them has another one is not known.
        #expect(try await take(nil, "new") == "1 0 0 0")
        // Realms with one password stay apart, and then nothing says which one it is.
        #expect(try await take("Third", "Router") == "1 0 0 0")
        #expect(try await take("Router", "Router") == "0 0 1 0")
        // A new password is that of the realm which the file names.
        #expect(try await take("Switch", "newer").hasPrefix("0 "))
    }

    @Test
    func `two passwords of one site and user in a file without times are two items`()
        async throws
    {
        let device = try await EnrolledOwner()
        let rows = "a,https://a.example,me,first,\na,https://a.example,me,second,\n"
        #expect(try await device.owner.take(rows: rows).shown == "2 0 0 0")
        #expect(try await secret("a.example", of: device) == "first")
        #expect(try await device.owner.take(rows: rows).shown == "0 0 2 0")
    }

    @Test
    func `logins of one site and user keep their own passwords, whatever a file has of them`()
        async throws
    {
        let device = try await EnrolledOwner()
        func row(_ path: String, _ password: String) -> String {
            "git,https://git.example\(path),ann,\(password),\n"
        }
        func take(_ rows: String) async throws -> String {
            try await device.owner.take(rows: rows).shown
        }
        func passwords() async throws -> [String] {
            var secrets: [String] = []
            for itemClass in ["inet", "genp"] {
                let query = try KeychainQuery(
                    [
                        "class": .string(itemClass), "attributes": ["acct": .string("ann")],
                        "wantsSecret": true,
                    ],
                    access: Self.access
                )
                secrets += try await device.owner.find(query).map {
                    String(decoding: $0.secret ?? [], as: UTF8.self)
                }
            }
            return secrets.sorted()
        }
        let (first, second) = (row("/a", "AAA"), row("/b", "BBB"))
        #expect(try await take(first + second) == "2 0 0 0")
        // In another order, and without one of them.
        // One of them may get an address, and neither another password.
        #expect(try await take(second + first).hasSuffix(" 0"))
        #expect(try await passwords() == ["AAA", "BBB"])
        #expect(try await take(second + first) == "0 0 2 0")
        #expect(try await take(second) == "0 0 1 0")
        // Another password of the second one, which its address tells.
        #expect(try await take(row("/b", "later")) == "0 0 0 1 2 earlier")
        #expect(try await passwords() == ["AAA", "BBB"])
        // It is in the history of that one alone.
        #expect(try await take(row("/b", "later")) == "0 0 1 0")
        #expect(try await take(row("/a", "AAA")) == "0 0 1 0")
        // Nothing says which of them it is.
        #expect(try await take(row("", "CCC")) == "1 0 0 0 2 other_form")
        #expect(try await passwords() == ["AAA", "BBB", "CCC"])
        #expect(try await take(first + second + row("", "CCC")) == "0 0 3 0")
    }

    @Test
    func `an import reports a row that a local item prevents, and adds the others`()
        async throws
    {
        let device = try await EnrolledOwner()
        let rows = "a,https://a.example,me,one,\nb,https://b.example,me,two,\n"
        let entry = try #require(ImportEntries(rows: rows).entries.first)
        var bound = try EntryItem(entry, number: 1).item
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
        #expect(try await device.owner.take(rows: rows).shown == "1 0 0 0 2 taken")
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
    func `a backup and a restore report how far they have come`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
        // A leftover temporary file does no harm.
        defer { try? FileManager.default.removeItem(atPath: path) }
        let passphrase = Array("correct horse".utf8)
        let device = try await EnrolledOwner()
        let rows = (0..<250).map { "a,https://a\($0).example,me,one,\n" }.joined()
        #expect(try await device.owner.take(rows: rows).added == 250)
        let reports = Mutex<[String]>([])
        let report: @Sendable (Int, Int) -> Void = { done, total in
            reports.withLock { $0.append("\(done) of \(total)") }
        }
        _ = try await device.owner.backUp(to: path, passphrase: passphrase, report: report)
        #expect(reports.withLock { $0 } == ["100 of 250", "200 of 250"])
        _ = try await device.owner.restore(
            from: path,
            passphrase: passphrase,
            undeletes: false,
            report: report
        )
        #expect(reports.withLock { $0.count } == 4)
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
