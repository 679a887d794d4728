import KSAgent
import KSSecItem
import Testing

struct CallsTests {
    @Test
    func `an added item is found, changed and deleted`() throws {
        let fixture = try Fixture()
        #expect(fixture.add(.password(data: "one")) == SecItemReply(status: 0))
        let query = AgentDictionary.password() + ["r_Data": true]
        #expect(fixture.copy(query).result == .bytes("one"))
        #expect(fixture.update(.password(), ["v_Data": .bytes("two")]) == Status.success)
        #expect(fixture.copy(query).result == .bytes("two"))
        #expect(fixture.delete(.password()) == Status.success)
        #expect(fixture.copy(query) == SecItemReply(status: Status.itemNotFound))
        #expect(fixture.delete(.password()) == Status.itemNotFound)
        #expect(fixture.update(.password(), ["labl": "l"]) == Status.itemNotFound)
    }

    @Test
    func `attributes of an item are a query for it`() throws {
        let fixture = try Fixture()
        try fixture.put(.password(data: "one"))
        let reply = fixture.copy(.password() + ["r_Attributes": true])
        let attributes = try #require(reply.result?.dictionary)
        for query in [attributes, attributes - ["sha1"]] {
            let found = fixture.copy(query + ["class": "genp", "r_Data": true])
            #expect(found == SecItemReply(status: 0, result: .bytes("one")))
        }
    }
}
