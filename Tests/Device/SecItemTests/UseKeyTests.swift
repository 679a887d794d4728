import KSAgent
import KSSecItem
import Testing

/// Keys of a query that describe the call itself.
struct UseKeyTests {
    @Test(
        arguments: [
            "u_CredRef", "u_SystemKeychain", "u_SystemKeychainAlways", "u_CallerName",
            "u_TokenRawItems", "u_SyncBubbleKeychain", "u_UserIndependentKeychain",
            "u_CertsWithMatchIssuers",
        ]
    )
    func `every call accepts keys that only file keychains use`(key: String) throws {
        let fixture = try Fixture()
        for value in [true, "x", .data([1])] as [AgentValue] {
            let query = AgentDictionary.password() + [key: value]
            #expect(fixture.add(query).status == Status.success)
            #expect(fixture.copy(query).status == Status.success)
            #expect(fixture.update(query, ["labl": "l"]) == Status.success)
            #expect(fixture.delete(query) == Status.success)
        }
    }

    @Test(arguments: [true, false])
    func `an update may name the keychain in its changes`(isWanted: Bool) throws {
        let fixture = try Fixture()
        try fixture.put(.password(data: "d"))
        let update: AgentDictionary = ["nleg": .bool(isWanted), "labl": "l"]
        #expect(fixture.update(.password(), ["nleg": .bool(isWanted)]) == Status.success)
        #expect(fixture.update(.password(), update) == Status.success)
        let found = fixture.copy(.password() + ["labl": "l", "r_Attributes": true])
        #expect(found.result?.dictionary?["acct"] == "a")
        #expect(found.result?.dictionary?["nleg"] == nil)
    }

    // MARK: Tombstones

    private let buried: AgentDictionary = ["tomb": true]

    /// Whether the item is synchronizable, the switch, and whether a tombstone is left.
    @Test(
        arguments: [
            (true, nil, true), (true, true, true), (true, false, false), (false, nil, false),
            (false, true, true), (false, false, false),
        ] as [(Bool, Bool?, Bool)]
    )
    func `the switch decides whether an update leaves a tombstone`(
        isSynchronizable: Bool,
        wanted: Bool?,
        isLeft: Bool
    ) throws {
        let fixture = try Fixture()
        let sync: AgentDictionary = ["sync": .bool(isSynchronizable)]
        let item = AgentDictionary.password() + sync
        try fixture.put(item)
        var query = item
        query["u_Tomb"] = wanted.map { .bool($0) }
        #expect(fixture.update(query, ["acct": "b"]) == Status.success)
        #expect(fixture.copy(item).status == Status.itemNotFound)
        #expect(fixture.copy(.password("b") + sync).status == Status.success)
        let expected = isLeft ? Status.success : Status.itemNotFound
        #expect(fixture.copy(item + buried).status == expected)
        #expect(try fixture.count("genp") == (isLeft ? 2 : 1))
        #expect(fixture.add(item).status == Status.success)
    }

    @Test
    func `a query without tombstones finds the items`() throws {
        let fixture = try Fixture()
        let synced = AgentDictionary.password() + ["sync": true]
        try fixture.put(synced + ["v_Data": .bytes("synced")])
        try fixture.put(.password(data: "local"))
        let live: AgentDictionary = ["tomb": false, "r_Data": true]
        #expect(fixture.copy(.password() + live).result == .bytes("local"))
        #expect(fixture.copy(.password() + buried).status == Status.itemNotFound)
        #expect(fixture.copy(synced + live).result == .bytes("synced"))
        #expect(fixture.delete(synced) == Status.success)
        #expect(fixture.copy(synced + live).status == Status.itemNotFound)
        #expect(fixture.copy(synced + buried).status == Status.success)
        // The item exists, the tombstone does not: a switch that is off changes neither.
        #expect(fixture.delete(.password() + ["tomb": false]) == Status.success)
        #expect(fixture.copy(.password()).status == Status.itemNotFound)
    }

    @Test
    func `an item may be synchronizable and have a ThisDeviceOnly protection`() throws {
        let fixture = try Fixture()
        for letters in ["aku", "cku", "dku", "akpu"] {
            let item = AgentDictionary.password(letters, data: letters) + ["sync": true]
            #expect(fixture.add(item + ["pdmn": .string(letters)]).status == Status.success)
            let found = fixture.copy(item + ["r_Attributes": true, "r_Data": true])
            #expect(found.status == Status.success)
            #expect(found.result?.dictionary?["pdmn"] == .string(letters))
            #expect(found.result?.dictionary?["v_Data"] == .bytes(letters))
        }
    }
}
