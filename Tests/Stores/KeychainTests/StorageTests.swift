import Foundation
import GRDB
import KSKeychain
import KSDeviceKeys
import KSTestSupport
import Testing

/// A directory that is removed after the test.
final class Directory {
    let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        // A file left in the temporary directory does no harm.
        try? FileManager.default.removeItem(at: url)
    }

    func path(_ name: String) -> String {
        url.appending(path: name).path(percentEncoded: false)
    }

    func bytes(_ name: String) throws -> Data {
        try Data(contentsOf: url.appending(path: name))
    }
}

struct StorageTests {
    @Test
    func `an item is there after the file is opened again`() throws {
        let directory = try Directory()
        let path = directory.path("keychain.db")
        let added = try {
            let fixture = try Fixture(path: path)
            let added = try fixture.add("s")
            try fixture.database.close()
            return added
        }()
        let fixture = try Fixture(path: path)
        #expect(try fixture.find(fixture.query("s")) == [added])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test
    func `the file's settings keep committed changes`() throws {
        let directory = try Directory()
        let fixture = try Fixture(path: directory.path("keychain.db"))
        let settings = try fixture.database.read { database in
            try ["journal_mode", "synchronous", "secure_delete", "foreign_keys", "busy_timeout"]
                .map { try String.fetchOne(database, sql: "PRAGMA \($0)") }
        }
        #expect(settings == ["wal", "2", "1", "1", "5000"])
    }

    @Test
    func `the log stays grown when the file is closed`() throws {
        let directory = try Directory()
        let fixture = try Fixture(path: directory.path("keychain.db"))
        try fixture.add("s")
        try fixture.database.close()
        #expect(try directory.bytes("keychain.db-wal").count >= 4 << 20)
    }

    @Test
    func `the file shows neither names nor secrets`() throws {
        let directory = try Directory()
        let database = try KeychainDatabase.open(path: directory.path("keychain.db"))
        let random = SeededRandomSource(seed: 3)
        let keyFile = try LocalKeyFile.open(
            storage: MemoryKeyFiles(),
            random: random,
            mayCreate: true
        )
        let keychain = ItemStore(
            database: database,
            sealing: LocalRowSealing(keyFile, random: random),
            clock: { 1_700_000_000 },
            random: random
        )
        let words = ["zebra-service", "zebra-account", "zebra-label", "zebra-group"]
        let item = Item(
            .genericPassword,
            attributes: [
                .service: .string(words[0]), .account: .string(words[1]),
                .label: .string(words[2]), .accessGroup: .string(words[3]),
            ],
            secret: bytes("zebra-secret")
        )
        let access = CallerAccess.groups([words[3]])
        let added = try keychain.add(item, access: access)
        let query = KeychainQuery(
            .genericPassword,
            attributes: [.service: .string(words[0])],
            synchronizable: .no,
            access: access,
            wantsSecret: true
        )
        #expect(try keychain.find(query).items == [added])
        try keychain.update(query, ItemChanges(secret: bytes("zebra-other")))
        try keychain.add(
            Item(.internetPassword, attributes: [.server: .string("zebra-server")]),
            access: access
        )
        let whole = try directory.bytes("keychain.db") + directory.bytes("keychain.db-wal")
        // The table's name is there, so the search itself works.
        #expect(whole.range(of: Data("genp".utf8)) != nil)
        #expect(whole.range(of: Data("zebra".utf8)) == nil)
        try keychain.delete(query)
        try database.close()
        let after = try directory.bytes("keychain.db") + directory.bytes("keychain.db-wal")
        #expect(after.range(of: Data("zebra".utf8)) == nil)
    }

    @Test
    func `a process that dies during a change leaves the earlier state`() throws {
        let directory = try Directory()
        let fixture = try Fixture(path: directory.path("keychain.db"))
        let kept = try fixture.add("kept", sync: true)
        // Makes uncommitted pages go to the log as well.
        try fixture.execute("PRAGMA cache_size = 1")
        try fixture.keychain.write { database in
            try fixture.keychain.update(fixture.query(), .init(secret: [1]), in: database)
            try fixture.keychain.delete(fixture.query(), in: database)
            // A killed process would leave these files.
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: directory.path("keychain.db\(suffix)"),
                    toPath: directory.path("copy.db\(suffix)")
                )
            }
        }
        let copy = try Fixture(path: directory.path("copy.db"))
        #expect(try copy.find(copy.query()) == [kept])
        #expect(try copy.count("heard") == 1)
        #expect(try fixture.find(fixture.query()) == [])
    }

    @Test
    func `a full disk is reported, and nothing is lost`() throws {
        let directory = try Directory()
        let fixture = try Fixture(path: directory.path("keychain.db"))
        var kept = [try fixture.add("first", sync: true)]
        let pages = try fixture.database.read { try Int.fetchOne($0, sql: "PRAGMA page_count") }
        try fixture.execute("PRAGMA max_page_count = \(try #require(pages) + 40)")
        let error = #expect(throws: ItemStoreError.self) {
            for number in 0..<10_000 {
                kept.append(try fixture.add("item \(number)", sync: true))
            }
        }
        #expect(error == .diskFull)
        #expect(try fixture.find(fixture.query()) == kept)
        #expect(try fixture.count("heard") == kept.count)
        #expect(ItemStoreError.diskFull.message.contains("disk is full"))
        try fixture.execute("PRAGMA max_page_count = 1000000")
        try fixture.add("room again", sync: true)
    }

    @Test(arguments: ["not a database, but long enough for one", "SQLite format 3\0 and rubbish"])
    func `a damaged file is reported and not changed`(contents: String) throws {
        let directory = try Directory()
        let path = directory.path("keychain.db")
        let data = Data(String(repeating: contents, count: 100).utf8)
        try data.write(to: URL(filePath: path))
        #expect(throws: ItemStoreError.fileDamaged) {
            _ = try KeychainDatabase.open(path: path)
        }
        #expect(try directory.bytes("keychain.db") == data)
    }

    @Test
    func `a file of a newer version is reported and not changed`() throws {
        let directory = try Directory()
        let path = directory.path("keychain.db")
        let fixture = try Fixture(path: path)
        try fixture.execute("INSERT INTO grdb_migrations VALUES ('keychain v99')")
        try fixture.database.close()
        #expect(throws: ItemStoreError.newerFormat) {
            _ = try KeychainDatabase.open(path: path)
        }
        #expect(ItemStoreError.newerFormat.message.contains("update this program"))
    }

    @Test
    func `tables of another module in the file are left alone`() throws {
        let fixture = try Fixture()
        let other = Schema(
            name: "other",
            migrations: [(name: "v01", sql: bytes("CREATE TABLE other (a INTEGER)"))]
        )
        try other.apply(to: fixture.database)
        try KeychainDatabase.schema.apply(to: fixture.database)
        #expect(try fixture.count("other") == 0)
    }

    @Test
    func `a missing directory fails to open`() throws {
        let directory = try Directory()
        let error = #expect(throws: ItemStoreError.self) {
            _ = try KeychainDatabase.open(path: directory.path("missing/keychain.db"))
        }
        #expect(error?.status == -25291)
    }
}
