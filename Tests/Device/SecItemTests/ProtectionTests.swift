import KSSealing
import KSAgent
import KSKeychain
import KSKeychainTestSupport
import KSSecItem
import Testing

struct ProtectionTests {
    private let data: AgentDictionary = ["r_Data": true]

    // MARK: Locked

    @Test
    func `one locked match fails a search, whatever it returns`() throws {
        let fixture = try Fixture()
        try fixture.put(.password("open", data: "d") + ["pdmn": "ck"])
        try fixture.put(.password("closed", data: "d"))
        fixture.sealing.lock(.whenUnlocked)
        let all: AgentDictionary = ["class": "genp", "m_Limit": "m_LimitAll"]
        for more in [
            [:], ["r_Data": true], ["r_Attributes": true], ["r_PersistentRef": true],
        ] as [AgentDictionary] {
            let reply = fixture.copy(all + more)
            #expect(reply == SecItemReply(status: Status.interactionNotAllowed))
        }
        #expect(fixture.copy(.password("open") + data).result == .bytes("d"))
        #expect(fixture.copy(.password("none") + data).status == Status.itemNotFound)
    }

    @Test
    func `while locked, an add is refused before its key is compared`() throws {
        let fixture = try Fixture()
        try fixture.put(.password())
        fixture.sealing.lock(.whenUnlocked)
        #expect(fixture.add(.password()).status == Status.interactionNotAllowed)
        #expect(fixture.update(.password(), ["labl": "l"]) == Status.interactionNotAllowed)
        #expect(fixture.add(.password("b") + ["pdmn": "ck"]).status == Status.success)
        #expect(fixture.delete(.password()) == Status.success)
    }

    // MARK: Damaged

    private func damage(_ fixture: Fixture, id: Int = 1) throws {
        try fixture.execute(
            "UPDATE genp SET attributes = zeroblob(50), secret = zeroblob(50)"
                + " WHERE id = \(id)"
        )
    }

    @Test
    func `a damaged row is skipped and quarantined`() throws {
        let fixture = try Fixture()
        for name in ["a", "b"] { try fixture.put(.password(name, data: name)) }
        try damage(fixture)
        let query: AgentDictionary = ["class": "genp", "r_Data": true]
        #expect(fixture.copy(query).result == .bytes("b"))
        #expect(try fixture.count("quarantine") == 1)
        #expect(try fixture.count("genp") == 1)
        #expect(fixture.delete(.password("a")) == Status.itemNotFound)
    }

    @Test
    func `a search that matches only damaged rows finds nothing`() throws {
        let fixture = try Fixture()
        try fixture.put(.password(data: "d"))
        try damage(fixture)
        #expect(fixture.copy(.password() + data) == SecItemReply(status: Status.itemNotFound))
        #expect(try fixture.count("quarantine") == 1)
        #expect(fixture.add(.password()).status == Status.success)
    }

    @Test
    func `an update skips a damaged row, a delete removes it, an add replaces it`() throws {
        let fixture = try Fixture()
        try fixture.put(.password(data: "d"))
        try damage(fixture)
        #expect(fixture.update(.password(), ["labl": "l"]) == Status.itemNotFound)
        #expect(fixture.add(.password(data: "new")).status == Status.success)
        #expect(fixture.copy(.password() + data).result == .bytes("new"))
        try damage(fixture, id: 2)
        #expect(fixture.delete(.password()) == Status.success)
        #expect(fixture.copy(.password()).status == Status.itemNotFound)
    }

    @Test
    func `an update takes the key of a damaged row and keeps its own reference`() throws {
        let fixture = try Fixture()
        try fixture.put(.password("a"))
        let reference = try fixture.put(.password("b") + ["r_PersistentRef": true])
        try damage(fixture)
        #expect(fixture.update(.password("b"), ["acct": "a"]) == Status.success)
        #expect(fixture.copy(.password("a") + ["r_PersistentRef": true]).result == reference)
        #expect(try fixture.count("genp") == 1)
    }

    @Test
    func `a row that was moved to another group in the file is skipped`() throws {
        let fixture = try Fixture()
        fixture.client.accessGroups = ["one", "two"]
        try fixture.put(.password("a"))
        try fixture.put(.password("b") + ["agrp": "two"])
        try fixture.execute("UPDATE genp SET agrp = (SELECT agrp FROM genp WHERE id = 1)")
        fixture.client.accessGroups = ["one"]
        #expect(fixture.copy(.password("b")).status == Status.itemNotFound)
        #expect(fixture.copy(.password("a")).status == Status.success)
    }

    // MARK: Access control

    private func control(_ letters: String, _ flags: Int64 = 0) -> AgentValue {
        ["$ref": "accc", "protection": .string(letters), "flags": .integer(flags)]
    }

    @Test
    func `an access control includes the protection`() throws {
        let fixture = try Fixture()
        let reply = fixture.add(
            .password() + ["accc": control("cku", 1), "r_Attributes": true]
        )
        #expect(reply.result?.dictionary?["pdmn"] == "cku")
        #expect(reply.result?.dictionary?["accc"] == control("cku", 1))
        let query = AgentDictionary.password("b")
        let both = query + ["accc": control("ck"), "pdmn": "ak"]
        #expect(fixture.add(both).status == Status.parameter)
        #expect(fixture.add(both + ["pdmn": "ck"]).status == Status.success)
    }

    @Test(
        arguments: [
            "x", 1, .null, ["$ref": "other"], ["$ref": "accc"],
            ["$ref": "accc", "protection": "bogus"],
            ["$ref": "accc", "protection": "ak", "flags": "1"],
        ] as [AgentValue]
    )
    func `another object is no access control`(object: AgentValue) throws {
        let fixture = try Fixture()
        try fixture.put(.password())
        let query = AgentDictionary.password() + ["accc": object]
        #expect(fixture.add(query).status == Status.parameter)
        #expect(fixture.copy(query).status == Status.parameter)
        #expect(fixture.delete(query) == Status.parameter)
        #expect(fixture.update(.password(), ["accc": object]) == Status.parameter)
    }

    @Test
    func `an item that requires authentication does not sync`() throws {
        let fixture = try Fixture()
        let synced = AgentDictionary.password() + ["sync": true]
        #expect(fixture.add(synced + ["accc": control("ak", 1)]).status == Status.parameter)
        #expect(fixture.add(synced + ["accc": control("ak")]).status == Status.success)
        #expect(fixture.update(synced, ["accc": control("ak", 1)]) == Status.parameter)
        try fixture.put(.password("b") + ["accc": control("ak", 1)])
        #expect(fixture.update(.password("b"), ["sync": true]) == Status.parameter)
        let both: AgentDictionary = ["sync": true, "accc": control("ak", 1)]
        #expect(fixture.update(.password("b"), both) == Status.parameter)
    }

    @Test
    func `a search that forbids prompts fails at items that need one, or skips them`() throws {
        let fixture = try Fixture()
        try fixture.put(.password("a", data: "a") + ["accc": control("ak", 1)])
        try fixture.put(.password("b", data: "b"))
        let all: AgentDictionary = ["class": "genp", "m_Limit": "m_LimitAll"]
        let fails: AgentDictionary = ["u_AuthUI": "u_AuthUIF"]
        let skips: AgentDictionary = ["u_AuthUI": "u_AuthUIS"]
        #expect(fixture.copy(all + data).result == [.bytes("a"), .bytes("b")])
        #expect(fixture.copy(all + data + skips).result == [.bytes("b")])
        #expect(fixture.copy(all + data + fails).status == Status.interactionNotAllowed)
        #expect(
            fixture.copy(all + data + ["u_NoAuthUI": true]).status == Status.interactionNotAllowed
        )
        #expect(fixture.copy(.password("a") + data + skips).status == Status.itemNotFound)
        #expect(fixture.copy(.password("b") + data + fails).status == Status.success)
        // Attributes need no authentication.
        let list = fixture.copy(all + fails + ["r_Attributes": true])
        #expect(list.result?.array?.count == 2)
        let update: AgentDictionary = ["labl": "l"]
        #expect(
            fixture.update(.password("a") + fails, update) == Status.interactionNotAllowed
        )
        for call in [skips, ["u_AuthUI": "x"], ["u_AuthUI": 1]] as [AgentDictionary] {
            #expect(fixture.add(.password("c") + call).status == Status.parameter)
            #expect(fixture.update(.password() + call, update) == Status.parameter)
            #expect(fixture.delete(.password() + call) == Status.parameter)
        }
    }

    @Test
    func `a new protection removes the access control's requirements`() throws {
        let fixture = try Fixture()
        try fixture.put(.password(data: "d") + ["accc": control("ak", 1)])
        #expect(fixture.update(.password(), ["pdmn": "ck"]) == Status.success)
        let found = fixture.copy(.password() + ["r_Attributes": true]).result?.dictionary
        #expect(found?["accc"] == control("ck"))
        #expect(fixture.update(.password(), ["accc": control("ak", 8)]) == Status.success)
        let again = fixture.copy(.password() + ["r_Attributes": true]).result?.dictionary
        #expect(again?["accc"] == control("ak", 8))
    }
}
