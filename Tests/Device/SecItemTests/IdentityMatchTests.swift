import KSAgent
import KSCertificates
import KSSecItem
import KSTestSupport
import Testing

/// Match keys and updates of identities, each of which is two items.
struct IdentityMatchTests {
    private let identities: AgentDictionary = ["class": "idnt"]

    private func fixture() throws -> Fixture {
        let fixture = try Fixture()
        try fixture.put(["v_Ref": try Objects.identity()])
        return fixture
    }

    @Test
    func `an identity is as valid as its certificate`() throws {
        let fixture = try fixture()
        let parsed = try ParsedCertificate(pem: KeyFixtures.certificate)
        func status(_ seconds: Int64) -> Int32 {
            let moment = AgentValue.date(Double(seconds) - 978_307_200)
            return fixture.copy(identities + ["m_ValidOnDate": moment]).status
        }
        #expect(status(parsed.notBefore - 1) == Status.itemNotFound)
        #expect(status(parsed.notBefore + 1) == Status.success)
        #expect(status(parsed.notAfter - 1) == Status.success)
        #expect(status(parsed.notAfter + 1) == Status.itemNotFound)
    }

    @Test
    func `the other match keys are compared with the certificate too`() throws {
        let fixture = try fixture()
        func status(_ more: AgentDictionary) -> Int32 { fixture.copy(identities + more).status }
        #expect(status(["m_TrustedOnly": true]) == Status.itemNotFound)
        #expect(status(["m_TrustedOnly": false]) == Status.success)
        #expect(status(["m_EmailAddressIfPresent": "ADA@example.com"]) == Status.success)
        #expect(status(["m_EmailAddressIfPresent": "bob@example.com"]) == Status.itemNotFound)
        let parsed = try ParsedCertificate(pem: KeyFixtures.certificate)
        #expect(status(["m_Issuers": [.data(parsed.issuer)]]) == Status.success)
        #expect(status(["m_Issuers": [.data([1])]]) == Status.itemNotFound)
    }

    @Test
    func `a match key works only for classes that have its attribute`() throws {
        let fixture = try fixture()
        for (itemClass, issuers, host) in [
            ("genp", Status.unimplemented, Status.unimplemented),
            ("inet", Status.unimplemented, Status.itemNotFound),
            ("cert", Status.itemNotFound, Status.unimplemented),
            ("keys", Status.unimplemented, Status.unimplemented),
            ("idnt", Status.itemNotFound, Status.unimplemented),
        ] {
            let query: AgentDictionary = ["class": .string(itemClass)]
            #expect(fixture.copy(query + ["m_Issuers": []]).status == issuers, "\(itemClass)")
            let more: AgentDictionary = ["m_HostOrSubdomainOfHost": "h"]
            #expect(fixture.copy(query + more).status == host, "\(itemClass)")
        }
    }

    @Test
    func `an update of one identity changes both its halves`() throws {
        let fixture = try fixture()
        let object = try Objects.identity()
        #expect(fixture.update(["v_Ref": object], ["labl": "n"]) == Status.success)
        for itemClass in ["cert", "keys", "idnt"] {
            let query: AgentDictionary = ["class": .string(itemClass), "labl": "n"]
            #expect(fixture.copy(query).status == Status.success, "\(itemClass)")
        }
        #expect(fixture.copy(identities + ["r_Ref": true]).result == object)
    }

    @Test(arguments: ["acct", "svce", "srvr", "icmt", "class", "v_Ref"])
    func `an identity has no attribute that neither half has`(name: String) throws {
        let fixture = try fixture()
        #expect(fixture.update(identities, [name: "t"]) == Status.noSuchAttribute)
        #expect(fixture.update(identities, [name: "t", "labl": "n"]) == Status.noSuchAttribute)
        #expect(fixture.copy(identities + ["labl": "n"]).status == Status.itemNotFound)
    }

    @Test
    func `an identity is found by each of its attributes, and by those of its key`() throws {
        let fixture = try fixture()
        fixture.clock.seconds += 9
        #expect(fixture.update(["class": "keys"], ["labl": "key"]) == Status.success)
        func shown(_ query: AgentDictionary) throws -> AgentDictionary {
            try #require(fixture.copy(query + ["r_Attributes": true]).result?.dictionary)
        }
        let attributes = try shown(identities)
        let key = try shown(["class": "keys"])
        for name in ["pdmn", "mdat", "sha1", "accc"] { #expect(attributes[name] != key[name]) }
        for entry in attributes.entries {
            let query = identities + [entry.key: entry.value]
            #expect(fixture.copy(query).status == Status.success, "\(entry.key)")
        }
        for name in ["pdmn", "cdat", "mdat", "sha1"] {
            let query = identities + [name: try #require(key[name])]
            #expect(fixture.copy(query).status == Status.success, "\(name)")
        }
        for (name, value) in [
            ("pdmn", "cku"), ("mdat", .date(1)), ("vwht", "v"), ("sysb", 1), ("labl", "key"),
        ] as [(String, AgentValue)] {
            #expect(fixture.copy(identities + [name: value]).status == Status.itemNotFound)
        }
        let query = attributes - ["sha1"] + identities
        #expect(fixture.copy(query + ["r_Ref": true]).result == (try Objects.identity()))
        #expect(fixture.update(query, ["labl": "new"]) == Status.success)
        #expect(fixture.copy(query).status == Status.itemNotFound)
        let changed = try shown(identities) - ["sha1"] + identities
        #expect(changed["labl"] == "new")
        #expect(fixture.delete(changed) == Status.success)
        #expect(fixture.copy(identities).status == Status.itemNotFound)
    }

    @Test
    func `an update and a delete affect all matching identities`() throws {
        let fixture = try fixture()
        let other = try Objects.identity(KeyFixtures.rsaCertificate, KeyFixtures.rsa)
        try fixture.put(["v_Ref": other])
        try fixture.put(["v_Ref": try Objects.identity(), "sync": true])
        let all: AgentDictionary = ["m_Limit": "m_LimitAll", "r_PersistentRef": true]
        #expect(fixture.update(identities, ["labl": "n"]) == Status.success)
        let named = fixture.copy(identities + all + ["labl": "n"]).result
        #expect(named?.array?.count == 2)
        #expect(fixture.delete(identities) == Status.success)
        #expect(fixture.copy(identities).status == Status.itemNotFound)
        #expect(fixture.copy(identities + ["sync": true]).status == Status.success)
        try fixture.put(["v_Ref": other])
        #expect(fixture.delete(identities + ["sync": "syna"]) == Status.success)
        for itemClass in ["cert", "keys"] {
            let query: AgentDictionary = ["class": .string(itemClass), "sync": "syna"]
            #expect(fixture.copy(query).status == Status.itemNotFound, "\(itemClass)")
        }
    }
}
