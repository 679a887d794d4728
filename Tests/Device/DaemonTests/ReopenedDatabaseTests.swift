import Foundation
import GRDB
import KSAgent
import KSDaemon
import KSKeychain
import KSKeyValueRecords
import KSKeyValues
import KSSealing
import KSSyncEngine
import Testing

/// A connection to the database that fails is opened again, without a restart.
@Suite(.timeLimit(.minutes(10)))
struct ReopenedDatabaseTests {
    private let world: HandlerWorld

    init() throws { world = try HandlerWorld(isOnDisk: true) }

    private func add(_ service: String) async -> AgentReply {
        await world.answer(
            "item.add",
            [
                "class": "genp", "attributes": ["svce": .string(service), "acct": "ada"],
                "secret": .data([1, 2, 3]), "synchronizable": true,
            ],
            of: HandlerWorld.keychain
        )
    }

    private func find(_ service: String) async -> Bool {
        let reply = await world.answer(
            "item.find",
            ["class": "genp", "attributes": ["svce": .string(service)], "limit": 1],
            of: HandlerWorld.keychain
        )
        guard case .result = reply else { return false }
        return true
    }

    /// Every change over the connection fails from now on; the file is well.
    private func breakConnection(_ sql: String) async throws {
        try await world.owner.files.database.writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    private static let faults = [
        "PRAGMA query_only = 1",
        """
        CREATE TEMP TRIGGER broken BEFORE INSERT ON genp
        BEGIN SELECT RAISE(ABORT, 'broken'); END
        """,
    ]

    @Test(arguments: faults)
    func `after a change that failed, the next one works, and nothing is forgotten`(
        fault: String
    ) async throws {
        #expect(await add("one") == .result(.array([])))
        #expect(await find("one"))
        try await breakConnection(fault)
        guard case .failure = await add("two") else {
            Issue.record("the connection works")
            return
        }
        #expect(await add("two") == .result(.array([])))
        #expect(await add("three") == .result(.array([])))
        for service in ["one", "two", "three"] { #expect(await find(service)) }
    }

    @Test
    func `changes are recorded for the account over the new connection`() async throws {
        _ = try await world.owner.join(try EnrolledOwner.enrollment())
        #expect(await add("one") == .result(.array([])))
        let store = try #require(StoreIdentifier("app"))
        func set(_ key: String) async throws {
            let refusals = try await world.owner.withKeyValues {
                try $0.write(
                    [KeyWrite(key: key, .write(.set(.bool(true), base: nil)))],
                    to: store
                )
            }
            #expect(refusals.isEmpty)
        }
        try await set("a")
        try await world.owner.reopenDatabase()
        #expect(await add("two") == .result(.array([])))
        try await set("b")
        let unsent = try await world.owner.files.database.read {
            try Departure.unsentCount(in: $0)
        }
        #expect(unsent == 4)
        let keys = try await world.owner.keyValues(of: store).map(\.name.key)
        #expect(keys == ["a", "b"])
    }

    /// Another file in its place may be of another device.
    @Test
    func `a file that is gone is not made again`() async throws {
        #expect(await add("one") == .result(.array([])))
        let path = world.home.path + "/keychain.db"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".kept")
        await #expect(throws: ItemStoreError.self) { try await world.owner.reopenDatabase() }
        try FileManager.default.moveItem(atPath: path + ".kept", toPath: path)
        try await world.owner.reopenDatabase()
        #expect(await find("one"))
    }

    @Test
    func `sync reports a database that fails in the status, as what it is`() async throws {
        _ = try await world.owner.join(try EnrolledOwner.enrollment())
        await world.handler.accounts.resume()
        // A table that sync asks is missing over every connection.
        try await world.owner.files.database.write {
            try $0.execute(
                sql: """
                    ALTER TABLE rewrite RENAME TO kept;
                    UPDATE sync_state SET own_time = own_time
                    """
            )
        }
        let failure = await world.failure("sync.now")
        #expect(failure?.code == 1 && failure?.status.contains("disk") == false)
        let status = try await world.value("status")
        #expect(status["joined"] == true)
        #expect(status["problem"]?.string == failure?.status)
        let report = try await world.examination()
        #expect(report.findings.account == failure?.status)
        try await world.owner.files.database.write {
            try $0.execute(sql: "ALTER TABLE kept RENAME TO rewrite")
        }
        // No server listens.
        #expect(await world.failure("sync.now")?.code == 69)
        await world.handler.accounts.stop()
    }
}
