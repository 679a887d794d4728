import KSDigests
import GRDB
import KSKeychain
import KSPrimitives
import KSDeviceKeys
import KSTestSupport
import Testing

/// A keychain with real keys, which the tests lock and unlock.
struct LockTests {
    private let random = SeededRandomSource(seed: 31)
    private let keyFile: LocalKeyFile
    private let database: DatabaseQueue
    private let keychain: ItemStore
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
        keychain = ItemStore(
            database: database,
            sealing: LocalRowSealing(keyFile, random: random, isCompletedAtUnlock: true),
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

    private func query(_ account: String? = nil, limit: Int? = nil) -> KeychainQuery {
        var attributes: [AttributeName: AttributeValue] = [.service: .string("s")]
        if let account { attributes[.account] = .string(account) }
        return KeychainQuery(
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
                ? 0 : ItemStoreError.itemNotFound.status
        } catch {
            return error.status
        }
    }

    private static let classes = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]

    private func statuses() -> [Int32] { Self.classes.map(status) }

    @Test
    func `each class is readable at its times`() throws {
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
        #expect(throws: ItemStoreError.passcodeNotSet) { try add("new", "akpu") }
        #expect(ItemStoreError.passcodeNotSet.status == -25293)
    }

    @Test
    func `an item that was lost with the passcode can be added again`() throws {
        try add("a", "akpu")
        try keyFile.removePasscode(passcode)
        try keyFile.setPasscode(passcode)
        #expect(status("a") == -25300)
        try add("a", "akpu")
        #expect(status("a") == 0)
    }

    @Test
    func `before the first unlock a search that may miss an item fails`() throws {
        try add("d1", "dk")
        try add("d2", "dku")
        keyFile.reboot()
        #expect(try keychain.find(query()).items.count == 2)
        #expect(status("nobody") == -25300)
        try keyFile.unlock(passcode: passcode)
        try add("a", "ak")
        keyFile.reboot()
        #expect(throws: ItemStoreError.interactionNotAllowed) { try keychain.find(query()) }
        // It may be one of the items that cannot be searched.
        #expect(status("nobody") == -25308)
        #expect(status("d1") == 0)
        // A search that names an item finds it; the hidden items do not stop it.
        #expect(try keychain.find(query("d1")).items.count == 1)
    }

    private func unlock() throws {
        try keyFile.unlock(passcode: passcode)
        try keychain.completeAlwaysDigests()
    }

    private func rename(_ account: String, to other: String) throws {
        try keychain.update(query(account), .init(attributes: [.account: .string(other)]))
    }

    private func secret(_ account: String) throws -> [UInt8]? {
        try keychain.find(query(account, limit: 1)).items.first?.secret
    }

    @Test
    func `before the first unlock items of the Always classes are added and changed`() throws {
        try add("d1", "dk")
        try add("a", "ak")
        keyFile.reboot()
        try add("d2", "dku")
        #expect(throws: ItemStoreError.interactionNotAllowed) { try add("b", "ck") }
        #expect(throws: ItemStoreError.duplicateItem) { try add("d1", "dk") }
        #expect(throws: ItemStoreError.duplicateItem) { try add("d2", "dk") }
        #expect(throws: ItemStoreError.duplicateItem) { try rename("d1", to: "d2") }
        try keychain.update(query("d1"), ItemChanges(secret: [1]))
        try rename("d1", to: "d3")
        #expect(try secret("d3") == [1])
        #expect(status("d1") == -25308)
        for isLater in [false, true] {
            if isLater { try unlock() }
            #expect(try secret("d3") == [1])
            #expect(status("d2") == 0)
            #expect(try keychain.find(query("d2")).items.count == 1)
        }
        #expect(status("d1") == -25300)
        #expect(status("a") == 0)
        #expect(try keychain.find(query()).items.count == 3)
        #expect(throws: ItemStoreError.duplicateItem) { try add("d3", "ak") }
        #expect(try unfinishedCount() == 0)
        keyFile.reboot()
        #expect(try secret("d3") == [1])
        #expect(try keychain.delete(query("d2", limit: 1)) == 1)
        #expect(try keychain.delete(query("d3", limit: 1)) == 1)
        #expect(try digestCount() == 0)
    }

    private func unfinishedCount() throws -> Int {
        try database.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM genp WHERE mdat IS NULL") ?? 0
        }
    }

    @Test
    func `an item replaced before the first unlock is quarantined after it`() throws {
        try add("a", "ak")
        keyFile.reboot()
        try keychain.add(
            Item(
                .genericPassword,
                attributes: [
                    .service: .string("s"), .account: .string("a"), .accessible: .string("dk"),
                ],
                secret: [1]
            ),
            access: access
        )
        try unlock()
        #expect(try keychain.find(query("a")).items.map(\.secret) == [[1]])
        #expect(try keychain.inspect().quarantined.map(\.table) == ["genp"])
        // It can be restored once its key is free.
        #expect(try keychain.restoreQuarantined() == 0)
        try keychain.delete(query("a"))
        #expect(try keychain.restoreQuarantined() == 1)
        #expect(status("a") == 0)
    }

    @Test
    func `the tombstone of an Always item gives way before the first unlock too`() throws {
        try add("d", "dk")
        let first = try keychain.find(query("d")).items.first?.persistentReference
        try keychain.delete(query("d"), leavesTombstones: true)
        keyFile.reboot()
        try add("d", "dk")
        #expect(try keychain.find(query("d")).items.map(\.persistentReference) == [first])
        try unlock()
        #expect(try keychain.inspect().readable == 1)
    }

    @Test
    func `without completion at the unlock nothing is written before it`() throws {
        try add("d", "dk")
        let other = ItemStore(
            database: database,
            sealing: LocalRowSealing(keyFile, random: random),
            clock: { 1_750_000_000 },
            random: random
        )
        keyFile.reboot()
        #expect(throws: ItemStoreError.interactionNotAllowed) {
            try other.update(query("d"), ItemChanges(secret: [1]))
        }
        #expect(throws: ItemStoreError.interactionNotAllowed) {
            try other.add(
                Item(.genericPassword, attributes: [.accessible: .string("dk")]),
                access: access
            )
        }
        #expect(try unfinishedCount() == 0)
    }

    @Test
    func `before the first unlock items of other groups do not stop a search`() throws {
        try add("d", "dk")
        keyFile.reboot()
        let other = KeychainQuery(
            .genericPassword,
            attributes: [.service: .string("s")],
            synchronizable: .any,
            access: .groups(["app.two"])
        )
        #expect(try keychain.find(other).items.isEmpty)
    }

    @Test
    func `the Always digests follow every change`() throws {
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
    func `an inspection counts readable, locked, damaged and quarantined rows`() throws {
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
