import KSAgent
import Testing

import KSDaemon

/// The calls that only `sync-client` makes, as the dictionaries that are sent.
struct ClientCallTests {
    @Test
    func `a nil field of an answer is null if commands print it as null`() throws {
        let file = Examination.Sync(waiting: 0, paused: nil, notSent: [], quarantinedItems: [])
        let examination = Examination(
            lock: LockStatus(),
            findings: Examination.Findings(),
            sync: file
        )
        let fields = try #require(try examination.agentValue.dictionary)
        #expect(fields["paused"] == .null && fields["account"] == .null)
        #expect(fields["restored"] == nil && fields["lock"] == "unlocked")
        #expect(try Examination(.dictionary(fields)).sync?.waiting == 0)
        let version = ShownVersion(standing: "current", time: AgentDate(milliseconds: 0))
        let history = ShownHistory(
            item: "abcdefgh",
            class: "genp",
            attributes: ["acct": "ada"],
            deletedElsewhere: false,
            versions: [version, ShownVersion(standing: "superseded", time: nil, secret: [0xFF])],
            attributeConflicts: []
        )
        #expect(
            try history.agentValue.dictionary?["versions"] == [
                ["standing": "current", "time": .date(-AgentDate.secondsFrom1970To2001)],
                ["standing": "superseded", "time": .null, "secret": .data([0xFF])],
            ]
        )
    }

    @Test
    func `the status of a device with an account includes that of its sync`() throws {
        var sync = SyncStatus(account: "ada", device: "laptop", server: "https://h")
        sync.quarantined = ["notAuthentic": 2]
        let status = DeviceStatus(standing: .init(joined: true, problem: "Look."), sync: sync)
        let read = try DeviceStatus(try status.agentValue)
        #expect(read.sync?.quarantined == ["notAuthentic": 2])
        #expect(read.standing.joined && read.standing.problem == "Look.")
        let alone = try #require(try DeviceStatus().agentValue.dictionary)
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
            ShownVersion(standing: "current", time: nil, secret: bytes),
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
