import GRDB
import KSAgent
import KSKeychain
import KSKeychainFiles
import KSDeviceKeys
import Testing

import KSDaemon

/// The daemon's items, over a database in memory.
struct KeychainOwnerTests {
    private static let access = KeychainFile.access
    private static let other = CallerAccess.groups(["exe:/usr/bin/other"])

    private func owner() throws -> KeychainOwner {
        try KeychainOwner(files: DeviceFiles(storage: MemoryKeyFiles()))
    }

    private func request(
        account: String = "me",
        secret: String,
        synchronizable: Bool = false,
        update: Bool = false
    ) throws -> ItemAddRequest {
        try ItemAddRequest([
            "class": "genp", "attributes": ["svce": "wifi", "acct": .string(account)],
            "secret": .data(Array(secret.utf8)), "synchronizable": .bool(synchronizable),
            "update": .bool(update), "match": ["svce": "wifi", "acct": .string(account)],
        ])
    }

    private func query(
        _ access: CallerAccess = access,
        synchronizable: String = "any"
    ) throws -> KeychainQuery {
        try KeychainQuery(
            [
                "class": "genp", "attributes": ["svce": "wifi"], "wantsSecret": true,
                "synchronizable": .string(synchronizable),
            ],
            access: access
        )
    }

    private func secrets(_ items: [Item]) -> [String] {
        items.map { String(decoding: $0.secret ?? [], as: UTF8.self) }
    }

    @Test
    func `added items are found, a local one before a synchronized one`() async throws {
        let owner = try owner()
        try await owner.add(request(secret: "synced", synchronizable: true), access: Self.access)
        try await owner.add(request(secret: "local"), access: Self.access)
        #expect(secrets(try await owner.find(query())) == ["local", "synced"])
        #expect(secrets(try await owner.find(query(synchronizable: "yes"))) == ["synced"])
    }

    @Test
    func `adding twice is refused, unless it is to update`() async throws {
        let owner = try owner()
        try await owner.add(request(secret: "one"), access: Self.access)
        await #expect(throws: ItemStoreError.duplicateItem) {
            try await owner.add(request(secret: "two"), access: Self.access)
        }
        try await owner.add(request(secret: "three", update: true), access: Self.access)
        #expect(secrets(try await owner.find(query())) == ["three"])
    }

    @Test
    func `an update changes the item that find shows, or adds one`() async throws {
        let owner = try owner()
        let first = try request(secret: "one", synchronizable: true, update: true)
        try await owner.add(first, access: Self.access)
        try await owner.add(request(secret: "two", update: true), access: Self.access)
        let found = try await owner.find(query())
        #expect(secrets(found) == ["two"])
        #expect(found.first?.isSynchronizable == true)
    }

    @Test
    func `delete takes the first item that find shows, and returns it`() async throws {
        let owner = try owner()
        try await owner.add(request(secret: "synced", synchronizable: true), access: Self.access)
        try await owner.add(request(secret: "local"), access: Self.access)
        let deleted = try await owner.delete(query())
        #expect(!deleted.isSynchronizable)
        #expect(secrets(try await owner.find(query())) == ["synced"])
        _ = try await owner.delete(query())
        await #expect(throws: ItemStoreError.itemNotFound) { try await owner.delete(query()) }
        await #expect(throws: ItemStoreError.itemNotFound) { try await owner.find(query()) }
    }

    @Test
    func `a program sees neither the items of another nor those of keychain`() async throws {
        let owner = try owner()
        try await owner.add(request(secret: "ours"), access: Self.access)
        await #expect(throws: ItemStoreError.itemNotFound) {
            try await owner.find(query(Self.other))
        }
        await #expect(throws: ItemStoreError.itemNotFound) {
            try await owner.delete(query(Self.other))
        }
        try await owner.add(request(secret: "theirs", update: true), access: Self.other)
        #expect(secrets(try await owner.find(query(Self.other))) == ["theirs"])
        #expect(secrets(try await owner.find(query())) == ["ours", "theirs"])
    }

    @Test
    func `a row becomes an item with the attributes of a web password`() throws {
        let rows = "Shop,https://Shop.Example.org:8443/login?x=1,ada,pw 1,my note\n"
        let entry = try #require(ImportEntries(rows: rows).entries.first)
        let item = try EntryItem(entry, number: 1).item
        let attributes = item.attributes.sorted { $0.key < $1.key }
            .map { "\($0.key.text)=\($0.value)" }
        #expect(item.itemClass == .internetPassword)
        #expect(
            attributes == [
                "acct=string(\"ada\")", "agrp=string(\"keychain\")", "atyp=string(\"dflt\")",
                "icmt=string(\"my note\")", "labl=string(\"Shop\")", "path=string(\"\")",
                "port=integer(8443)", "ptcl=string(\"htps\")", "srvr=string(\"shop.example.org\")",
                "sync=integer(1)",
            ]
        )
    }

    @Test
    func `an import adds synchronized items, and a second time changes nothing`() async throws {
        let owner = try owner()
        let rows = "a,https://a.example/x,me,one,\nb,https://b.example:8443,me,two,n\n"
        #expect(try await owner.take(rows: rows, dryRun: true).shown == "2 0 0 0")
        #expect(try await owner.take(rows: rows).shown == "2 0 0 0")
        #expect(try await owner.take(rows: rows).shown == "0 0 2 0")
        let found = try await owner.synchronized(place: "b.example", account: "me")
        #expect(found.map { $0.attributes[.port] } == [.integer(8443)])
        #expect(found.map(\.accessGroup) == ["keychain"])
    }

    @Test
    func `an import keeps the existing password as the current one`() async throws {
        let owner = try owner()
        _ = try await owner.take(rows: "a,https://a.example,me,newer,\n")
        // Without an account there is no history to put it in, which is noted.
        let taken = try await owner.take(rows: "a,https://a.example,me,older,\n")
        #expect(taken.shown == "0 0 0 1 2 present")
        let query = try KeychainQuery(["class": "inet", "wantsSecret": true], access: Self.access)
        #expect(secrets(try await owner.find(query)) == ["newer"])
    }

    @Test
    func `an import reports a row that is too large, and adds the others`() async throws {
        let owner = try owner()
        let note = String(repeating: "n", count: 70 << 10)
        let rows = "a,https://a.example,me,one,\(note)\nb,https://b.example,me,two,\n"
        #expect(try await owner.take(rows: rows).shown == "1 0 0 0 2 too_large")
    }

    @Test
    func `an owner without an account has nothing to resume`() async throws {
        let files = try DeviceFiles(storage: MemoryKeyFiles())
        let owner = try KeychainOwner(files: files)
        #expect(try await owner.resume() == nil)
    }

    @Test
    func `a month after a deletion nothing is left of the item, without an account too`()
        async throws
    {
        let files = try DeviceFiles(storage: MemoryKeyFiles())
        let owner = try KeychainOwner(files: files)
        try await owner.add(request(secret: "synced", synchronizable: true), access: Self.access)
        _ = try await owner.delete(query())
        func rows(_ table: String) throws -> Int? {
            try files.database.read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)")
            }
        }
        _ = try await owner.resume()
        #expect(try rows("genp") == 1 && rows("deleted_item") == 1)
        try await files.database.write {
            try $0.execute(sql: "UPDATE deleted_item SET keptSeconds = keptSeconds - 31 * 86400")
        }
        _ = try await owner.resume()
        #expect(try rows("genp") == 0 && rows("deleted_item") == 0)
    }

    @Test
    func `a damaged item can be deleted by its name, or by the doctor`() async throws {
        let owner = try owner()
        for account in ["one", "two"] {
            try await owner.add(request(account: account, secret: "p"), access: Self.access)
        }
        try await owner.files.database.write { database in
            try database.execute(sql: "UPDATE genp SET attributes = zeroblob(60)")
        }
        await #expect(throws: ItemStoreError.decode) { try await owner.find(query()) }
        _ = try await owner.delete(query())
        #expect(try await owner.inspect().unreadable.count == 1)
        #expect(try await owner.discardDamaged() == 1)
        #expect(try await owner.inspect().unreadable.isEmpty)
        await #expect(throws: ItemStoreError.itemNotFound) { try await owner.delete(query()) }
    }

    @Test(arguments: ["secret", "attributes"])
    func `an update of an item that cannot be read adds it again`(half: String) async throws {
        let files = try DeviceFiles(storage: MemoryKeyFiles())
        let owner = try KeychainOwner(files: files)
        try await owner.add(request(secret: "one"), access: Self.access)
        try await files.database.write { database in
            try database.execute(sql: "UPDATE genp SET \(half) = zeroblob(60)")
        }
        try await owner.add(request(secret: "two", update: true), access: Self.access)
        #expect(secrets(try await owner.find(query())) == ["two"])
        let quarantine = try await files.database.read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM quarantine")
        }
        #expect(quarantine == 1)
    }
}
