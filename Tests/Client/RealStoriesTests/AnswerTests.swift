import KSAgent
import KSRealStories
import Simulation
import Testing

/// What the output of commands means.
struct AnswerTests {
    private func json(_ text: String) throws -> AgentValue {
        try #require(Answers.json(Array(text.utf8)))
    }

    @Test
    func `items, fields and versions have the names of a story`() throws {
        let list = try json(
            """
            [{"reference":"aa","title":"mail","userName":"ada","place":"mail.example"},
            {"reference":"bb","title":"x","userName":"","place":"bank"}]
            """
        )
        #expect(Answers.items(list).map(\.name) == ["ada@mail.example", "bank"])
        let item = try json(
            """
            {"title":"Mail","userName":"ada","password":"first","note":"",
            "fields":[{"name":"pin","kind":"text","value":"0000"}]}
            """
        )
        let fields = Answers.fields(item).map { "\($0.name)=\($0.value)" }
        #expect(fields == ["password=first", "user=ada", "title=Mail", "pin=0000"])
        let history = try json(
            """
            {"deletedElsewhere":true,"versions":[
            {"standing":"current","device":"phone","name":"password","value":"b"},
            {"standing":"conflict","device":null,"name":"user name","value":"eve"}]}
            """
        )
        #expect(Answers.isDeletedElsewhere(history))
        let versions = Answers.versions(history)
        #expect(versions.map(\.field) == ["password", "user"])
        #expect(versions.map(\.device) == ["phone", nil])
    }

    @Test
    func `the values of a key are those of a story's file`() throws {
        let printed = #"{"key":"k","type":"map","value":{"b":[1,0.5],"a":"x"},"device":"phone"}"#
        let entry = try #require(Answers.entry(try json(printed)))
        #expect(entry.value?.description == #"{"a": "x", "b": [1, 0.5]}"#)
        #expect(entry.device == "phone")
        let conflicts = Answers.conflicts(
            try json(#"["dark",{"field":"width","value":200},{"other":1}]"#)
        )
        #expect(conflicts.map(\.description) == [#""dark""#, "200", #"{"other": 1}"#])
        let history = Answers.history(try json(#"[{"changed":"x","value":"blue"}]"#))
        #expect(history.map(\.description) == [#""blue""#])
    }

    @Test
    func `the newest deleted item of a name is restored`() throws {
        let list = try json(
            """
            [{"code":"one","userName":"","place":"bank"},{"code":"two","userName":"ada",
            "place":"mail"},{"code":"three","userName":"bob","place":"mail"}]
            """
        )
        #expect(Answers.deletedCode("mail", in: list) == "two")
        #expect(Answers.deletedCode("bob@mail", in: list) == "three")
        #expect(Answers.deletedCode("eve@mail", in: list) == nil)
    }

    @Test
    func `a record is deleted once each of its writes is a tombstone`() {
        let head = "record 59, seq 7\n"
        let living = "  write a:1, replaces none, generation 1, a box of 5 bytes:\n  000000  01\n"
        let dead = "  write b:1, replaces none, generation 1, tombstone, a box of 5 bytes:\n"
        #expect(Answers.isDeleted(head + dead))
        #expect(!Answers.isDeleted(head + dead + living))
    }

    @Test(arguments: [
        (#""refusedSince":"x""#, UnsentReason.revoked), (#""paused":"x""#, .paused),
        (#""problemMessage":"account_unknown","refusedSince":"x""#, .serverEmpty),
        (#""lock":"locked""#, .locked), (#""notSent":[{}]"#, .blocked), (#""x":null"#, .waiting),
    ])
    func `the status says why changes are not sent`(members: String, reason: UnsentReason) throws {
        let lock = members.contains("lock") ? "" : #","lock":"unlocked""#
        let status = DeviceStatus(
            try json(#"{"device":"laptop","unsent":1\#(lock),\#(members)}"#)
        )
        #expect(status.unsentReason(reach: nil) == reason)
        #expect(status.unsentReason(reach: .offline) == .offline)
    }

    @Test
    func `nothing is unsent because of nothing`() throws {
        let status = DeviceStatus(try json(#"{"device":"laptop","unsent":0,"lock":"unlocked"}"#))
        #expect(status.unsentReason(reach: .offline) == nil)
        #expect(status.pause == nil && !status.isStuck && !status.isComparing)
    }
}
