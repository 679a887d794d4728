import KSAgent
import KSDaemon
import KSDigests
import KSSealing
import Testing

import KSSyncClient

/// The daemon's answers on a device whose server is out of reach.
@Suite(.timeLimit(.minutes(10)))
struct EnrolledHandlerTests {
    private func withWorld(_ body: (HandlerWorld) async throws -> Void) async throws {
        let device = try await EnrolledOwner()
        let world = try HandlerWorld(files: device.files, owner: device.owner)
        await world.handler.accounts.resume()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(world))
        } catch {
            result = .failure(error)
        }
        // This also checks that the call ends although nobody answers.
        await world.handler.accounts.stop()
        try result.get()
    }

    private func add(_ secret: String, to world: HandlerWorld) async throws {
        _ = try await world.value(
            "item.add",
            [
                "class": "genp", "attributes": ["svce": "mail", "acct": "ada"],
                "secret": .data(Array(secret.utf8)), "synchronizable": true, "update": true,
                "match": ["svce": "mail", "acct": "ada"],
            ]
        )
    }

    @Test
    func `a device belongs to one account`() async throws {
        try await withWorld { world in
            for call in ["account.signup", "account.login"] {
                let failure = await world.failure(
                    call,
                    [
                        "form": [
                            "server": .string(EnrolledOwner.origin), "account": "grace",
                            "device": "laptop", "password": .data(Array("a long password".utf8)),
                            "accountKey": .string(
                                AccountKey.random(from: SystemRandomSource()).text
                            ),
                        ]
                    ]
                )
                #expect(failure == CommandFailure.alreadyEnrolled.agentFailure)
            }
        }
    }

    @Test
    func `a sync that failed says why, and so does the status until one succeeds`() async throws {
        try await withWorld { world in
            try await add("one", to: world)
            #expect(await world.failure("sync.now")?.code == 69)
            let status = try await world.value("status")
            #expect(status["joined"] == true)
            #expect(status["unsent"] == 1)
            #expect(status["lastSync"] == .null)
            #expect(status["problem"]?.string?.isEmpty == false)
            #expect(status["paused"] == .null)
            let lines = StatusCommand.lines(try DeviceStatus(.dictionary(status)))
            #expect(lines.contains { $0.hasPrefix("problem      ") })
            #expect(!lines.contains { $0.hasPrefix("paused ") })
        }
    }

    @Test
    func `a history has passwords only on request`() async throws {
        try await withWorld { world in
            try await add("one", to: world)
            for (asks, secret) in [(false, nil), (true, AgentValue.data(Array("one".utf8)))] {
                let reply = await world.answer(
                    "item.history",
                    ["place": "mail", "account": "ada", "showsSecrets": .bool(asks)],
                    of: HandlerWorld.keychain
                )
                guard case .result(let value) = reply else {
                    Issue.record("refused: \(reply)")
                    continue
                }
                let versions = value.array?.first?.dictionary?["versions"]?.array ?? []
                #expect(versions.count == 1)
                #expect(versions.first?.dictionary?["secret"] == secret)
            }
        }
    }
}
