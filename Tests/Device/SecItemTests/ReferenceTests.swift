import KSAgent
import KSSecItem
import Testing

struct ReferenceTests {
    private func reference(_ query: AgentDictionary, _ fixture: Fixture) throws -> AgentValue {
        let reply = fixture.copy(query + ["r_PersistentRef": true])
        return try #require(reply.result)
    }

    @Test(arguments: ["genp", "inet", "cert", "keys"])
    func `a reference is the class and 16 bytes, and finds its item alone`(
        itemClass: String
    ) throws {
        let fixture = try Fixture()
        let query: AgentDictionary = ["class": .string(itemClass), "v_Data": .bytes("d")]
        try fixture.put(query + ["vwht": "other"])
        let reference = try #require(try fixture.put(query + ["r_PersistentRef": true]))
        #expect(reference.data?.count == 20)
        #expect(reference.data.map { Array($0.prefix(4)) } == Array(itemClass.utf8))
        let found = fixture.copy(["v_PersistentRef": reference, "r_Attributes": true])
        #expect(found.result?.dictionary?["vwht"] == nil)
        #expect(fixture.copy(["v_PersistentRef": reference, "r_Data": true]).result == .bytes("d"))
    }

    @Test
    func `a reference survives every change`() throws {
        let fixture = try Fixture()
        fixture.client.accessGroups = ["group", "other"]
        let reference = try #require(try fixture.put(.password() + ["r_PersistentRef": true]))
        for update in [
            ["acct": "b"], ["labl": "l"], ["v_Data": .bytes("d")], ["pdmn": "ck"], ["sync": true],
            ["agrp": "other"], ["agrp": "group", "sync": false], ["agrp": "other", "acct": "c"],
        ] as [AgentDictionary] {
            #expect(fixture.update(["v_PersistentRef": reference], update) == Status.success)
            let live: AgentDictionary = ["class": "genp", "sync": "syna", "r_PersistentRef": true]
            #expect(fixture.copy(live).result == reference, "\(update)")
        }
        let query: AgentDictionary = ["v_PersistentRef": reference]
        #expect(fixture.copy(query + ["r_Data": true]).result == .bytes("d"))
        #expect(fixture.delete(query) == Status.success)
        #expect(fixture.delete(query) == Status.itemNotFound)
        #expect(fixture.copy(query).status == Status.itemNotFound)
        #expect(fixture.update(query, [:]) == Status.itemNotFound)
    }

    @Test
    func `a search by reference has no other criteria`() throws {
        let fixture = try Fixture()
        let reference = try #require(try fixture.put(.password() + ["r_PersistentRef": true]))
        let query: AgentDictionary = ["v_PersistentRef": reference]
        #expect(fixture.copy(query + ["acct": "a"]).status == Status.parameter)
        #expect(fixture.copy(query + ["agrp": "group"]).status == Status.parameter)
        #expect(fixture.copy(query + ["class": "inet"]).status == Status.parameter)
        let all = fixture.copy(
            query + ["class": "genp", "m_Limit": "m_LimitAll", "r_PersistentRef": true]
        )
        #expect(all.result == [reference])
        for sync in [false, true, "syna"] as [AgentValue] {
            #expect(fixture.copy(query + ["sync": sync]).status == Status.success)
        }
        // In an update, a reference is one of several criteria.
        #expect(fixture.update(query + ["acct": "b"], [:]) == Status.itemNotFound)
        #expect(fixture.update(query + ["acct": "a"], [:]) == Status.success)
    }

    @Test
    func `a malformed reference is refused, and an unknown one finds nothing`() throws {
        let fixture = try Fixture()
        let name = [UInt8](repeating: 1, count: 16)
        for bytes in [
            [], Array("genp".utf8), Array("genp".utf8) + name.dropLast(), Array("abcd".utf8) + name,
            Array("genp".utf8) + name + [1],
        ] {
            let query: AgentDictionary = ["v_PersistentRef": .data(bytes)]
            #expect(fixture.copy(query).status == Status.parameter)
            #expect(fixture.delete(query) == Status.parameter)
        }
        #expect(fixture.copy(["v_PersistentRef": "genp"]).status == Status.parameter)
        let unknown: AgentDictionary = ["v_PersistentRef": .data(Array("genp".utf8) + name)]
        #expect(fixture.copy(unknown).status == Status.itemNotFound)
        // The old form: a class and a row's number.
        let old: AgentDictionary = ["v_PersistentRef": .data(Array("genp".utf8) + name.prefix(8))]
        #expect(fixture.copy(old).status == Status.itemNotFound)
    }

    @Test
    func `a reference gives no access to other groups`() throws {
        let fixture = try Fixture()
        let reference = try #require(try fixture.put(.password() + ["r_PersistentRef": true]))
        fixture.client.accessGroups = ["other"]
        #expect(fixture.copy(["v_PersistentRef": reference]).status == Status.itemNotFound)
        #expect(fixture.delete(["v_PersistentRef": reference]) == Status.itemNotFound)
    }

    @Test(
        arguments: [
            "x", 1, .null, ["$ref": "other"], ["$ref": "genp"], [:], ["$ref": "cert"],
            ["$ref": "keys", "key": .data([1])],
            ["$ref": "keys", "key": .data([1]), "kcls": "7"], ["$ref": "policy"],
        ] as [AgentValue]
    )
    func `an object that is not an item is refused`(object: AgentValue) throws {
        let fixture = try Fixture()
        let query: AgentDictionary = ["v_Ref": object]
        #expect(fixture.add(query).status == Status.parameter)
        #expect(fixture.copy(query).status == Status.parameter)
        #expect(fixture.update(query, [:]) == Status.parameter)
        #expect(fixture.delete(query) == Status.parameter)
        #expect(fixture.add(query + ["class": "genp"]).status == Status.parameter)
    }

    // MARK: Keys

    private let key: AgentValue = [
        "$ref": "keys", "key": .data([4, 1, 2]), "kcls": "1", "type": "73", "bsiz": 256,
        "klbl": .data([9, 9]), "labl": "mine",
    ]

    @Test
    func `a key is added and returned as an object`() throws {
        let fixture = try Fixture()
        try fixture.put(["v_Ref": key])
        #expect(fixture.add(["v_Ref": key]).status == Status.duplicateItem)
        let search: AgentDictionary = ["class": "keys", "kcls": "1", "r_Ref": true]
        #expect(fixture.copy(search).result == key)
        let found = fixture.copy(["v_Ref": key, "r_Attributes": true, "r_Data": true])
        let attributes = try #require(found.result?.dictionary)
        #expect(attributes["kcls"] == 1)
        #expect(attributes["type"] == 73)
        #expect(attributes["esiz"] == 256)
        #expect(attributes["priv"] == 1)
        #expect(attributes["sign"] == 1)
        #expect(attributes["vrfy"] == 0)
        #expect(attributes["v_Data"] == .data([4, 1, 2]))
        #expect(fixture.update(["v_Ref": key], ["atag": .bytes("tag")]) == Status.success)
        #expect(fixture.copy(["class": "keys", "atag": "tag"]).status == Status.success)
        #expect(fixture.delete(["v_Ref": key]) == Status.success)
        #expect(fixture.copy(["class": "keys"]).status == Status.itemNotFound)
    }

    @Test
    func `a password has no object`() throws {
        let fixture = try Fixture()
        for query in [.password(), ["class": "inet"]] as [AgentDictionary] {
            #expect(fixture.add(query + ["r_Ref": true]) == SecItemReply(status: 0))
            #expect(fixture.copy(query + ["r_Ref": true]) == SecItemReply(status: 0))
            let list = fixture.copy(query + ["r_Ref": true, "m_Limit": "m_LimitAll"])
            #expect(list == SecItemReply(status: 0, result: []))
        }
    }
}
