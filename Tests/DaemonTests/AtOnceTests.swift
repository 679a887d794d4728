import Dispatch
import Foundation
import KSAgent
import KSDaemon
import KSKeychainFiles
import Testing

/// Look-ups that the daemon answers without waking up a thread.
@Suite(.timeLimit(.minutes(10)))
struct AtOnceTests {
    private let world: HandlerWorld
    private var home: AgentHome { world.home }
    private var owner: KeychainOwner { world.owner }
    private var handler: CallHandler { world.handler }
    private let keychain = HandlerWorld.keychain
    private let program = HandlerWorld.program

    init() async throws {
        world = try HandlerWorld()
        for (peer, secret) in [(keychain, "ours"), (program, "theirs")] {
            let reply = await answer(
                "item.add",
                [
                    "class": "genp", "attributes": ["svce": "mail", "acct": "ada"],
                    "secret": .data(Array(secret.utf8)),
                ],
                peer
            )
            try #require(reply == .result(.null))
        }
    }

    private func answer(
        _ call: String,
        _ arguments: AgentDictionary,
        _ peer: AgentPeer
    ) async -> AgentReply {
        await world.answer(call, arguments, of: peer)
    }

    private func answerAtOnce(
        _ call: String,
        _ arguments: AgentDictionary,
        _ peer: AgentPeer
    ) -> AgentReply? {
        let request = AgentRequest(id: 1, call: call, arguments: arguments)
        guard case .now(let reply) = handler.answer(request, of: peer) else { return nil }
        return reply
    }

    /// The answer of a call that came while the keychain was at work, and had to wait.
    private func answerSlowly(
        _ call: String,
        _ arguments: AgentDictionary,
        _ peer: AgentPeer
    ) async throws -> AgentReply {
        let request = AgentRequest(id: 1, call: call, arguments: arguments)
        switch try await owner.with({ [handler] _ in handler.answer(request, of: peer) }) {
        case .now(let reply): return reply
        case .later(let carryOut): return await carryOut { _ in }
        }
    }

    /// The same, once the keychain has nothing to do: it may still be leaving an earlier call.
    private func answerWhenFree(
        _ call: String,
        _ arguments: AgentDictionary,
        _ peer: AgentPeer
    ) -> AgentReply? {
        let end = ContinuousClock.now + .seconds(60)
        repeat {
            if let reply = answerAtOnce(call, arguments, peer) { return reply }
        } while ContinuousClock.now < end
        return nil
    }

    private func find(_ more: AgentDictionary = [:]) -> AgentDictionary {
        var arguments: AgentDictionary = [
            "class": "genp", "attributes": ["svce": "mail"], "limit": 1, "wantsSecret": true,
        ]
        for entry in more.entries { arguments[entry.key] = entry.value }
        return arguments
    }

    private func copy(_ more: AgentDictionary = [:], function: String = "copy") -> AgentDictionary {
        var query: AgentDictionary = ["class": "genp", "svce": "mail", "r_Data": true]
        for entry in more.entries { query[entry.key] = entry.value }
        return ["fn": .string(function), "query": .dictionary(query)]
    }

    @Test
    func `one password is answered at once, as the long way would answer`() async throws {
        let calls: [(String, AgentDictionary)] = [
            ("item.find", find()),
            ("item.find", find(["attributes": ["svce": "web"]])),
            ("item.find", find(["attributes": ["port": 1]])),
            ("item.find", find(["attributes": ["agrp": "foreign"]])),
            ("item.find", find(["class": "none"])),
            ("item.find", find(["wantsSecret": "yes"])),
            ("secitem", copy()),
            ("secitem", copy(["m_Limit": "m_LimitOne", "r_Attributes": true])),
            ("secitem", copy(["m_Limit": 1, "class": "inet", "svce": .null])),
            ("secitem", copy(["svce": "web"])),
            ("secitem", copy(["agrp": "foreign"])),
            ("secitem", copy(["nonsense": 1])),
            ("secitem", ["fn": "copy"]),
        ]
        for (call, arguments) in calls {
            for peer in [keychain, program, HandlerWorld.peer(nil)] {
                let slow = try await answerSlowly(call, arguments, peer)
                #expect(answerWhenFree(call, arguments, peer) == slow, "\(arguments)")
            }
        }
        let found = copy()
        let theirs: AgentValue = ["status": 0, "result": .data(Array("theirs".utf8))]
        #expect(answerWhenFree("secitem", found, program) == .result(theirs))
    }

    @Test
    func `what may take longer is left to the long way`() {
        for arguments in [
            find(["limit": 0]), find(["limit": 2]), find(["limit": .null]), find(["skip": 1]),
            find(["class": "cert", "attributes": [:]]), find(["keychains": ["other"]]),
        ] {
            #expect(answerAtOnce("item.find", arguments, keychain) == nil, "\(arguments)")
        }
        for arguments in [
            copy(["m_Limit": "m_LimitAll"]), copy(["m_Limit": 2]), copy(["class": "cert"]),
            copy(["class": "inet", "svce": .null, "m_HostOrSubdomainOfHost": "example.org"]),
            copy(["class": .null]), copy(function: "add"), copy(function: "delete"),
        ] {
            #expect(answerAtOnce("secitem", arguments, program) == nil, "\(arguments)")
        }
        #expect(answerAtOnce("item.delete", find(), keychain) == nil)
        #expect(answerAtOnce("status", [:], keychain) == nil)
    }

    @Test
    func `further keychains are searched the long way`() throws {
        var list = try KeychainSearchList.load(home: home.path)
        list.search.append(home.path + "/keychains/other.db")
        try list.save(home: home.path)
        #expect(answerAtOnce("item.find", find(), keychain) == nil)
        // A program has the home's keychain alone.
        #expect(answerWhenFree("item.find", find(), program) != nil)
    }

    @Test
    func `while the keychain is at work, the long way waits for it`() async throws {
        let (end, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let work: Void = owner.with { _ in
            begun.signal()
            end.wait()
        }
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "waiting").async {
                begun.wait()
                continuation.resume()
            }
        }
        #expect(answerAtOnce("item.find", find(), keychain) == nil)
        #expect(answerAtOnce("secitem", copy(), program) == nil)
        end.signal()
        try await work
        #expect(answerWhenFree("item.find", find(), keychain) != nil)
    }

    @Test
    func `a file of entitlements that says nothing is told of`() async throws {
        try Data("{".utf8).write(to: URL(filePath: home.path + "/entitlements.json"))
        guard case .failure = answerWhenFree("secitem", copy(), program) else {
            Issue.record("refused, and not left to anybody")
            return
        }
        #expect(
            answerAtOnce("secitem", copy(), program) == (await answer("secitem", copy(), program))
        )
    }

    @Test
    func `a locked device gives nothing away at once either, and look-ups keep it in use`()
        async throws
    {
        let passcode = Array("1234".utf8)
        try await handler.deviceLock.setPasscode(passcode)
        // Long enough to be locked, were it not for the look-up.
        try await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        #expect(answerWhenFree("secitem", copy(), program) != nil)
        await handler.deviceLock.lock(whenIdleFor: .milliseconds(60))
        #expect(ContinuousClock.now - start >= .milliseconds(60))
        #expect(answerWhenFree("secitem", copy(), program) == .result(["status": -25308]))
        guard case .failure(let failure) = answerWhenFree("item.find", find(), keychain) else {
            Issue.record("locked")
            return
        }
        #expect(failure.code == -25308)
    }
}
