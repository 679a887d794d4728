import KSAgent
import Testing

import KSDaemon

/// The calls that only `sync-client` makes, as the dictionaries that are sent.
struct ClientCallTests {
    @Test
    func `a nil field of an answer is null if commands print it as null`() throws {
        var examination = Examination()
        examination.sync = try Examination.Sync([
            "waiting": 0, "notSent": [], "quarantinedItems": [],
        ])
        let fields = try #require(examination.agentValue.dictionary)
        #expect(fields["paused"] == .null && fields["account"] == .null)
        #expect(fields["restored"] == nil && fields["lock"] == "unlocked")
        #expect(try Examination(.dictionary(fields)).sync?.waiting == 0)
        let version = try ShownVersion(["standing": "superseded", "secret": .data([0xFF])])
        #expect(
            version.agentValue
                == [
                    "version": .null, "standing": "superseded", "time": .null, "device": .null,
                    "secret": .data([0xFF]),
                ]
        )
        let current: AgentValue = [
            "version": .null, "standing": "current", "time": .date(7), "device": .null,
        ]
        #expect(try ShownVersion(current).agentValue == current)
    }

    @Test
    func `the status of a device with an account includes that of its sync`() throws {
        var sync = SyncStatus(account: "ada", device: "laptop", server: "https://h")
        sync.quarantined = ["notAuthentic": 2]
        var status = DeviceStatus()
        (status.standing.joined, status.standing.problem) = (true, "Look.")
        status.sync = sync
        let read = try DeviceStatus(status.agentValue)
        #expect(read.sync?.quarantined == ["notAuthentic": 2])
        #expect(read.standing.joined && read.standing.problem == "Look.")
        let alone = try #require(DeviceStatus().agentValue.dictionary)
        #expect(alone["joined"] == false && alone["account"] == nil && alone["problem"] == .null)
        #expect(try DeviceStatus(.dictionary(alone)).sync == nil)
    }

    @Test(
        arguments: [
            ["path": 1, "passphrase": .data([1])], ["path": "/f"],
            ["path": "/f", "passphrase": "text"],
            ["path": .null, "passphrase": .data([1])],
        ] as [AgentValue]
    )
    func `a missing field and one of the wrong type are refused`(arguments: AgentValue) {
        #expect(throws: AgentError.malformedMessage) { try BackUp(arguments) }
    }

    @Test
    func `calls and answers show no secret`() throws {
        let secret = "a secret that must not be shown"
        let bytes = Array(secret.utf8)
        let form = AccountForm(server: "s", account: "a", device: "d", password: bytes)
        let values: [Any] = [
            form, SignUp(form), UnlockDevice(passcode: bytes),
            try JoinedAccount(
                ["account": "a", "device": "d", "server": "s", "accountKey": .string(secret)]
            ),
            try ShownVersion(["standing": "current", "secret": .data(bytes)]),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains(secret) && !text.contains("\(bytes[0]), \(bytes[1])"))
            }
        }
    }
}
