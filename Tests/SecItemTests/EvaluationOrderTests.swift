import KSSealing
import KSAgent
import KSKeychain
import KSKeychainTestSupport
import KSSecItem
import Testing

/// Which of two faults of a call is told.
struct EvaluationOrderTests {
    private let foreign: AgentDictionary = ["agrp": "foreign"]

    @Test
    func `a foreign group comes before what makes no sense`() throws {
        let fixture = try Fixture()
        let query = AgentDictionary.password() + foreign
        let identity: AgentDictionary = ["class": "idnt"]
        #expect(fixture.add(query + ["m_Limit": "m_LimitOne"]).status == Status.missingEntitlement)
        #expect(fixture.add(identity + foreign).status == Status.missingEntitlement)
        #expect(fixture.copy(query + ["m_Limit": 0]).status == Status.missingEntitlement)
        #expect(fixture.copy(query + ["m_Issuers": []]).status == Status.missingEntitlement)
        #expect(
            fixture.copy(query + ["m_HostOrSubdomainOfHost": "h"]).status
                == Status.missingEntitlement
        )
        let reading = query + ["r_Data": true]
        #expect(fixture.update(reading, ["labl": "l"]) == Status.missingEntitlement)
        #expect(fixture.update(query, ["v_Data": "text"]) == Status.missingEntitlement)
        #expect(fixture.delete(query + ["m_Limit": 1]) == Status.missingEntitlement)
        // With a group of the caller's each has the fault that is left.
        let own = AgentDictionary.password() + ["agrp": "group"]
        #expect(fixture.add(own + ["m_Limit": "m_LimitOne"]).status == Status.parameter)
        #expect(fixture.add(identity + ["agrp": "group"]).status == Status.parameter)
        #expect(fixture.copy(own + ["m_Limit": 0]).status == Status.itemNotFound)
        #expect(fixture.copy(own + ["m_Issuers": []]).status == Status.unimplemented)
    }

    @Test
    func `a group is foreign as data too`() throws {
        let fixture = try Fixture()
        try fixture.put(.password())
        let group: AgentDictionary = ["agrp": .bytes("foreign")]
        let query = AgentDictionary.password() + group
        #expect(fixture.add(query).status == Status.missingEntitlement)
        #expect(fixture.copy(query).status == Status.missingEntitlement)
        #expect(fixture.update(query, ["labl": "l"]) == Status.missingEntitlement)
        #expect(fixture.update(.password(), group) == Status.missingEntitlement)
        #expect(fixture.delete(query) == Status.missingEntitlement)
        // Before anything else that is wrong, as the text is.
        for wrong in [foreign, group].map({ AgentDictionary.password() + $0 + ["none": 1] }) {
            #expect(fixture.update(wrong, ["labl": "l"]) == Status.missingEntitlement)
            #expect(fixture.delete(wrong) == Status.missingEntitlement)
        }
        let own: AgentDictionary = ["agrp": .bytes("group"), "r_Attributes": true]
        let found = fixture.copy(.password() + own).result?.dictionary
        #expect(found?["agrp"] == "group")
    }

    @Test
    func `the group of tokens is nobody's first, wherever it stands`() throws {
        let fixture = try Fixture()
        fixture.client.accessGroups = ["com.apple.token", "app"]
        let item = try fixture.put(.password() + ["r_Attributes": true])
        #expect(item?.dictionary?["agrp"] == "app")
        let token: AgentDictionary = ["agrp": "com.apple.token"]
        #expect(fixture.update(.password(), token) == Status.missingEntitlement)
        #expect(fixture.copy(.password() + ["agrp": "app"]).status == Status.success)
        // To read it is another matter.
        #expect(fixture.copy(.password() + token).status == Status.itemNotFound)
    }

    /// The limit counts rows, and the first one decides before any later one is looked at.
    @Test(arguments: [false, true])
    func `a search for one fails when the first match is locked`(isLockedFirst: Bool) throws {
        let fixture = try Fixture()
        let items = [
            AgentDictionary.password("a", data: "a") + ["pdmn": "ak"],
            AgentDictionary.password("b", data: "b") + ["pdmn": "ck"],
        ]
        for item in isLockedFirst ? items : items.reversed() { try fixture.put(item) }
        fixture.sealing.lock(.whenUnlocked)
        let reply = fixture.copy(["class": "genp", "r_Data": true])
        if isLockedFirst {
            #expect(reply == SecItemReply(status: Status.interactionNotAllowed))
        } else {
            #expect(reply == SecItemReply(status: Status.success, result: .bytes("b")))
        }
    }
}
