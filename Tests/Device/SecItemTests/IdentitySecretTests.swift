import KSAgent
import KSKeychainTestSupport
import KSSecItem
import KSTestSupport
import Testing

/// Which calls open the secrets of certificates, keys and identities.
struct IdentitySecretTests {
    private let identities: AgentDictionary = ["class": "idnt"]
    private let attributes: AgentDictionary = ["r_Attributes": true]

    private func fixture() throws -> Fixture {
        let fixture = try Fixture()
        try fixture.put(["v_Ref": try Objects.identity()])
        try fixture.put(
            ["v_Ref": try Objects.identity(KeyFixtures.rsaCertificate, KeyFixtures.rsa)]
        )
        return fixture
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `a list without secrets opens none`(itemClass: String) throws {
        let fixture = try fixture()
        let query: AgentDictionary = ["class": .string(itemClass)]
        for flags in [
            [:], attributes, ["r_PersistentRef": true],
            ["r_Attributes": true, "r_PersistentRef": true],
        ] as [AgentDictionary] {
            let list = fixture.copy(query + flags + ["m_Limit": "m_LimitAll"])
            #expect(list.result?.array?.count == (flags == [:] ? 0 : 2), "\(flags)")
            #expect(fixture.copy(query + flags).status == Status.success)
        }
        #expect(fixture.sealing.openedSecretsCount == 0)
        #expect(fixture.copy(query + ["r_Data": true]).status == Status.success)
        #expect(fixture.sealing.openedSecretsCount > 0)
    }

    /// Damages the secrets of all certificates, or of all keys.
    private func damage(_ half: String, _ fixture: Fixture) throws {
        try fixture.execute("UPDATE \(half) SET secret = zeroblob(length(secret))")
    }

    @Test(arguments: ["cert", "keys"])
    func `a list without secrets includes items whose secret is damaged`(
        half: String
    ) throws {
        let fixture = try fixture()
        try damage(half, fixture)
        for itemClass in ["idnt", half] {
            let query: AgentDictionary = ["class": .string(itemClass), "m_Limit": "m_LimitAll"]
            #expect(fixture.copy(query + attributes).result?.array?.count == 2, "\(itemClass)")
        }
        #expect(try fixture.count("quarantine") == 0)
        #expect(fixture.copy(identities + ["r_Ref": true]).status == Status.itemNotFound)
        #expect(try fixture.count("quarantine") == 2)
        #expect(fixture.copy(identities + attributes).status == Status.itemNotFound)
    }

    @Test(arguments: ["cert", "keys"])
    func `an update skips a damaged identity, a delete removes it`(half: String) throws {
        let fixture = try fixture()
        try damage(half, fixture)
        #expect(fixture.delete(identities) == Status.success)
        #expect(try fixture.count("cert") == 0)
        #expect(try fixture.count("keys") == 0)
        // A delete does not read the attributes of the keys either.
        try fixture.put(["v_Ref": try Objects.identity()])
        try fixture.execute("UPDATE keys SET attributes = zeroblob(length(attributes))")
        #expect(fixture.delete(identities) == Status.success)
        #expect(try fixture.count("keys") == 0)
        try fixture.put(["v_Ref": try Objects.identity()])
        try damage(half, fixture)
        let other = try Objects.identity(KeyFixtures.rsaCertificate, KeyFixtures.rsa)
        try fixture.put(["v_Ref": other])
        #expect(fixture.update(identities, ["labl": "new"]) == Status.success)
        let found = fixture.copy(identities + ["labl": "new", "r_Ref": true])
        #expect(found.result == other)
        let rest: AgentDictionary = ["class": half == "cert" ? "keys" : "cert", "labl": "new"]
        let changed = fixture.copy(rest + attributes + ["m_Limit": "m_LimitAll"])
        #expect(changed.result?.array?.count == 1)
    }
}
