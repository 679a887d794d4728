import GRDB
import KSKeychain
import KSKeychainRecords
import KSResolution
import Testing

import KSSyncEngine

/// The earlier values of deleted items, which a restore brings back.
struct DeletedHistoryTests {
    private let home: ReplicaHome

    init() throws { home = try ReplicaHome.caughtUp() }

    private func rows() throws -> Int {
        try home.database.read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM deleted_history") ?? 0
        }
    }

    private func earlier(_ service: String) throws -> [String] {
        let key = ReplicaHome.item(service).key
        let history = try home.replica.history(of: key)
        return (history?.versions ?? []).filter { $0.standing == .superseded }
            .map { String(decoding: $0.secret, as: UTF8.self) }
    }

    /// Deletes an item that has an earlier password, and makes it again.
    private func restore(_ service: String) throws {
        let deleted = try home.keychain.deletedItems().items.first {
            $0.item.attributes[.service] == .string(service)
        }
        _ = try home.keychain.restoreDeleted(try #require(deleted).id)
    }

    @Test
    func `they are kept until the restore, and only of items that have some`() throws {
        for (service, secrets) in [("wifi", ["one", "two"]), ("mail", ["one"])] {
            for secret in secrets { try home.save(service, secret) }
        }
        _ = try home.pushTaken(from: 6)
        for service in ["wifi", "mail"] { try home.delete(service) }
        #expect(try rows() == 1)
        try restore("wifi")
        #expect(try rows() == 0)
        #expect(try home.secret("wifi") == "two")
        #expect(try earlier("wifi") == ["one"])
        try restore("mail")
        #expect(try earlier("mail") == [])
    }

    @Test
    func `each of two deleted items of one key has its earlier values`() throws {
        try home.save("wifi", "one")
        try home.save("wifi", "two")
        _ = try home.pushTaken(from: 6)
        try home.delete("wifi")
        try home.save("wifi", "three")
        try home.delete("wifi")
        let deleted = try home.keychain.deletedItems().items
        #expect(deleted.count == 2)
        _ = try home.keychain.restoreDeleted(try #require(deleted.last).id)
        #expect(try home.secret("wifi") == "two")
        #expect(try earlier("wifi").contains("one"))
    }

    @Test
    func `what was cleared does not come back from an earlier deletion of the key`() throws {
        try home.save("wifi", "one")
        try home.save("wifi", "two")
        _ = try home.pushTaken(from: 6)
        try home.delete("wifi")
        try home.save("wifi", "three")
        try home.save("wifi", "four")
        _ = try home.pushTaken(from: 7)
        // As on a device that hears of it: it has not cleared its own.
        try forget("wifi", isWhole: false)
        try home.delete("wifi")
        try restore("wifi")
        #expect(try home.secret("wifi") == "four")
        #expect(try earlier("wifi") == [])
    }

    @Test
    func `a history that is cleared as a whole forgets that of a deletion too`() throws {
        try home.save("wifi", "one")
        try home.save("wifi", "two")
        _ = try home.pushTaken(from: 6)
        try home.delete("wifi")
        try home.save("wifi", "three")
        #expect(try rows() == 1)
        try forget("wifi", isWhole: true)
        #expect(try rows() == 0)
    }

    private func forget(_ service: String, isWhole: Bool) throws {
        let outbox = try #require(home.keychain.recorder as? KeychainOutbox)
        _ = try home.database.write { database in
            try outbox.forget(
                ReplicaHome.item(service),
                in: database,
                isCarriedOut: true,
                isWhole: isWhole
            ) { !$0.name.isAboutWrites }
        }
    }

    @Test
    func `a renamed item leaves none behind, and a damaged row is no obstacle`() throws {
        try home.save("wifi", "one")
        try home.save("wifi", "two")
        try home.rename("wifi", to: "home")
        #expect(try rows() == 0)
        try home.delete("home")
        try home.execute("UPDATE deleted_history SET edit = zeroblob(40)")
        try restore("home")
        #expect(try home.secret("home") == "two")
        #expect(try earlier("home") == [])
    }

    @Test
    func `they are forgotten after 30 days, and the oldest beyond 500`() throws {
        for number in 0..<3 {
            try home.save("item \(number)", "one")
            try home.save("item \(number)", "two")
            try home.delete("item \(number)")
            if number == 0 {
                try home.execute("UPDATE deleted_history SET kept_ms = kept_ms - 31 * 86400000")
            }
        }
        #expect(try rows() == 2)
        try home.execute(
            """
            WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 600)
            INSERT INTO deleted_history
            SELECT randomblob(32), kept_ms - n, protection, edit, revision
            FROM number, (SELECT * FROM deleted_history LIMIT 1)
            """
        )
        try home.save("wifi", "one")
        try home.save("wifi", "two")
        try home.delete("wifi")
        #expect(try rows() == 500)
        try restore("wifi")
        #expect(try earlier("wifi") == ["one"])
    }
}
