import Agent
import GRDB
import Testing

@testable import SyncClient

/// A device whose account cannot be read: the items are there all the same.
@Suite(.timeLimit(.minutes(1)))
struct DamagedAccountTests {
    private func add(
        _ service: String,
        isSynchronizable: Bool,
        to world: HandlerWorld
    ) async -> AgentReply {
        await world.answer(
            "item.add",
            [
                "class": "genp", "attributes": ["svce": .string(service), "acct": "ada"],
                "secret": .data([1, 2, 3]), "synchronizable": .bool(isSynchronizable),
            ],
            of: HandlerWorld.keychain
        )
    }

    @Test(arguments: [
        "UPDATE account_value SET value = zeroblob(100) WHERE name = 'key ring'",
        "DELETE FROM account_value WHERE name = 'server'",
        "UPDATE sync_state SET hold = 'no such reason'",
        "UPDATE circle_entry SET entry = x'00'",
    ])
    func `the daemon serves what it can and says what is wrong`(sql: String) async throws {
        let device = try await EnrolledOwner()
        try await device.files.database.write { try $0.execute(sql: sql) }
        let owner = try KeychainOwner(files: device.files)
        let world = try HandlerWorld(files: device.files, owner: owner)
        await world.handler.accounts.resume()
        #expect(await add("local", isSynchronizable: false, to: world) == .result(.null))
        // What could not be told to the others is not done.
        guard case .failure(let refusal) = await add("mail", isSynchronizable: true, to: world)
        else {
            Issue.record("a change is lost to the other devices")
            return
        }
        #expect(refusal.code == -26276)

        let status = try await world.value("status")
        #expect(status["problem"]?.string?.isEmpty == false)
        let lines = StatusCommand.lines(status)
        #expect(lines.first == "account      cannot be read")
        #expect(lines.contains { $0.hasPrefix("problem      ") })
        let report = DoctorReport(try await world.value("doctor"))
        let problem = try #require(status["problem"]?.string)
        #expect(report.problems == [problem])
        #expect(await world.failure("sync.now")?.status == problem)
        await world.handler.accounts.stop()
    }

    @Test
    func `the doctor counts what sync cannot read`() async throws {
        let device = try await EnrolledOwner()
        let world = try HandlerWorld(files: device.files, owner: device.owner)
        #expect(await add("mail", isSynchronizable: true, to: world) == .result(.null))
        #expect(DoctorReport(try await world.value("doctor")).problems.isEmpty)
        try await device.files.database.write {
            try $0.execute(sql: "UPDATE outbox SET edit = zeroblob(100)")
        }
        let report = DoctorReport(try await world.value("doctor"))
        #expect(report.problems.count == 1)
        #expect(report.problems.first?.hasPrefix("Of what sync keeps 1 cannot be read") == true)
    }
}
