import KSAgent
import KSSecItem
import Testing

struct DeleteTests {
    @Test
    func `a delete removes all matches of one class`() throws {
        let fixture = try Fixture()
        for name in ["a", "b", "c"] { try fixture.put(.password(name)) }
        try fixture.put(.password("d") + ["sync": true])
        try fixture.put(["class": "inet"])
        #expect(fixture.delete(["class": "genp"]) == Status.success)
        #expect(fixture.copy(["class": "genp"]).status == Status.itemNotFound)
        #expect(fixture.copy(["class": "genp", "sync": true]).status == Status.success)
        #expect(fixture.copy(["class": "inet"]).status == Status.success)
        #expect(fixture.delete(["class": "genp"]) == Status.itemNotFound)
    }

    @Test
    func `a delete ignores return flags and refuses match keys`() throws {
        let fixture = try Fixture()
        try fixture.put(.password())
        for (key, value) in [
            ("m_Limit", "m_LimitAll"), ("m_Limit", "m_LimitOne"), ("m_Whatever", 1),
            ("u_AuthUI", "u_AuthUIS"), ("accc", "wrong"), ("u_Tomb", 1),
        ] as [(String, AgentValue)] {
            #expect(fixture.delete(.password() + [key: value]) == Status.parameter, "\(key)")
        }
        let query = AgentDictionary.password() + ["r_Data": true, "r_Attributes": true]
        #expect(fixture.delete(query) == Status.success)
    }

    // MARK: Tombstones

    private let buried: AgentDictionary = ["tomb": true]

    @Test
    func `a deleted synchronizable item leaves a tombstone, which only a search for it finds`()
        throws
    {
        let fixture = try Fixture()
        let item = AgentDictionary.password() + ["sync": true]
        let added = fixture.add(item + ["labl": "l", "r_Attributes": true]).result?.dictionary
        #expect(fixture.delete(item) == Status.success)
        #expect(fixture.copy(item).status == Status.itemNotFound)
        #expect(fixture.update(item, ["labl": "x"]) == Status.itemNotFound)
        #expect(fixture.delete(item) == Status.itemNotFound)
        let tombstone = fixture.copy(
            item + buried + ["r_Attributes": true, "r_Data": true]
        ).result?.dictionary
        let left = try #require(tombstone)
        #expect(left["tomb"] == 1)
        #expect(left["acct"] == "a")
        #expect(left["labl"] == nil)
        #expect(left["v_Data"] == nil)
        #expect(left["cdat"] == added?["cdat"])
        #expect(left["pdmn"] == "ak")
        let before = try #require(added?["mdat"]?.date)
        #expect(try #require(left["mdat"]?.date) > before)
    }

    @Test
    func `a deleted internet password leaves its key and nothing else`() throws {
        let fixture = try Fixture()
        fixture.client.entitlements = [Entitlement.internetPasswordFields]
        let key: AgentDictionary = [
            "acct": "a", "sdmn": "domain", "srvr": "h", "ptcl": "http", "atyp": "form",
            "port": 8443, "path": "/p", "vwht": "hint", "tkid": "token", "agrp": "group",
        ]
        let item = key + ["class": "inet", "sync": true]
        let rest: AgentDictionary = [
            "icmt": "comment", "labl": "label", "desc": "kind", "crtr": 1, "alis": "alias",
            "v_Data": .bytes("d"), "binn": .bytes("notes"), "bin0": .bytes("more"),
        ]
        let all: AgentDictionary = ["r_Attributes": true, "r_Data": true]
        let added = try #require(try fixture.put(item + rest + all)?.dictionary)
        for entry in (key + rest).entries { #expect(added[entry.key] == entry.value) }
        #expect(fixture.delete(item) == Status.success)
        let left = try #require(fixture.copy(item + buried + all).result?.dictionary)
        for entry in key.entries { #expect(left[entry.key] == entry.value, "\(entry.key)") }
        for entry in rest.entries { #expect(left[entry.key] == nil, "\(entry.key)") }
        #expect(left["cdat"] == added["cdat"])
        #expect(left["pdmn"] == added["pdmn"])
        #expect(fixture.add(item).status == Status.success)
        #expect(fixture.copy(item + ["r_Data": true]).result == .data([]))
    }

    /// Whether the item is synchronizable, the switch, and whether a tombstone is left.
    @Test(
        arguments: [
            (true, nil, true), (true, true, true), (true, false, false), (false, nil, false),
            (false, true, true), (false, false, false),
        ] as [(Bool, Bool?, Bool)]
    )
    func `the switch decides whether a delete leaves a tombstone`(
        isSynchronizable: Bool,
        wanted: Bool?,
        isLeft: Bool
    ) throws {
        let fixture = try Fixture()
        let item = AgentDictionary.password() + ["sync": .bool(isSynchronizable)]
        try fixture.put(item + ["v_Data": .bytes("d")])
        var query = item
        query["u_Tomb"] = wanted.map { .bool($0) }
        #expect(fixture.delete(query) == Status.success)
        #expect(fixture.copy(item).status == Status.itemNotFound)
        let expected = isLeft ? Status.success : Status.itemNotFound
        #expect(fixture.copy(item + buried).status == expected)
        #expect(try fixture.count("genp") == (isLeft ? 1 : 0))
        // A tombstone does not prevent a new item.
        #expect(fixture.add(item).status == Status.success)
        #expect(fixture.copy(item + buried).status == Status.itemNotFound)
    }

    @Test(arguments: [false, true])
    func `deleting a tombstone removes it, unless the switch keeps it`(
        isSynchronizable: Bool
    ) throws {
        let fixture = try Fixture()
        let item = AgentDictionary.password() + ["sync": .bool(isSynchronizable)]
        try fixture.put(item)
        let always: AgentDictionary = ["u_Tomb": true]
        #expect(fixture.delete(item + always) == Status.success)
        #expect(fixture.delete(item + buried + always) == Status.success)
        #expect(fixture.copy(item + buried).status == Status.success)
        #expect(fixture.delete(item + buried) == Status.success)
        #expect(fixture.copy(item + buried).status == Status.itemNotFound)
        #expect(fixture.delete(item + buried) == Status.itemNotFound)
    }

    @Test
    func `an item that is re-added over its tombstone keeps its persistent reference`() throws {
        let fixture = try Fixture()
        let item = AgentDictionary.password() + ["sync": true, "r_PersistentRef": true]
        let first = try fixture.put(item)
        #expect(fixture.delete(item) == Status.success)
        #expect(try fixture.put(item) == first)
        // Without a tombstone, the earlier reference is forgotten.
        #expect(fixture.delete(item + ["u_Tomb": false]) == Status.success)
        #expect(try fixture.put(item) != first)
    }

    @Test
    func `a caller that forbids prompts cannot delete an item that needs one`() throws {
        let fixture = try Fixture()
        let control: AgentValue = ["$ref": "accc", "protection": "ak", "flags": 1]
        try fixture.put(.password() + ["accc": control])
        let silent = AgentDictionary.password() + ["u_AuthUI": "u_AuthUIF"]
        #expect(fixture.delete(silent) == Status.interactionNotAllowed)
        #expect(fixture.copy(.password()).status == Status.success)
        try fixture.put(.password("b"))
        #expect(fixture.delete(.password("b") + ["u_AuthUI": "u_AuthUIF"]) == Status.success)
        #expect(fixture.delete(.password()) == Status.success)
    }
}
