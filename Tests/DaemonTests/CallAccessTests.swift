import KSAgent
import KSDaemon
import Testing

/// What a program may ask of the daemon that is not `keychain` or `sync-client`.
struct CallAccessTests {
    /// Apple's number where programs act on it, else the exit code of who may not.
    private static let refusals: Set<Int32> = [-34018, 77]

    @Test(arguments: [
        "backup", "restore", "import", "doctor", "item.history", "item.conflicts",
        "device.unlock", "device.passcode", "device.lockAfter", "keychains.list",
        "keychains.create", "keychains.nameFolder", "account.signup", "account.login",
        "account.prepare", "account.mayHaveKey", "account.discardUnsent", "account.leave",
        "kv.limits", "kv.limits.set",
    ])
    func `what shows or changes everything is for programs that see everything`(
        call: String
    ) async throws {
        let world = try HandlerWorld()
        guard case .failure(let refusal) = await world.answer(call, [:], of: HandlerWorld.program)
        else {
            Issue.record("it was answered")
            return
        }
        #expect(Self.refusals.contains(refusal.code))
        // Whatever else may be wrong with an empty call, it is not the caller.
        if case .failure(let other) = await world.answer(call, [:], of: HandlerWorld.keychain) {
            #expect(other != refusal)
        }
    }

    @Test(arguments: ["status", "device.state", "device.lock"])
    func `anybody may see how things stand, and lock`(call: String) async throws {
        let world = try HandlerWorld()
        guard case .result = await world.answer(call, [:], of: HandlerWorld.program) else {
            Issue.record("it was refused")
            return
        }
    }

    @Test(arguments: ["item.add", "item.find", "item.delete", "secitem", "file.contents", "doctor"])
    func `a program that is not known has no groups at all`(call: String) async throws {
        let world = try HandlerWorld()
        let attributes: AgentDictionary = ["svce": "mail"]
        let arguments: AgentDictionary = [
            "class": "genp", "attributes": .dictionary(attributes), "secret": .data([1]),
            "fn": "copy", "query": ["class": "genp", "svce": "mail", "r_Data": true],
            "path": "/etc/hostname",
        ]
        let reply = await world.answer(call, arguments, of: HandlerWorld.peer(nil))
        if call == "secitem" {
            guard case .result(let value) = reply else {
                Issue.record("\(reply)")
                return
            }
            #expect(value.dictionary?["status"]?.integer == -34018)
        } else {
            guard case .failure(let refusal) = reply else {
                Issue.record("it was answered")
                return
            }
            #expect(refusal.code == (call == "doctor" ? 77 : -34018))
        }
    }

    @Test
    func `a call that nobody knows is told as such`() async throws {
        let world = try HandlerWorld()
        guard case .failure = await world.answer("item.steal", [:], of: HandlerWorld.keychain)
        else {
            Issue.record("it was answered")
            return
        }
    }
}
