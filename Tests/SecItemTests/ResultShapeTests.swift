import Agent
import SecItem
import Testing

/// What a dictionary holds when an object was asked for beside something else.
struct ResultShapeTests {
    private func fixture() throws -> Fixture {
        let fixture = try Fixture()
        try fixture.put(["v_Ref": try Objects.identity()])
        return fixture
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `an object and attributes come with the class and without the secret`(
        itemClass: String
    ) throws {
        let fixture = try fixture()
        let query: AgentDictionary = ["class": .string(itemClass), "r_Ref": true]
        let object = try #require(fixture.copy(query).result)
        #expect(object.dictionary?["$ref"] == .string(itemClass))
        let reply = fixture.copy(query + ["r_Attributes": true])
        let result = try #require(reply.result?.dictionary)
        #expect(result["class"] == .string(itemClass))
        #expect(result["v_Ref"] == object)
        #expect(result["v_Data"] == nil)
        #expect(result["v_PersistentRef"] == nil)
        #expect(result["agrp"] == "group")
        #expect((result["subj"] != nil) == (itemClass != "keys"))
        #expect((result["kcls"] != nil) == (itemClass != "cert"))
        // Attributes alone name neither.
        let attributes = fixture.copy(
            ["class": .string(itemClass), "r_Attributes": true]
        ).result?.dictionary
        #expect(attributes?["agrp"] == "group")
        #expect(attributes?["class"] == nil)
        #expect(attributes?["v_Ref"] == nil)
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `an object and a reference come with the class and nothing else`(
        itemClass: String
    ) throws {
        let fixture = try fixture()
        let query: AgentDictionary = [
            "class": .string(itemClass), "r_Ref": true, "r_PersistentRef": true,
        ]
        let result = try #require(fixture.copy(query).result?.dictionary)
        #expect(result.entries.map(\.key).sorted() == ["class", "v_PersistentRef", "v_Ref"])
        #expect(result["class"] == .string(itemClass))
        let reference = try #require(result["v_PersistentRef"]?.data)
        #expect(Array(reference.prefix(4)) == Array(itemClass.utf8))
        #expect(reference.count == 20)
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `an object and the secret come with the class and no attributes`(
        itemClass: String
    ) throws {
        let fixture = try fixture()
        let query: AgentDictionary = [
            "class": .string(itemClass), "r_Ref": true, "r_Data": true,
        ]
        let result = try #require(fixture.copy(query).result?.dictionary)
        #expect(result.entries.map(\.key).sorted() == ["class", "v_Data", "v_Ref"])
        let part = itemClass == "cert" ? "certificate" : "key"
        #expect(result["v_Data"] == (try Objects.identity().dictionary?[part]))
    }
}
