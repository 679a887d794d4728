import KSAgent
import Testing

/// Calls and answers, as the dictionaries that are sent.
struct AgentCallTests {
    @Test
    func `a call is sent as its fields by name, without the nil ones`() throws {
        var call = ImportKeys(file: [1, 2])
        call.kind = "cert"
        call.extractable = true
        #expect(
            call.agentValue
                == ["file": .data([1, 2]), "kind": "cert", "extractable": true]
        )
        let read = try ImportKeys(call.agentValue)
        #expect(read.file == [1, 2] && read.kind == "cert" && read.extractable == true)
        #expect(read.format == nil && read.keychain == nil)
        #expect(StopDaemon().agentValue.dictionary ?? [:] == [:])
    }

    /// An empty list must not become empty data.
    @Test
    func `an empty list stays a list`() throws {
        let list = KeychainList(search: [])
        #expect(list.agentValue == ["search": [], "default": .null])
        #expect(SetSearchList(keychains: []).agentValue == ["keychains": []])
    }

    @Test(
        arguments: [
            ["class": "genp", "limit": "1"], ["class": "genp", "wantsSecret": 1],
            ["class": "genp", "keychains": ["a", 1]], ["class": "genp", "attributes": "acct"],
        ] as [AgentValue]
    )
    func `a look-up with a field of the wrong type is refused`(arguments: AgentValue) {
        #expect(throws: AgentError.malformedMessage) { try FindItems(arguments) }
    }

    @Test
    func `a look-up decodes to what was encoded`() throws {
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
        #expect(try [FoundItem]([item].agentValue) == [item])
        let update = SecItemCall(.update, ["acct": "a"], update: ["labl": "l"])
        #expect(try SecItemCall(update.agentValue).agentValue == update.agentValue)
        #expect(throws: AgentError.malformedMessage) {
            try SecItemCall(["fn": "update", "query": [:]])
        }
    }

    /// A call whose answer was lost may be repeated only if that changes nothing.
    @Test
    func `only calls that change nothing are repeated`() {
        #expect(SecItemCall(.copy, [:]).mayRepeat && ReadProtectedFile(path: "/f").mayRepeat)
        for function in [SecItemCall.Function.add, .update, .updateExactly, .delete] {
            #expect(!SecItemCall(function, [:]).mayRepeat)
        }
        #expect(!AddItem(class: "genp").mayRepeat && !StopDaemon().mayRepeat)
    }

    @Test
    func `calls and answers show no secret`() {
        let secret = "a secret that must not be shown"
        let bytes = Array(secret.utf8)
        let values: [Any] = [
            FoundItem(class: "genp", attributes: ["acct": .string(secret)], secret: bytes),
            ExportedKeys(file: bytes, leftOut: 0),
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
