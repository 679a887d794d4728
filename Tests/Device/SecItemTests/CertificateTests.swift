import KSAgent
import KSCertificates
import KSPrivateKeys
import KSSecItem
import KSTestSupport
import Testing

/// Certificates and keys as objects.
enum Objects {
    static func certificate(_ pem: String = KeyFixtures.certificate) throws -> AgentValue {
        ["$ref": "cert", "certificate": .data(try ParsedCertificate(pem: pem).der)]
    }

    private static func key(_ pem: String) throws -> AgentDictionary {
        let block = try #require(PEMBlock.blocks(in: pem).first)
        let key = try PrivateKey(pem: block)
        return [
            "key": .data(key.external), "kcls": "1", "type": .string(key.kind.rawValue),
            "bsiz": .integer(Int64(key.bits)),
        ]
    }

    static func identity(
        _ certificate: String = KeyFixtures.certificate,
        _ key: String = KeyFixtures.p256
    ) throws -> AgentValue {
        var object = try self.key(key)
        object["$ref"] = "idnt"
        object["certificate"] = .data(try ParsedCertificate(pem: certificate).der)
        return .dictionary(object)
    }

    static func keyOfIdentity() throws -> AgentValue {
        var object = try key(KeyFixtures.p256)
        object["$ref"] = "keys"
        let certificate = try ParsedCertificate(pem: KeyFixtures.certificate)
        object["klbl"] = .data(certificate.publicKeyHash)
        return .dictionary(object)
    }
}

struct CertificateTests {
    private let certificates: AgentDictionary = ["class": "cert"]

    @Test
    func `a certificate is added and returned as an object`() throws {
        let fixture = try Fixture()
        let object = try Objects.certificate()
        let parsed = try ParsedCertificate(pem: KeyFixtures.certificate)
        let reply = fixture.add(["v_Ref": object, "r_Attributes": true])
        let attributes = try #require(reply.result?.dictionary)
        #expect(attributes["labl"] == .string(parsed.summary))
        #expect(attributes["subj"] == .data(parsed.subject))
        #expect(attributes["issr"] == .data(parsed.issuer))
        #expect(attributes["slnr"] == .data(parsed.serialNumber))
        #expect(attributes["pkhh"] == .data(parsed.publicKeyHash))
        #expect(attributes["ctyp"] == 3)
        #expect(attributes["cenc"] == 3)
        #expect(attributes["pdmn"] == "dk")
        #expect(fixture.add(["v_Ref": object]).status == Status.duplicateItem)
        #expect(fixture.copy(["v_Ref": object, "r_Data": true]).result == .data(parsed.der))
        let byHash = certificates + ["pkhh": .data(parsed.publicKeyHash), "r_Ref": true]
        #expect(fixture.copy(byHash).result == object)
        #expect(fixture.update(["v_Ref": object], ["labl": "new"]) == Status.success)
        #expect(fixture.copy(certificates + ["labl": "new"]).status == Status.success)
        #expect(fixture.delete(["v_Ref": object]) == Status.success)
        #expect(fixture.copy(["v_Ref": object, "r_Ref": true]).status == Status.itemNotFound)
    }

    @Test
    func `a certificate added by bytes gets the same attributes`() throws {
        let fixture = try Fixture()
        for pem in [KeyFixtures.certificate, KeyFixtures.rsaCertificate] {
            let bytes = try ParsedCertificate(pem: pem).der
            #expect(fixture.add(certificates + ["v_Data": .data(bytes)]).status == Status.success)
            #expect(fixture.copy(["v_Ref": try Objects.certificate(pem)]).status == Status.success)
        }
        // Invalid bytes can be stored as a certificate too, but only as bytes.
        #expect(fixture.add(certificates + ["v_Data": .data([1])]).status == Status.success)
        let object: AgentValue = ["$ref": "cert", "certificate": .data([1])]
        #expect(fixture.add(["v_Ref": object]).status == Status.parameter)
        #expect(fixture.add(certificates + ["atag": "x"]).status == Status.noSuchAttribute)
        #expect(fixture.delete(certificates + ["atag": "x"]) == Status.noSuchAttribute)
    }

    @Test
    func `all four kinds of result come in one dictionary`() throws {
        let fixture = try Fixture()
        let object = try Objects.certificate()
        try fixture.put(["v_Ref": object])
        let reply = fixture.copy(
            certificates + [
                "r_Data": true, "r_Attributes": true, "r_Ref": true, "r_PersistentRef": true,
            ]
        )
        let result = try #require(reply.result?.dictionary)
        #expect(result["class"] == "cert")
        #expect(result["v_Ref"] == object)
        #expect(result["v_Data"] == object.dictionary?["certificate"])
        #expect(result["v_PersistentRef"]?.data?.count == 20)
        #expect(result["subj"] != nil)
    }

    // MARK: Match keys

    private func both() throws -> Fixture {
        let fixture = try Fixture()
        for pem in [KeyFixtures.certificate, KeyFixtures.rsaCertificate] {
            try fixture.put(["v_Ref": try Objects.certificate(pem)])
        }
        return fixture
    }

    private func count(_ more: AgentDictionary, _ fixture: Fixture) -> Int {
        let list = certificates + ["m_Limit": "m_LimitAll", "r_Ref": true]
        return fixture.copy(list + more).result?.array?.count ?? 0
    }

    @Test
    func `a certificate is valid from its first date to its last`() throws {
        let fixture = try both()
        let parsed = try ParsedCertificate(pem: KeyFixtures.certificate)
        func moment(_ seconds: Int64) -> AgentDictionary {
            ["m_ValidOnDate": .date(Double(seconds) - 978_307_200)]
        }
        #expect(count(moment(parsed.notBefore - 1), fixture) == 0)
        #expect(count(moment(parsed.notBefore), fixture) == 2)
        #expect(count(moment(parsed.notAfter), fixture) == 2)
        #expect(count(moment(parsed.notAfter + 1), fixture) == 0)
        fixture.clock.seconds = Double(parsed.notBefore) - 978_307_200 + 1
        #expect(count(["m_ValidOnDate": .null], fixture) == 2)
        fixture.clock.seconds = 0
        #expect(count(["m_ValidOnDate": .null], fixture) == 0)
    }

    @Test
    func `no certificate is trusted, since none can be marked as trusted`() throws {
        let fixture = try both()
        #expect(count(["m_TrustedOnly": true], fixture) == 0)
        #expect(count(["m_TrustedOnly": false], fixture) == 2)
    }

    @Test
    func `a policy matches certificates that allow its use`() throws {
        let fixture = try both()
        let parsed = try ParsedCertificate(pem: KeyFixtures.certificate)
        fixture.clock.seconds = Double(parsed.notBefore) - 978_307_200 + 1
        func policy(_ more: AgentDictionary) -> AgentDictionary {
            let object: AgentDictionary = ["$ref": "policy"]
            return ["m_Policy": .dictionary(object + more)]
        }
        #expect(count(policy([:]), fixture) == 2)
        #expect(count(policy(["name": "SSL"]), fixture) == 2)
        #expect(count(policy(["name": "SSL", "host": "example.org"]), fixture) == 1)
        #expect(count(policy(["name": "SSL", "host": "nobody.example"]), fixture) == 0)
        #expect(count(policy(["name": "code signing"]), fixture) == 0)
        #expect(count(policy(["name": "SMIME", "host": "ada@example.com"]), fixture) == 1)
        // A policy also checks the dates, at the moment of the query.
        let late: AgentDictionary = [
            "m_ValidOnDate": .date(Double(parsed.notAfter) - 978_307_200 + 1)
        ]
        #expect(count(policy([:]) + late, fixture) == 0)
        fixture.clock.seconds = Double(parsed.notAfter) - 978_307_200 + 1
        #expect(count(policy([:]), fixture) == 0)
        let unknown = fixture.copy(certificates + policy(["name": "1.2.3"]))
        #expect(unknown.status == Status.parameter)
    }

    @Test
    func `a mail address is compared without case`() throws {
        let fixture = try both()
        #expect(count(["m_EmailAddressIfPresent": "ADA@example.org"], fixture) == 1)
        #expect(count(["m_EmailAddressIfPresent": "bob@example.org"], fixture) == 0)
    }

    @Test
    func `a certificate is found by its issuer's name`() throws {
        let fixture = try both()
        let issuer = try ParsedCertificate(pem: KeyFixtures.rsaCertificate).issuer
        let capitals = issuer.map { (97...122).contains($0) ? $0 - 32 : $0 }
        #expect(count(["m_Issuers": [.data(issuer)]], fixture) == 1)
        #expect(count(["m_Issuers": [.data(capitals)]], fixture) == 1)
        #expect(count(["m_Issuers": [.data([1, 2])]], fixture) == 0)
        #expect(count(["m_Issuers": []], fixture) == 0)
        let one = fixture.copy(
            certificates + ["m_Issuers": [.data(issuer)], "r_Ref": true, "m_Limit": "m_LimitOne"]
        )
        #expect(one.result == (try Objects.certificate(KeyFixtures.rsaCertificate)))
    }

    // MARK: One of several

    @Test(arguments: ["cert", "idnt"])
    func `a search for one certificate skips those that the filter refuses`(
        itemClass: String
    ) throws {
        let fixture = try Fixture()
        let parsed = try ParsedCertificate(pem: KeyFixtures.certificate)
        let early = try SelfSignedCertificate.make(
            hostNames: ["early.example"],
            addresses: [],
            validDays: 10,
            now: UInt64(parsed.notBefore) - 86_400
        )
        let identities = [
            try Objects.identity(KeyFixtures.rsaCertificate, KeyFixtures.rsa),
            try Objects.identity(),
            try Objects.identity(early.certificatePEM, early.keyPEM),
        ]
        for identity in identities { try fixture.put(["v_Ref": identity]) }
        let moment = Double(parsed.notBefore) - 978_307_200
        fixture.clock.seconds = moment + 1
        let server: AgentDictionary = ["$ref": "policy", "name": "SSL", "host": "example.org"]
        for (filter, expected) in [
            (["m_Policy": .dictionary(server)], 1), (["m_ValidOnDate": .date(moment - 9)], 2),
            (["m_EmailAddressIfPresent": "ada@example.org"], 1),
        ] as [(AgentDictionary, Int)] {
            let certificate = identities[expected].dictionary?["certificate"]
            for limit in [nil, "m_LimitOne", 1] as [AgentValue?] {
                var query = filter + ["class": .string(itemClass), "r_Ref": true]
                query["m_Limit"] = limit
                let found = fixture.copy(query).result?.dictionary
                #expect(found?["certificate"] == certificate, "\(filter)")
            }
        }
    }

    /// A certificate with two other names of eight bytes each; no search verifies its signature.
    private func link(_ subject: String, issuedBy issuer: String) throws -> [UInt8] {
        var bytes = try ParsedCertificate(pem: KeyFixtures.rsaCertificate).der
        let name = Array("Only Org".utf8)
        // The issuer stands before the subject.
        for new in [issuer, subject] {
            let start = try #require(
                bytes.indices.first { Array(bytes[$0...].prefix(name.count)) == name }
            )
            bytes.replaceSubrange(start..<start + name.count, with: new.utf8)
        }
        return bytes
    }

    @Test
    func `an issuer is searched for at most ten certificates up`() throws {
        let fixture = try Fixture()
        let names = (10...22).map { "Chain \($0)" }
        for (subject, issuer) in zip(names, names.dropFirst()) {
            let object: AgentValue = [
                "$ref": "cert", "certificate": .data(try link(subject, issuedBy: issuer)),
            ]
            try fixture.put(["v_Ref": object])
        }
        /// The labels of the certificates below an issuer.
        func found(below name: String) throws -> [String] {
            let issuer = try ParsedCertificate(der: try link("nobody  ", issuedBy: name)).issuer
            let list = fixture.copy(
                certificates + [
                    "m_Issuers": [.data(issuer)], "m_Limit": "m_LimitAll", "r_Attributes": true,
                ]
            )
            return (list.result?.array ?? []).compactMap { $0.dictionary?["labl"]?.string }
        }
        #expect(try found(below: "Chain 11") == ["Chain 10"])
        #expect(try found(below: "Chain 20") == Array(names.prefix(10)))
        #expect(try found(below: "Chain 21") == Array(names[1...10]))
        #expect(try found(below: "Chain 22") == Array(names[2...11]))
        #expect(try found(below: "Chain 10") == [])
    }
}

struct IdentityTests {
    private let identities: AgentDictionary = ["class": "idnt"]

    @Test
    func `an identity is a certificate and its private key`() throws {
        let fixture = try Fixture()
        let object = try Objects.identity()
        #expect(fixture.add(["v_Ref": object]) == SecItemReply(status: 0))
        #expect(try fixture.count("cert") == 1)
        #expect(try fixture.count("keys") == 1)
        #expect(fixture.copy(identities + ["r_Ref": true]).result == object)
        #expect(fixture.copy(["v_Ref": object, "r_Ref": true]).result == object)
        #expect(fixture.add(["v_Ref": object]).status == Status.duplicateItem)
        #expect(fixture.delete(["v_Ref": object]) == Status.success)
        #expect(try fixture.count("cert") == 0)
        #expect(try fixture.count("keys") == 0)
        #expect(fixture.delete(["v_Ref": object]) == Status.itemNotFound)
        #expect(fixture.add(identities).status == Status.parameter)
    }

    @Test
    func `an identity is added though one of its halves exists`() throws {
        let fixture = try Fixture()
        try fixture.put(["v_Ref": try Objects.certificate()])
        #expect(fixture.copy(identities).status == Status.itemNotFound)
        let reply = fixture.add(["v_Ref": try Objects.identity(), "r_PersistentRef": true])
        #expect(reply.status == Status.success)
        #expect(reply.result == fixture.copy(identities + ["r_PersistentRef": true]).result)
        #expect(reply.result != nil)
        let other = try Fixture()
        try other.put(["v_Ref": try Objects.keyOfIdentity()])
        #expect(other.copy(identities).status == Status.itemNotFound)
        #expect(other.add(["v_Ref": try Objects.identity()]).status == Status.success)
        #expect(other.copy(identities).status == Status.success)
    }

    @Test
    func `a certificate and a key that were added separately are an identity`() throws {
        let fixture = try Fixture()
        try fixture.put(["v_Ref": try Objects.certificate()])
        try fixture.put(["v_Ref": try Objects.keyOfIdentity()])
        try fixture.put(["v_Ref": try Objects.certificate(KeyFixtures.rsaCertificate)])
        let list = fixture.copy(identities + ["m_Limit": "m_LimitAll", "r_Ref": true])
        #expect(list.result == [try Objects.identity()])
    }

    @Test
    func `the label of an identity is its certificate's`() throws {
        let fixture = try Fixture()
        try fixture.put(["v_Ref": try Objects.identity(), "labl": "old"])
        let old = identities + ["labl": "old", "r_Ref": true]
        #expect(fixture.update(["class": "keys", "labl": "old"], ["labl": "k"]) == Status.success)
        #expect(fixture.copy(old).status == Status.success)
        #expect(fixture.update(["class": "cert", "labl": "old"], ["labl": "c"]) == Status.success)
        #expect(fixture.copy(old).status == Status.itemNotFound)
        let found = fixture.copy(identities + ["labl": "c", "r_Attributes": true])
        let attributes = try #require(found.result?.dictionary)
        #expect(attributes["labl"] == "c")
        #expect(attributes["kcls"] == 1)
        #expect(attributes["subj"] != nil)
    }

    @Test
    func `an empty update of an identity changes both dates, and a secret is refused`() throws {
        let fixture = try Fixture()
        try fixture.put(["v_Ref": try Objects.identity()])
        func dates() -> [AgentValue?] {
            ["cert", "keys"].map { itemClass in
                let query: AgentDictionary = ["class": .string(itemClass), "r_Attributes": true]
                return fixture.copy(query).result?.dictionary?["mdat"]
            }
        }
        let before = dates()
        fixture.clock.seconds += 5
        #expect(fixture.update(identities, [:]) == Status.success)
        #expect(zip(before, dates()).allSatisfy { $0 != nil && $0 != $1 })
        #expect(fixture.update(identities, ["v_Data": .data([1])]) == Status.parameter)
        #expect(fixture.copy(identities + ["r_Ref": true]).result == (try Objects.identity()))
    }

    @Test
    func `the reference of an identity is its certificate's with another class`() throws {
        let fixture = try Fixture()
        let reply = fixture.add(["v_Ref": try Objects.identity(), "r_PersistentRef": true])
        let reference = try #require(reply.result?.data)
        #expect(Array(reference.prefix(4)) == Array("idnt".utf8))
        let certificate = fixture.copy(["class": "cert", "r_PersistentRef": true])
        #expect(
            certificate.result?.data.map { Array($0.dropFirst(4)) } == Array(reference.dropFirst(4))
        )
        let query: AgentDictionary = ["v_PersistentRef": .data(reference)]
        #expect(fixture.copy(query + ["r_Ref": true]).result == (try Objects.identity()))
        #expect(fixture.update(query, ["labl": "l"]) == Status.internalFailure)
        #expect(fixture.delete(query) == Status.success)
        #expect(fixture.delete(query) == Status.itemNotFound)
        #expect(try fixture.count("keys") == 0)
    }

    @Test
    func `a moved identity moves both its halves`() throws {
        let fixture = try Fixture()
        fixture.client.accessGroups = ["one", "two"]
        try fixture.put(["v_Ref": try Objects.identity()])
        #expect(fixture.update(identities, ["agrp": "two"]) == Status.success)
        fixture.client.accessGroups = ["two"]
        #expect(fixture.copy(identities).status == Status.success)
        fixture.client.accessGroups = ["one"]
        #expect(fixture.copy(identities).status == Status.itemNotFound)
    }

    @Test
    func `a key stays while another certificate needs it`() throws {
        let fixture = try Fixture()
        try fixture.put(["v_Ref": try Objects.identity()])
        let parsed = try ParsedCertificate(pem: KeyFixtures.certificate)
        try fixture.put(
            [
                "class": "cert", "slnr": .data([9]), "pkhh": .data(parsed.publicKeyHash),
                "v_Data": .data([1]),
            ]
        )
        #expect(fixture.delete(["v_Ref": try Objects.identity()]) == Status.success)
        #expect(try fixture.count("keys") == 1)
        #expect(try fixture.count("cert") == 1)
        #expect(fixture.delete(identities) == Status.success)
        #expect(try fixture.count("keys") == 0)
    }
}
