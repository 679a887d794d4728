import GRDB
import KSAgent
import KSCausality
import KSDaemon
import KSRecords
import KSResolution
import KSSealing
import Testing

import KSSyncClient
import KSSyncEngine

/// A device whose account cannot be read still has its items.
@Suite(.timeLimit(.minutes(10)))
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
        "PRAGMA ignore_check_constraints = 1; UPDATE sync_state SET counter = -1",
        "PRAGMA ignore_check_constraints = 1; UPDATE sync_state SET own_time = -1",
        "PRAGMA ignore_check_constraints = 1; UPDATE sync_state SET cursor_tag = zeroblob(8),"
            + " cursor_seq = -1",
        "PRAGMA ignore_check_constraints = 1; UPDATE sync_state SET circle_version = -1",
    ])
    func `the daemon serves what it can and says what is wrong`(sql: String) async throws {
        let device = try await EnrolledOwner()
        try await device.files.database.write { try $0.execute(sql: sql) }
        let owner = try KeychainOwner(files: device.files)
        let world = try HandlerWorld(files: device.files, owner: owner)
        await world.handler.accounts.resume()
        #expect(await add("local", isSynchronizable: false, to: world) == .result(.array([])))
        // A change that sync could not record for the other devices is refused.
        guard case .failure(let refusal) = await add("mail", isSynchronizable: true, to: world)
        else {
            Issue.record("a change is lost to the other devices")
            return
        }
        #expect(refusal.code == -26276)

        let status = try await world.value("status")
        #expect(status["problem"]?.string?.isEmpty == false)
        let lines = StatusCommand.lines(try DeviceStatus(.dictionary(status)))
        #expect(lines.first == "account      cannot be read")
        #expect(lines.contains { $0.hasPrefix("problem      ") })
        let report = DoctorReport(try await world.examination())
        let problem = try #require(status["problem"]?.string)
        #expect(report.problems == [problem])
        #expect(await world.failure("sync.now")?.status == problem)
        await world.handler.accounts.stop()
    }

    private let signUp: AgentDictionary = [
        "form": [
            "server": .string(EnrolledOwner.origin), "account": "grace", "device": "laptop",
            "password": .data(Array("a long password".utf8)),
        ]
    ]

    /// The account can be read, but sync cannot start.
    @Test
    func `a device whose sync cannot start still has its account`() async throws {
        let device = try await EnrolledOwner()
        let world = try HandlerWorld(files: device.files, owner: device.owner)
        func hold(_ value: String) async throws {
            try await device.files.database.write {
                try $0.execute(sql: "UPDATE sync_state SET hold = \(value)")
            }
        }
        try await hold("'no such reason'")
        await world.handler.accounts.resume()
        let problem = await world.handler.accounts.problem
        #expect(problem != nil)
        // Unlocking does not repair it.
        _ = try await world.value("device.unlock")
        #expect(await world.handler.accounts.problem == problem)
        #expect(await world.failure("account.signup", signUp)?.status == problem?.sentence)
        #expect(try await world.value("status")["problem"]?.string == problem?.sentence)
        #expect(await world.failure("sync.now")?.status == problem?.sentence)
        // Changes are recorded meanwhile.
        #expect(await add("mail", isSynchronizable: true, to: world) == .result(.array([])))

        try await hold("NULL")
        let status = try await world.value("status")
        #expect(status["joined"] == true && status["unsent"] == 1)
        #expect(await world.handler.accounts.problem == nil)
        await world.handler.accounts.stop()
        // A stopped sync does not start again by itself.
        #expect(await world.handler.accounts.started() == nil)
    }

    @Test(arguments: ["status", "doctor", "sync.now"])
    func `an account that can be read again is used by the next call`(call: String) async throws {
        let device = try await EnrolledOwner()
        let database = device.files.database
        try await database.write {
            try $0.execute(
                sql: """
                    CREATE TABLE kept AS SELECT name, value FROM account_value;
                    UPDATE account_value SET value = zeroblob(100)
                    """
            )
        }
        let owner = try KeychainOwner(files: device.files)
        let world = try HandlerWorld(files: device.files, owner: owner)
        await world.handler.accounts.resume()
        guard case .failure = await add("mail", isSynchronizable: true, to: world) else {
            Issue.record("a change is lost to the other devices")
            return
        }
        try await database.write {
            try $0.execute(
                sql: """
                    UPDATE account_value
                    SET value = (SELECT value FROM kept WHERE kept.name = account_value.name)
                    """
            )
        }
        _ = await world.answer(call, [:], of: HandlerWorld.keychain)
        #expect(await world.handler.accounts.problem == nil)
        #expect(await add("mail", isSynchronizable: true, to: world) == .result(.array([])))
        #expect(try await world.value("status")["unsent"] == 1)
        await world.handler.accounts.stop()
    }

    @Test
    func `a device that belongs to an account cannot sign up for another`()
        async throws
    {
        let device = try await EnrolledOwner()
        let world = try HandlerWorld(files: device.files, owner: device.owner)
        let failure = await world.failure("account.signup", signUp)
        #expect(failure == CommandFailure.alreadyEnrolled.agentFailure)
    }

    @Test
    func `records that the doctor finds damaged are fetched from the server again`()
        async throws
    {
        let device = try await EnrolledOwner()
        let world = try HandlerWorld(files: device.files, owner: device.owner)
        let record = RecordID(validated: [UInt8](repeating: 1, count: RecordID.byteCount))
        try await device.files.database.write { database in
            let row = MirrorRow(
                record: record,
                kind: .keychain,
                seq: 1,
                siblings: [],
                content: RecordState()
            )
            try MirrorTable(rows: device.files.rows)
                .save(row, protection: .whenUnlocked, conflict: nil, in: database)
            var state = try #require(try SyncStateTable.load(from: database))
            state.cursor = Cursor(
                epoch: state.epoch,
                seq: 1,
                tag: CommitTag(validated: [UInt8](repeating: 1, count: CommitTag.byteCount))
            )
            try SyncStateTable.save(state, in: database)
        }
        func cursor() async throws -> KSRecords.Cursor? {
            try await device.files.database.read { try SyncStateTable.load(from: $0)?.cursor }
        }
        #expect(DoctorReport(try await world.examination()).problems.isEmpty)
        #expect(try await cursor() != nil)
        for sql in ["UPDATE mirror SET state = zeroblob(100)", "UPDATE mirror SET seq = -1"] {
            try await device.files.database.write {
                try $0.execute(sql: "PRAGMA ignore_check_constraints = 1; " + sql)
            }
            #expect(DoctorReport(try await world.examination()).problems.count == 1)
            #expect(try await cursor() == nil)
        }
    }

    @Test
    func `the doctor counts what sync cannot read`() async throws {
        let device = try await EnrolledOwner()
        let world = try HandlerWorld(files: device.files, owner: device.owner)
        #expect(await add("mail", isSynchronizable: true, to: world) == .result(.array([])))
        #expect(DoctorReport(try await world.examination()).problems.isEmpty)
        try await device.files.database.write {
            try $0.execute(sql: "UPDATE outbox SET edit = zeroblob(100)")
        }
        let report = DoctorReport(try await world.examination())
        #expect(report.problems.count == 1)
        #expect(report.problems.first?.hasPrefix("Damaged rows of sync: 1") == true)
    }
}
