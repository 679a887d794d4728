import Dispatch
import Foundation
import GRDB
import KSAgent
import KSDaemon
import KSKeychain
import KSKeychainFiles
import Testing

/// Look-ups that the daemon answers without waking up a thread.
@Suite(.timeLimit(.minutes(10)))
struct AtOnceTests {
    private let world: HandlerWorld
    private var home: AgentHome { world.home }
    private var lookUps: LookUps { world.handler.lookUps }
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
            try #require(reply == .result(.array([])))
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

    /// The answer of a call that came while a search was under way, and had to wait.
    private func answerSlowly(
        _ call: String,
        _ arguments: AgentDictionary,
        _ peer: AgentPeer
    ) async throws -> AgentReply {
        let request = AgentRequest(id: 1, call: call, arguments: arguments)
        return await lookUps.during({ [handler] in handler.answer(request, of: peer) }).reply()
    }

    /// The same, once no search is under way: one may still be leaving an earlier call.
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
    func `a look-up of one password is answered at once, with the handler's answer`() async throws {
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
    func `calls that may take longer are left to the handler`() {
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
    func `further keychains are searched by the handler`() throws {
        var list = try KeychainSearchList.load(home: home.path)
        list.search.append(home.path + "/keychains/other.db")
        try list.save(home: home.path)
        #expect(answerAtOnce("item.find", find(), keychain) == nil)
        // A program sees only the home's keychain.
        #expect(answerWhenFree("item.find", find(), program) != nil)
    }

    @Test
    func `during another search the call is left to the handler`() async throws {
        let held = Held()
        async let work: Void = lookUps.during { held.wait() }
        await held.begun()
        #expect(answerAtOnce("item.find", find(), keychain) == nil)
        #expect(answerAtOnce("secitem", copy(), program) == nil)
        held.end()
        await work
        #expect(answerWhenFree("item.find", find(), keychain) != nil)
    }

    @Test
    func `a look-up waits neither for the keychain's queue nor for an open transaction`()
        async throws
    {
        let world = try HandlerWorld(isOnDisk: true)
        let item: AgentDictionary = [
            "class": "genp", "attributes": ["svce": "mail"], "secret": .data([1]),
        ]
        try #require(await world.answer("item.add", item, of: keychain) == .result(.array([])))
        let held = Held()
        let work = Task {
            try await world.owner.with { keychain in
                try keychain.write { database in
                    try database.execute(sql: "DELETE FROM genp")
                    held.wait()
                    struct Undone: Error {}
                    throw Undone()
                }
            }
        }
        await held.begun()
        let found = await world.answer("item.find", find(), of: keychain)
        let listed = await world.answer("item.find", find(["limit": .null]), of: keychain)
        held.end()
        await #expect(throws: (any Error).self) { try await work.value }
        #expect(found.secrets == [[1]])
        #expect(listed.secrets == [[1]])
    }

    @Test
    func `a look-up sees what has just been added, changed and deleted`() async throws {
        let world = try HandlerWorld(isOnDisk: true)
        for secret in UInt8(1)...3 {
            let item: AgentDictionary = [
                "class": "genp", "attributes": ["svce": "mail"], "match": ["svce": "mail"],
                "secret": .data([secret]),
                "update": true,
            ]
            try #require(await world.answer("item.add", item, of: keychain) == .result(.array([])))
            for _ in 0..<2 {
                let found = await world.answer("item.find", find(), of: keychain)
                #expect(found.secrets == [[secret]])
            }
        }
        let query: AgentDictionary = ["class": "genp", "attributes": ["svce": "mail"]]
        _ = await world.answer("item.delete", query, of: keychain)
        guard case .failure = await world.answer("item.find", find(), of: keychain) else {
            Issue.record("it is deleted")
            return
        }
    }

    @Test
    func `an entitlements file without any entry is reported`() async throws {
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
    func `a locked device answers nothing at once, and look-ups count as use`()
        async throws
    {
        let passcode = Array("1234".utf8)
        try await handler.deviceLock.setPasscode(passcode)
        // Without the look-up the device would be locked by now.
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

/// Work that lasts until the test ends it.
private final class Held: Sendable {
    private let beginning = DispatchSemaphore(value: 0)
    private let ending = DispatchSemaphore(value: 0)

    func wait() {
        beginning.signal()
        ending.wait()
    }

    func begun() async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "waiting").async {
                self.beginning.wait()
                continuation.resume()
            }
        }
    }

    func end() {
        ending.signal()
    }
}

extension LookUps {
    /// Runs work that keeps all look-ups waiting.
    fileprivate func during<Result: Sendable>(_ body: @Sendable () -> Result) -> Result { body() }
}

extension AgentReply {
    /// The secrets that were found.
    fileprivate var secrets: [[UInt8]] {
        guard case .result(let value) = self else { return [] }
        return (value.array ?? []).compactMap { $0.dictionary?["secret"]?.data }
    }
}
