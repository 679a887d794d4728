import KSSealing
import KSAgent
import KSKeychain
import KSKeychainTestSupport
import KSSecItem
import Testing

/// Which of two errors a call reports.
struct EvaluationOrderTests {
    private let foreign: AgentDictionary = ["agrp": "foreign"]

    @Test
    func `a foreign group is reported before an invalid query`() throws {
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
        // With a group of the caller's, each call reports its other error.
        let own = AgentDictionary.password() + ["agrp": "group"]
        #expect(fixture.add(own + ["m_Limit": "m_LimitOne"]).status == Status.parameter)
        #expect(fixture.add(identity + ["agrp": "group"]).status == Status.parameter)
        #expect(fixture.copy(own + ["m_Limit": 0]).status == Status.itemNotFound)
        #expect(fixture.copy(own + ["m_Issuers": []]).status == Status.unimplemented)
    }

    @Test
    func `a foreign group given as data is refused too`() throws {
        let fixture = try Fixture()
        try fixture.put(.password())
        let group: AgentDictionary = ["agrp": .bytes("foreign")]
        let query = AgentDictionary.password() + group
        #expect(fixture.add(query).status == Status.missingEntitlement)
        #expect(fixture.copy(query).status == Status.missingEntitlement)
        #expect(fixture.update(query, ["labl": "l"]) == Status.missingEntitlement)
        #expect(fixture.update(.password(), group) == Status.missingEntitlement)
        #expect(fixture.delete(query) == Status.missingEntitlement)
        // A foreign group is reported before other errors, as text and as data.
        for wrong in [foreign, group].map({ AgentDictionary.password() + $0 + ["none": 1] }) {
            #expect(fixture.update(wrong, ["labl": "l"]) == Status.missingEntitlement)
            #expect(fixture.delete(wrong) == Status.missingEntitlement)
        }
        let own: AgentDictionary = ["agrp": .bytes("group"), "r_Attributes": true]
        let found = fixture.copy(.password() + own).result?.dictionary
        #expect(found?["agrp"] == "group")
    }

    @Test
    func `the tokens' group is never the default, wherever it stands`() throws {
        let fixture = try Fixture()
        fixture.client.accessGroups = ["com.apple.token", "app"]
        let item = try fixture.put(.password() + ["r_Attributes": true])
        #expect(item?.dictionary?["agrp"] == "app")
        let token: AgentDictionary = ["agrp": "com.apple.token"]
        #expect(fixture.update(.password(), token) == Status.missingEntitlement)
        #expect(fixture.copy(.password() + ["agrp": "app"]).status == Status.success)
        // Reading the tokens' group is allowed.
        #expect(fixture.copy(.password() + token).status == Status.itemNotFound)
    }

    /// The limit counts rows, so the first match decides.
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
