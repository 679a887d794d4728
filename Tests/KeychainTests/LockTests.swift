import Digests
import GRDB
import Keychain
import Primitives
import Sealing
import TestSupport
import Testing

/// A keychain over real keys, which are locked and unlocked under it.
struct LockTests {
    private let random = SeededRandomSource(seed: 31)
    private let keyFile: LocalKeyFile
    private let database: DatabaseQueue
    private let keychain: Keychain
    private let access = CallerAccess.groups(["app.one", "shared"])
    private let passcode = Array("1234".utf8)

    init() throws {
        keyFile = try LocalKeyFile.open(
            storage: MemoryKeyFiles(),
            random: random,
            mayCreate: true,
            passcodeCost: .simulation
        )
        try keyFile.setPasscode(passcode)
        database = try KeychainDatabase.openInMemory()
        keychain = Keychain(
            database: database,
            sealing: LocalRowSealing(keyFile, random: random),
            digesting: LocalSearchDigesting(keyFile),
            clock: { 1_750_000_000 },
            random: random
        )
    }

    private func add(_ account: String, _ accessible: String) throws {
        let attributes: [AttributeName: AttributeValue] = [
            .service: .string("s"), .account: .string(account), .accessible: .string(accessible),
        ]
        try keychain.add(
            Item(.genericPassword, attributes: attributes, secret: Array(account.utf8)),
            access: access
        )
    }

    private func query(_ account: String? = nil, limit: Int? = nil) -> ItemQuery {
        var attributes: [AttributeName: AttributeValue] = [.service: .string("s")]
        if let account { attributes[.account] = .string(account) }
        return ItemQuery(
            .genericPassword,
            attributes: attributes,
            synchronizable: .any,
            access: access,
            limit: limit,
            wantsSecret: true
        )
    }

    private func status(_ account: String) -> Int32 {
        do {
            let found = try keychain.find(query(account, limit: 1)).items
            return found.first?.secret == Array(account.utf8)
                ? 0 : KeychainError.itemNotFound.status
        } catch {
            return error.status
        }
    }

    private static let classes = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]

    private func statuses() -> [Int32] { Self.classes.map(status) }

    @Test
    func `each class is readable when it says`() throws {
        for name in Self.classes { try add(name, name) }
        #expect(statuses() == [0, 0, 0, 0, 0, 0, 0])
        keyFile.lock()
        #expect(statuses() == [-25308, 0, 0, -25308, 0, 0, -25308])
        keyFile.reboot()
        #expect(statuses() == [-25308, -25308, 0, -25308, -25308, 0, -25308])
        try keyFile.unlock(passcode: passcode)
        #expect(statuses() == [0, 0, 0, 0, 0, 0, 0])
        try keyFile.removePasscode(passcode)
        #expect(statuses() == [0, 0, 0, 0, 0, 0, -25300])
        #expect(throws: KeychainError.passcodeNotSet) { try add("new", "akpu") }
        #expect(KeychainError.passcodeNotSet.status == -25293)
    }

    @Test
    func `an item that went with the passcode can be added anew`() throws {
        try add("a", "akpu")
        try keyFile.removePasscode(passcode)
        try keyFile.setPasscode(passcode)
        #expect(status("a") == -25300)
        try add("a", "akpu")
        #expect(status("a") == 0)
    }

    @Test
    func `before the first unlock a list with anything hidden fails`() throws {
        try add("d1", "dk")
        try add("d2", "dku")
        keyFile.reboot()
        #expect(try keychain.find(query()).items.count == 2)
        #expect(status("nobody") == -25300)
        try keyFile.unlock(passcode: passcode)
        try add("a", "ak")
        keyFile.reboot()
        #expect(throws: KeychainError.interactionNotAllowed) { try keychain.find(query()) }
        // It may or may not be one of those that cannot be searched.
        #expect(status("nobody") == -25308)
        #expect(status("d1") == 0)
        #expect(throws: KeychainError.interactionNotAllowed) { try add("d3", "dk") }
        #expect(throws: KeychainError.interactionNotAllowed) {
            try keychain.update(query("d1"), ItemChanges(secret: [1]))
        }
    }

    @Test
    func `before the first unlock an item of another group stays unseen`() throws {
        try add("d", "dk")
        keyFile.reboot()
        let other = ItemQuery(
            .genericPassword,
            attributes: [.service: .string("s")],
            synchronizable: .any,
            access: .groups(["app.two"])
        )
        #expect(try keychain.find(other).items.isEmpty)
    }

    @Test
    func `the second search columns follow every change`() throws {
        try add("d", "dk")
        try keychain.update(query("d"), ItemChanges(attributes: [.account: .string("e")]))
        keyFile.reboot()
        #expect(try keychain.find(query("e", limit: 1)).items.count == 1)
        #expect(status("d") == -25300)
        try keyFile.unlock(passcode: passcode)
        try keychain.update(query("e"), ItemChanges(attributes: [.accessible: .string("ck")]))
        #expect(try digestCount() == 0)
        try keychain.update(query("e"), ItemChanges(attributes: [.accessible: .string("dk")]))
        #expect(try digestCount() > 0)
        keyFile.reboot()
        #expect(try keychain.delete(query("e", limit: 1)) == 1)
        #expect(try digestCount() == 0)
    }

    private func digestCount() throws -> Int {
        try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM always_digest") ?? 0 }
    }

    @Test
    func `rows of an older version get their second search columns`() throws {
        try add("d", "dk")
        try add("a", "ak")
        try database.write { try $0.execute(sql: "DELETE FROM always_digest") }
        keyFile.reboot()
        #expect(status("d") == -25308)
        try keyFile.unlock(passcode: passcode)
        try keychain.completeAlwaysDigests()
        keyFile.reboot()
        #expect(status("d") == 0)
    }

    @Test
    func `an inspection counts what is well, locked, damaged and set aside`() throws {
        try add("d", "dk")
        try add("a", "ak")
        try add("b", "ck")
        #expect(try keychain.inspect().readable == 3)
        try database.write {
            try $0.execute(sql: "UPDATE genp SET secret = zeroblob(50) WHERE pdmn = 'ck'")
        }
        keyFile.lock()
        let inspection = try keychain.inspect()
        #expect(inspection.damages.isEmpty)
        #expect(inspection.readable == 1 && inspection.locked == 1)
        #expect(inspection.unreadable.count == 1 && inspection.quarantined.isEmpty)
        try add("b", "ck")
        #expect(try keychain.inspect().quarantined.map(\.table) == ["genp"])
    }
}
