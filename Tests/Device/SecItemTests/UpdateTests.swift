import KSSealing
import KSAgent
import KSKeychain
import KSKeychainTestSupport
import KSSecItem
import Testing

struct UpdateTests {
    private func attributes(_ query: AgentDictionary, _ fixture: Fixture) -> AgentDictionary? {
        fixture.copy(query + ["r_Attributes": true]).result?.dictionary
    }

    @Test
    func `an update changes all that match`() throws {
        let fixture = try Fixture()
        for name in ["a", "b", "c"] { try fixture.put(.password(name, data: name)) }
        try fixture.put(.password("d", "other"))
        #expect(fixture.update(["class": "genp", "svce": "s"], ["labl": "l"]) == Status.success)
        let labelled = fixture.copy(
            ["class": "genp", "labl": "l", "m_Limit": "m_LimitAll", "r_Data": true]
        )
        #expect(labelled.result == [.bytes("a"), .bytes("b"), .bytes("c")])
    }

    @Test(
        arguments: [
            "class", "r_Data", "m_Limit", "u_CredRef", "u_Tomb", "v_Ref", "v_PersistentRef", "f",
            "foo", "", "abcd", "srvr",
        ]
    )
    func `an update sets attributes and the secret, nothing else`(key: String) throws {
        let fixture = try Fixture()
        try fixture.put(.password())
        #expect(fixture.update(.password(), [key: "genp"]) == Status.noSuchAttribute)
    }

    @Test(
        arguments: [
            ("v_Data", "text"), ("v_Data", .null), ("v_Data", 1), ("labl", .null),
            ("labl", .array([])), ("pdmn", "bogus"), ("clip", true), ("ggrp", "g"),
            ("accc", "x"), ("sync", "x"), ("cdat", 1), ("tomb", true),
        ] as [(String, AgentValue)]
    )
    func `a value that an attribute does not take is refused`(
        key: String,
        value: AgentValue
    ) throws {
        let fixture = try Fixture()
        try fixture.put(.password(data: "d"))
        #expect(fixture.update(.password(), [key: value]) == Status.parameter)
        #expect(fixture.copy(.password() + ["r_Data": true]).result == .bytes("d"))
    }

    @Test(arguments: ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"])
    func `an update returns nothing`(flag: String) throws {
        let fixture = try Fixture()
        try fixture.put(.password())
        #expect(fixture.update(.password() + [flag: true], ["labl": "l"]) == Status.parameter)
        #expect(fixture.update(.password() + [flag: false], ["labl": "l"]) == Status.success)
    }

    @Test(arguments: ["m_Limit", "m_CaseInsensitive"])
    func `an update refuses match keys`(key: String) throws {
        let fixture = try Fixture()
        try fixture.put(.password())
        let query = AgentDictionary.password() + [key: "m_LimitOne"]
        #expect(fixture.update(query, ["labl": "l"]) == Status.parameter)
    }

    @Test
    func `an empty update touches the item`() throws {
        let fixture = try Fixture()
        try fixture.put(.password(data: "d"))
        let before = try #require(attributes(.password(), fixture)?["mdat"]?.date)
        #expect(fixture.update(.password(), [:]) == Status.success)
        let after = try #require(attributes(.password(), fixture)?["mdat"]?.date)
        #expect(abs(after - before - 0.001) < 0.000_001)
        #expect(fixture.copy(.password() + ["r_Data": true]).result == .bytes("d"))
    }

    @Test
    func `the creation date can be set, the modification date cannot`() throws {
        let fixture = try Fixture()
        try fixture.put(.password())
        let dates: AgentDictionary = ["cdat": .date(86400), "mdat": .date(5)]
        #expect(fixture.update(.password(), dates) == Status.success)
        let after = try #require(attributes(.password(), fixture))
        #expect(after["cdat"] == .date(86400))
        #expect(try #require(after["mdat"]?.date) > fixture.clock.seconds)
    }

    @Test
    func `a change of an item's user is ignored without an error`() throws {
        let fixture = try Fixture()
        try fixture.put(.password())
        let user: AgentValue = .data([UInt8](repeating: 0, count: 16))
        #expect(fixture.update(.password(), ["musr": user]) == Status.success)
        #expect(attributes(.password(), fixture)?["musr"] == .data([]))
    }

    @Test
    func `an item moves to another key and leaves its own free`() throws {
        let fixture = try Fixture()
        try fixture.put(.password("a", data: "d"))
        #expect(fixture.update(.password("a"), ["acct": "b"]) == Status.success)
        #expect(fixture.copy(.password("b") + ["r_Data": true]).result == .bytes("d"))
        #expect(fixture.add(.password("a")).status == Status.success)
    }

    @Test
    func `an update to an existing key changes nothing`() throws {
        let fixture = try Fixture()
        for name in ["a", "b", "c"] { try fixture.put(.password(name, data: name)) }
        let update: AgentDictionary = ["acct": "b", "v_Data": .bytes("new")]
        #expect(fixture.update(.password("a"), update) == Status.duplicateItem)
        let both: AgentDictionary = ["class": "genp", "svce": "s"]
        #expect(fixture.update(both, ["acct": "new"]) == Status.duplicateItem)
        let all = fixture.copy(both + ["m_Limit": "m_LimitAll", "r_Data": true])
        #expect(all.result == [.bytes("a"), .bytes("b"), .bytes("c")])
        #expect(fixture.copy(.password("a")).status == Status.success)
    }

    @Test
    func `an update can change the protection`() throws {
        let fixture = try Fixture()
        try fixture.put(.password(data: "d"))
        #expect(fixture.update(.password(), ["pdmn": "ck"]) == Status.success)
        #expect(attributes(.password(), fixture)?["pdmn"] == "ck")
        fixture.sealing.lock(.whenUnlocked)
        #expect(fixture.copy(.password() + ["r_Data": true]).result == .bytes("d"))
    }

    // MARK: Synchronizable

    @Test
    func `an item becomes synchronizable and local again`() throws {
        let fixture = try Fixture()
        try fixture.put(.password(data: "d"))
        #expect(fixture.update(.password(), ["sync": true]) == Status.success)
        #expect(fixture.copy(.password()).status == Status.itemNotFound)
        let synced = AgentDictionary.password() + ["sync": true]
        #expect(fixture.copy(synced + ["r_Data": true]).result == .bytes("d"))
        #expect(fixture.update(synced, ["sync": "syna", "labl": "l"]) == Status.success)
        #expect(fixture.copy(synced + ["labl": "l"]).status == Status.success)
        #expect(fixture.update(synced, ["sync": false]) == Status.success)
        #expect(fixture.copy(.password() + ["labl": "l"]).status == Status.success)
        #expect(fixture.copy(synced).status == Status.itemNotFound)
    }

    @Test
    func `an item does not become synchronizable if such an item exists`() throws {
        let fixture = try Fixture()
        try fixture.put(.password(data: "local"))
        try fixture.put(.password(data: "synced") + ["sync": true])
        #expect(fixture.update(.password(), ["sync": true]) == Status.duplicateItem)
        #expect(fixture.copy(.password() + ["r_Data": true]).result == .bytes("local"))
    }

    // MARK: Tombstones

    @Test
    func `an item that stops being synchronizable leaves a tombstone`() throws {
        let fixture = try Fixture()
        let synced = AgentDictionary.password("a") + ["sync": true]
        let named: AgentDictionary = ["r_PersistentRef": true]
        let reference = try #require(try fixture.put(synced + ["v_Data": .bytes("d")] + named))
        #expect(fixture.update(synced, ["sync": false]) == Status.success)
        let buried = fixture.copy(synced + named + ["tomb": true])
        #expect(buried.status == Status.success)
        #expect(buried.result != reference)
        #expect(fixture.copy(.password("a") + named).result == reference)
        #expect(fixture.copy(.password("a") + ["r_Data": true]).result == .bytes("d"))
        #expect(fixture.copy(.password("a") + ["tomb": true]).status == Status.itemNotFound)
        // In the other direction no device needs a tombstone.
        #expect(fixture.update(.password("a"), ["sync": true]) == Status.success)
        #expect(fixture.copy(synced + named).result == reference)
        #expect(fixture.copy(synced + ["tomb": true]).status == Status.itemNotFound)
        #expect(fixture.copy(.password("a") + ["tomb": true]).status == Status.itemNotFound)
        #expect(try fixture.count("genp") == 1)
    }

    @Test
    func `a synchronizable item leaves a tombstone at its old key`() throws {
        let fixture = try Fixture()
        let synced: AgentDictionary = ["sync": true]
        let reference = try fixture.put(.password("a") + synced + ["r_PersistentRef": true])
        #expect(fixture.update(.password("a") + synced, ["acct": "b"]) == Status.success)
        let buried = fixture.copy(
            .password("a") + synced + ["tomb": true, "r_PersistentRef": true]
        )
        #expect(buried.status == Status.success)
        #expect(buried.result != reference)
        let live = fixture.copy(.password("b") + synced + ["r_PersistentRef": true])
        #expect(live.result == reference)
        // A label is not part of the key.
        #expect(fixture.update(.password("b") + synced, ["labl": "l"]) == Status.success)
        #expect(
            fixture.copy(.password("b") + synced + ["tomb": true]).status == Status.itemNotFound
        )
    }

    @Test
    func `an update takes the key of a tombstone and keeps its own reference`() throws {
        let fixture = try Fixture()
        try fixture.put(.password("a") + ["sync": true])
        #expect(fixture.delete(.password("a") + ["sync": true]) == Status.success)
        let synced: AgentDictionary = ["sync": true]
        let reference = try fixture.put(.password("b") + synced + ["r_PersistentRef": true])
        #expect(fixture.update(.password("b") + synced, ["acct": "a"]) == Status.success)
        let found = fixture.copy(.password("a") + synced + ["r_PersistentRef": true])
        #expect(found.result == reference)
        let none = fixture.copy(.password("a") + synced + ["tomb": true])
        #expect(none.status == Status.itemNotFound)
    }
}
