import Agent
import Certificates
import SecItem
import TestSupport
import Testing

/// Match keys and updates of identities, which are two items each.
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
    func `the other match keys look at the certificate too`() throws {
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
    func `a way to match is for the classes that have something of the kind`() throws {
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
    func `an identity that is named changes in both its halves`() throws {
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
    func `an identity takes no attribute that neither half has`(name: String) throws {
        let fixture = try fixture()
        #expect(fixture.update(identities, [name: "t"]) == Status.noSuchAttribute)
        #expect(fixture.update(identities, [name: "t", "labl": "n"]) == Status.noSuchAttribute)
        #expect(fixture.copy(identities + ["labl": "n"]).status == Status.itemNotFound)
    }
}
