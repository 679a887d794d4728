import KSAgent
import KSSecItem
import Testing

struct GroupTests {
    private func fixture(_ groups: [String]) throws -> Fixture {
        let fixture = try Fixture()
        fixture.client.accessGroups = groups
        return fixture
    }

    private func group(_ query: AgentDictionary, _ fixture: Fixture) -> AgentValue? {
        fixture.copy(query + ["r_Attributes": true]).result?.dictionary?["agrp"]
    }

    @Test
    func `an item goes to the first group unless it names another of the caller's`() throws {
        let fixture = try fixture(["one", "two"])
        try fixture.put(.password("a"))
        try fixture.put(.password("b") + ["agrp": "two"])
        #expect(group(.password("a"), fixture) == "one")
        #expect(group(.password("b"), fixture) == "two")
        #expect(fixture.add(.password("c") + ["agrp": "three"]).status == Status.missingEntitlement)
        #expect(fixture.add(.password("c") + ["agrp": "onE"]).status == Status.missingEntitlement)
        #expect(fixture.add(.password("c") + ["agrp": "on"]).status == Status.missingEntitlement)
    }

    @Test
    func `the group is part of the key`() throws {
        let fixture = try fixture(["one", "two"])
        for name in ["one", "two"] {
            try fixture.put(.password() + ["agrp": .string(name)])
        }
        #expect(fixture.add(.password()).status == Status.duplicateItem)
        fixture.client.accessGroups = ["two"]
        #expect(fixture.delete(.password()) == Status.success)
        fixture.client.accessGroups = ["one"]
        #expect(fixture.copy(.password()).status == Status.success)
    }

    @Test
    func `a query without a group sees only the caller's groups`() throws {
        let fixture = try fixture(["mine"])
        try fixture.put(.password())
        fixture.client.accessGroups = ["other"]
        #expect(fixture.copy(.password()).status == Status.itemNotFound)
        #expect(fixture.update(.password(), ["labl": "l"]) == Status.itemNotFound)
        #expect(fixture.delete(.password()) == Status.itemNotFound)
        fixture.client.accessGroups = ["other", "mine"]
        #expect(fixture.update(.password(), ["labl": "l"]) == Status.success)
    }

    @Test
    func `an item moves to a group of the caller's list and to no other`() throws {
        let fixture = try fixture(["one", "two"])
        try fixture.put(.password())
        #expect(fixture.update(.password(), ["agrp": "three"]) == Status.missingEntitlement)
        #expect(group(.password(), fixture) == "one")
        #expect(fixture.update(.password(), ["agrp": "two"]) == Status.success)
        #expect(group(.password(), fixture) == "two")
    }

    @Test
    func `a star means every group, and is the default group when it comes first`() throws {
        let fixture = try fixture(["mine"])
        try fixture.put(.password("a"))
        fixture.client.accessGroups = ["first", "*"]
        try fixture.put(.password("b"))
        #expect(group(.password("a"), fixture) == "mine")
        #expect(group(.password("b"), fixture) == "first")
        try fixture.put(.password("c") + ["agrp": "any"])
        fixture.client.accessGroups = ["*"]
        try fixture.put(.password("d"))
        #expect(group(.password("d"), fixture) == "*")
    }

    @Test
    func `a caller that sees all groups needs no list`() throws {
        let fixture = try fixture(["mine"])
        try fixture.put(.password())
        fixture.client = ProgramAccess(accessGroups: [], seesAllGroups: true)
        #expect(group(.password(), fixture) == "mine")
    }

    @Test
    func `the tokens' group can be read, not written`() throws {
        let fixture = try fixture(["com.apple.token"])
        #expect(fixture.copy(.password()).status == Status.itemNotFound)
        #expect(fixture.add(.password()).status == Status.missingEntitlement)
        #expect(fixture.update(.password(), [:]) == Status.missingEntitlement)
        #expect(fixture.delete(.password()) == Status.missingEntitlement)
        fixture.client.accessGroups = ["app", "com.apple.token"]
        let named = AgentDictionary.password() + ["agrp": "com.apple.token"]
        #expect(fixture.copy(named).status == Status.itemNotFound)
        #expect(fixture.add(named).status == Status.missingEntitlement)
        #expect(fixture.delete(named) == Status.missingEntitlement)
        try fixture.put(.password())
        #expect(group(.password(), fixture) == "app")
    }

    @Test
    func `an app clip has one group, and nothing that syncs`() throws {
        let fixture = try fixture(["clip", "com.apple.token"])
        fixture.client.entitlements = [Entitlement.appClip]
        try fixture.put(.password())
        #expect(fixture.add(.password() + ["sync": true]).status == Status.restricted)
        #expect(fixture.update(.password(), ["sync": true]) == Status.restricted)
        #expect(fixture.update(.password(), ["agrp": "other"]) == Status.missingEntitlement)
        fixture.client.accessGroups = ["clip", "extra"]
        #expect(fixture.add(.password("b")).status == Status.restricted)
        #expect(fixture.copy(.password()).status == Status.restricted)
        #expect(fixture.update(.password(), [:]) == Status.restricted)
        #expect(fixture.delete(.password()) == Status.restricted)
    }

    @Test
    func `only an entitled caller deletes whole groups`() throws {
        let fixture = try fixture(["one", "two"])
        for name in ["one", "two"] {
            try fixture.put(.password() + ["agrp": .string(name)])
            try fixture.put(.password() + ["agrp": .string(name), "sync": true])
        }
        #expect(fixture.deleteAll(["one"]) == Status.missingEntitlement)
        fixture.client.entitlements = [Entitlement.uninstalling]
        for name in ["*", "apple", "com.apple.security.sos", "lockdown-identities"] {
            #expect(fixture.deleteAll(["one", name]) == Status.parameter)
        }
        #expect(fixture.deleteAll(["one"]) == Status.success)
        let any = AgentDictionary.password() + ["sync": "syna"]
        #expect(fixture.copy(any + ["agrp": "one"]).status == Status.itemNotFound)
        let rest = fixture.copy(
            any + ["agrp": "two", "m_Limit": "m_LimitAll", "r_Attributes": true]
        )
        #expect(rest.result?.array?.count == 2)
        #expect(fixture.deleteAll(["one"]) == Status.success)
    }
}
