import KSAgent
import Testing

/// Calls and answers, as the dictionaries that travel.
struct AgentCallTests {
    @Test
    func `the fields of a call travel by their names, and what is nil does not`() throws {
        let call = ImportKeys(file: [1, 2], kind: "cert", extractable: true)
        #expect(
            try call.agentValue
                == ["file": .data([1, 2]), "kind": "cert", "extractable": true]
        )
        let read = try ImportKeys(try call.agentValue)
        #expect(read.file == [1, 2] && read.kind == "cert" && read.extractable == true)
        #expect(read.format == nil && read.keychain == nil)
        #expect(try GetStatus().agentValue.dictionary ?? [:] == [:])
    }

    /// A list of nothing is no data.
    @Test
    func `an empty list stays a list`() throws {
        let list = KeychainList(search: [])
        #expect(try list.agentValue == ["search": [], "default": .null])
        #expect(try SetSearchList(keychains: []).agentValue == ["keychains": []])
    }

    @Test
    func `what is nil in an answer is null where commands print it so`() throws {
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
            versions: [version, ShownVersion(standing: "superseded", secret: [0xFF])]
        )
        #expect(
            try history.agentValue.dictionary?["versions"] == [
                ["standing": "current", "time": .date(-AgentDate.secondsFrom1970To2001)],
                ["standing": "superseded", "time": .null, "secret": .data([0xFF])],
            ]
        )
    }

    @Test
    func `a status of a device with an account has all of both`() throws {
        var sync = SyncStatus(account: "ada", device: "laptop", server: "https://h")
        sync.quarantined = ["notAuthentic": 2]
        let status = DeviceStatus(problem: "Look.", sync: sync)
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
    func `a field that is missing or of another kind is refused`(arguments: AgentValue) {
        #expect(throws: AgentError.malformedMessage) { try BackUp(arguments) }
    }

    @Test(
        arguments: [
            ["class": "genp", "limit": "1"], ["class": "genp", "wantsSecret": 1],
            ["class": "genp", "keychains": ["a", 1]], ["class": "genp", "attributes": "acct"],
        ] as [AgentValue]
    )
    func `a look-up with a field of another kind is refused`(arguments: AgentValue) {
        #expect(throws: AgentError.malformedMessage) { try FindItems(arguments) }
    }

    @Test
    func `look-ups come back as they went`() throws {
        var call = FindItems(
            ItemSearch(
                class: "inet",
                attributes: ["srvr": "h", "port": 443],
                synchronizable: "yes",
                keychains: ["login"]
            ),
            limit: 1,
            wantsSecret: true
        )
        call.skip = 2
        #expect(try FindItems(call.agentValue).agentValue == call.agentValue)
        let item = FoundItem(class: "inet", attributes: [:], secret: [1], keychain: "/k")
        #expect(try [FoundItem](try [item].agentValue) == [item])
        let update = SecItemCall(.update, ["acct": "a"], update: ["labl": "l"])
        #expect(try SecItemCall(update.agentValue).agentValue == update.agentValue)
        #expect(throws: AgentError.malformedMessage) {
            try SecItemCall(["fn": "update", "query": [:]])
        }
    }

    /// What was answered may be carried out twice only where that changes nothing.
    @Test
    func `only calls that change nothing are repeated`() {
        #expect(SecItemCall(.copy, [:]).mayRepeat && ReadProtectedFile(path: "/f").mayRepeat)
        for function in [SecItemCall.Function.add, .update, .updateExactly, .delete] {
            #expect(!SecItemCall(function, [:]).mayRepeat)
        }
        #expect(!AddItem(class: "genp").mayRepeat && !LockDevice().mayRepeat)
    }

    @Test
    func `calls and answers show no secret`() {
        let secret = "a secret that must not be shown"
        let bytes = Array(secret.utf8)
        let form = AccountForm(server: "s", account: "a", device: "d", password: bytes)
        let values: [Any] = [
            form, SignUp(form), UnlockDevice(passcode: bytes),
            JoinedAccount(account: "a", device: "d", server: "s", accountKey: secret),
            FoundItem(class: "genp", attributes: ["acct": .string(secret)], secret: bytes),
            ShownVersion(standing: "current", secret: bytes), ExportedKeys(file: bytes, leftOut: 0),
            SecItemCall(.add, ["v_Data": .data(bytes)]), ProtectedContents(contents: bytes),
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
