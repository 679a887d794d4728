import KSAgent
import KSDaemon
import Testing

/// The calls that a program other than `keychain` and `sync-client` may make.
struct CallAccessTests {
    /// Apple's status for SecItem calls; else the exit code for a refused caller.
    private static let refusals: Set<Int32> = [-34018, 77]

    @Test(arguments: [
        "backup", "restore", "entries.import", "doctor", "item.history", "item.conflicts",
        "device.unlock", "device.passcode", "device.lockAfter", "keychains.list",
        "keychains.create", "keychains.nameFolder", "account.signup", "account.login",
        "account.check", "account.serverPin", "account.prepare", "account.mayHaveKey",
        "account.discardUnsent", "account.leave", "server", "server.set", "server.rebuild",
        "server.pin",
        "kv.limits", "kv.limits.set", "items.history", "items.restoreVersions",
        "items.forgetVersions", "items.deleted", "items.restoreDeleted", "items.ofCode",
        "device.loss",
    ])
    func `calls that show or change everything require access to all groups`(
        call: String
    ) async throws {
        let world = try HandlerWorld()
        guard case .failure(let refusal) = await world.answer(call, [:], of: HandlerWorld.program)
        else {
            Issue.record("it was answered")
            return
        }
        #expect(Self.refusals.contains(refusal.code))
        // An empty call may have other errors, but the caller is not one of them.
        if case .failure(let other) = await world.answer(call, [:], of: HandlerWorld.keychain) {
            #expect(other != refusal)
        }
    }

    @Test(arguments: ["status", "device.state", "device.lock", "greet"])
    func `any program may read the status, and lock`(call: String) async throws {
        let world = try HandlerWorld()
        guard case .result = await world.answer(call, [:], of: HandlerWorld.program) else {
            Issue.record("it was refused")
            return
        }
    }

    @Test(arguments: ["item.add", "item.find", "item.delete", "secitem", "file.contents", "doctor"])
    func `an unknown program has no groups`(call: String) async throws {
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
    func `an unknown call is reported`() async throws {
        let world = try HandlerWorld()
        guard case .failure = await world.answer("item.steal", [:], of: HandlerWorld.keychain)
        else {
            Issue.record("it was answered")
            return
        }
    }
}
