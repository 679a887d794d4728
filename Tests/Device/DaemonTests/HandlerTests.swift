import KSSealing
import Foundation
import GRDB
import KSAgent
import KSDaemon
import KSDigests
import KSKeychain
import KSKeychainFiles
import KSDeviceKeys
import KSTestSupport
import KSSyncEngine
import Testing

/// The daemon's answers on a device without an account.
@Suite(.timeLimit(.minutes(10)))
struct HandlerTests {
    private let files: DeviceFiles
    private let world: HandlerWorld

    init() throws {
        files = try DeviceFiles(storage: MemoryKeyFiles())
        world = try HandlerWorld(files: files, owner: KeychainOwner(files: files))
    }

    private func bytes(_ text: String) -> AgentValue { .data(Array(text.utf8)) }

    // MARK: Importing

    private func importedCount() async throws -> Int? {
        try await files.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM inet") }
    }

    /// Adds the item of this row as one that never leaves the device.
    private func keepHere(_ row: String) async throws {
        let entry = try #require(ImportEntries(rows: row).entries.first)
        var item = try EntryItem(entry, number: 1).item
        item.attributes[.accessible] = .string(ProtectionClass.whenUnlockedThisDeviceOnly.letters)
        item.secret = Array("local".utf8)
        let kept = item
        try await world.owner.with { keychain in
            try keychain.write { database in
                let access = KeychainFile.access
                _ = try keychain.add(kept, access: access, in: database)
            }
        }
    }

    private static let difficultRows = """
        n,https://a.example,me,one,
        n,https://large.example,me,two,\(String(repeating: "x", count: 70_000))
        n,https://empty.example,me,,
        n,https://taken.example,me,three,

        """

    @Test
    func `an import names every row that the keychain refuses, and a dry run names the same`()
        async throws
    {
        try await keepHere("n,https://taken.example,me,local,\n")
        let count = try await importedCount()
        let dry = try await world.owner.take(rows: Self.difficultRows, dryRun: true)
        #expect(dry.shown == "2 0 0 0 3 too_large, 5 taken")
        #expect(try await importedCount() == count)
        #expect(try await world.owner.take(rows: Self.difficultRows).shown == dry.shown)
    }

    @Test
    func `values of a file that an item without a history cannot take are named`() async throws {
        let row = "n,https://a.example,me,"
        #expect(try await world.owner.take(rows: row + "one,first\n").shown == "1 0 0 0")
        let again = try await world.owner.take(rows: row + "two,second\n")
        #expect(again.shown == "0 0 0 1 2 present, 2 present")
        let query = try KeychainQuery(
            ["class": "inet", "wantsSecret": true],
            access: KeychainFile.access
        )
        let secrets = try await world.owner.find(query).map(\.secret)
        #expect(secrets == [Array("one".utf8)])
    }

    @Test
    func `a part of an import that fills the disk adds nothing`() async throws {
        let pages = try await files.database.read {
            try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0
        }
        try await files.database.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA max_page_count = \(pages + 4)")
        }
        let rows = (0..<200).map { "n,https://site\($0).example,me,secret \($0),\n" }
        await #expect(throws: ItemStoreError.diskFull) {
            try await world.owner.take(rows: rows.joined())
        }
        #expect(try await importedCount() == 0)
    }

    // MARK: Files

    @Test
    func `the home's own files and relative paths are not sealed`() async {
        let home = world.home.path
        for path in [home, home + "/keychain.db", home + "/run/agent.sock"] {
            for arguments in [
                ["path": .string(path), "class": "none"],
                ["path": "/tmp/another", "output": .string(path), "class": "none"],
            ] as [AgentDictionary] {
                let failure = await world.failure("file.protect", arguments)
                #expect(failure?.code == 64)
                #expect(failure?.status.contains("keychain's own") == true)
            }
        }
        for path in ["file", "./file", home + "/../file", "/tmp/../file"] {
            let failure = await world.failure(
                "file.unprotect",
                ["path": .string(path)]
            )
            #expect(failure == CommandFailure.malformedCall.agentFailure)
        }
    }

    @Test
    func `a program without access groups cannot protect files`() async throws {
        try world.entitle(#""/usr/bin/some-program": {}"#)
        for call in ["file.protect", "file.unprotect", "file.contents"] {
            let reply = await world.answer(call, [:], of: HandlerWorld.program)
            guard case .failure(let failure) = reply else {
                Issue.record("it was answered")
                continue
            }
            let missing = ItemStoreError.missingEntitlement
            #expect(failure == AgentFailure(code: missing.status, status: missing.message))
        }
    }

    // MARK: The lock

    @Test
    func `a passcode that is removed is gone`() async throws {
        let passcode = bytes("1234")
        let set = try await world.value("device.passcode", ["new": passcode])
        #expect(set["passcode"] == true)
        let removed = try await world.value("device.passcode", ["old": passcode])
        #expect(removed["passcode"] == false)
        #expect(await world.failure("device.passcode")?.code == 1)
    }

    @Test
    func `before the first unlock it is unknown whether there is an account`() async throws {
        let storage = MemoryKeyFiles()
        try DeviceFiles(storage: storage).keys.setPasscode(Array("1234".utf8))
        let files = try DeviceFiles(storage: storage)
        let world = try HandlerWorld(files: files, owner: KeychainOwner(files: files))
        for call in ["sync.now", "item.conflicts"] {
            #expect(await world.failure(call) == CommandFailure.locked.agentFailure)
            #expect(await self.world.failure(call) == CommandFailure.noAccount.agentFailure)
        }
    }

    // MARK: Joining

    private func joining(
        _ origin: String,
        password: String = "a long enough password"
    ) -> AgentDictionary {
        [
            "form": [
                "server": .string(origin), "account": "ada", "device": "laptop",
                "pins": [.string("sha256//" + String(repeating: "A", count: 43) + "=")],
                "password": bytes(password),
            ]
        ]
    }

    @Test
    func `a locked device joins no account`() async {
        await world.handler.deviceLock.lock()
        let failure = await world.failure("account.signup", joining(EnrolledOwner.origin))
        #expect(failure == CommandFailure.locked.agentFailure)
    }

    /// Cancels a sign-up while it connects: it was not sent.
    private func cancelSignUp(at server: SilentPort) async throws {
        let (world, request) = (
            world, AgentRequest(id: 1, call: "account.signup", arguments: joining(server.origin))
        )
        let task = Task { await world.answer(request, of: HandlerWorld.keychain) { _ in } }
        await server.waitForCaller()
        #expect(try await world.owner.signUpDrafts().map(\.wasSent) == [true])
        task.cancel()
        _ = await task.value
    }

    @Test
    func `a sign-up that was not sent has one key until it is discarded`() async throws {
        let server = SilentPort()
        func accountKey() async throws -> AgentValue {
            try await cancelSignUp(at: server)
            let drafts = try await world.owner.signUpDrafts()
            #expect(drafts.map(\.wasSent) == [false])
            return .string(try #require(drafts.first).accountKey.text)
        }
        let key = try await accountKey()
        #expect(try await accountKey() == key)
        // It was not sent, so no account can have the key.
        #expect(await isTrue("account.mayHaveKey", of: key) == false)
        let other = AgentValue.string(AccountKey.random(from: SystemRandomSource()).text)
        #expect(await isTrue("account.discardUnsent", of: other) == false)
        #expect(await isTrue("account.discardUnsent", of: key) == true)
        #expect(await isTrue("account.discardUnsent", of: key) == false)
        #expect(try await accountKey() != key)
        withExtendedLifetime(server) {}
    }

    @Test
    func `the key of a sign-up that was sent stays, and is not discarded`() async throws {
        let server = SilentPort()
        try await cancelSignUp(at: server)
        // As when the daemon was killed before it had an answer.
        let drafts = try await world.owner.signUpDrafts()
        let draft = try #require(drafts.first)
        let sent = SignUpDraft.marking(draft, wasSent: true, in: drafts)
        try await world.owner.replaceSignUpDrafts(sent)
        let key = AgentValue.string(draft.accountKey.text)
        #expect(await isTrue("account.mayHaveKey", of: key) == true)
        #expect(await isTrue("account.discardUnsent", of: key) == false)
        #expect(await isTrue("account.mayHaveKey", of: key) == true)
        // Whether the account exists, only its sign-up can find out: it has the same key.
        let arguments = joining(server.origin)
        let prepared = try await world.value("account.prepare", arguments)
        #expect(prepared["accountKey"] == key)
        withExtendedLifetime(server) {}
    }

    @Test
    func `a server that is not there is reported before a password is needed`() async throws {
        var arguments = joining("https://127.0.0.1:1", password: "")
        for isNewAccount in [false, true] {
            arguments["isNewAccount"] = .bool(isNewAccount)
            let failure = await world.failure("account.check", arguments)
            #expect(failure?.code == CommandFailure.Exit.serverOutOfReach.rawValue)
        }
        let prepared = await world.failure("account.prepare", joining("https://127.0.0.1:1"))
        #expect(prepared?.code == CommandFailure.Exit.serverOutOfReach.rawValue)
        #expect(try await world.owner.signUpDrafts().isEmpty)
    }

    /// The answer to a call about an Account Key; nil if it failed.
    private func isTrue(_ call: String, of accountKey: AgentValue) async -> Bool? {
        let reply = await world.answer(
            call,
            ["accountKey": accountKey],
            of: HandlerWorld.keychain
        )
        guard case .result(.bool(let isTrue)) = reply else { return nil }
        return isTrue
    }

    @Test
    func `while a device joins it does not join again`() async throws {
        let server = SilentPort()
        let (world, request) = (
            world, AgentRequest(id: 1, call: "account.signup", arguments: joining(server.origin))
        )
        let (signs, begun) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            await world.answer(request, of: HandlerWorld.keychain) { _ in begun.yield() }
        }
        var iterator = signs.makeAsyncIterator()
        await iterator.next()
        let second = await world.failure("account.signup", joining(EnrolledOwner.origin))
        #expect(second == CommandFailure.isJoining.agentFailure)
        first.cancel()
        _ = await first.value
        let third = await world.failure("account.signup", joining(EnrolledOwner.origin))
        #expect(third?.code == 69)
    }
}
