import KSAgent
import KSCertificates
import KSPrivateKeys
import KSSecItem
import KSTestSupport
import Testing

/// Queries with an object and attributes: both must match.
struct ObjectCriteriaTests {
    private static func key(_ key: PrivateKey) -> AgentValue {
        [
            "$ref": "keys", "key": .data(key.external), "kcls": "1",
            "type": .string(key.kind.rawValue), "bsiz": .integer(Int64(key.bits)),
        ]
    }

    private struct Subject {
        let itemClass: String
        let first: AgentValue
        let second: AgentValue
        /// The attributes that the object implies.
        let names: [String]
    }

    private static func subject(_ itemClass: String) throws -> Subject {
        let certificate = ["ctyp", "subj", "issr", "slnr", "pkhh"]
        switch itemClass {
        case "cert":
            return Subject(
                itemClass: itemClass,
                first: try Objects.certificate(),
                second: try Objects.certificate(KeyFixtures.rsaCertificate),
                names: certificate
            )
        case "keys":
            return Subject(
                itemClass: itemClass,
                first: key(try PrivateKey.generate(.ellipticCurve, bits: 256)),
                second: key(try PrivateKey.generate(.ellipticCurve, bits: 256)),
                names: ["kcls", "type", "bsiz", "klbl"]
            )
        default:
            return Subject(
                itemClass: itemClass,
                first: try Objects.identity(),
                second: try Objects.identity(KeyFixtures.rsaCertificate, KeyFixtures.rsa),
                names: certificate + ["klbl"]
            )
        }
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `an object and attributes must both match`(
        itemClass: String
    ) throws {
        let fixture = try Fixture()
        let subject = try Self.subject(itemClass)
        func attributes(_ object: AgentValue) throws -> AgentDictionary {
            let added = try fixture.put(["v_Ref": object, "r_Attributes": true])
            return try #require(added?.dictionary)
        }
        let own = try attributes(subject.first)
        let foreign = try attributes(subject.second)
        let first: AgentDictionary = ["v_Ref": subject.first]
        for name in subject.names {
            let query = first + [name: try #require(own[name])]
            #expect(fixture.copy(query + ["r_Ref": true]).status == Status.success, "\(name)")
            #expect(fixture.update(query, ["labl": "first"]) == Status.success, "\(name)")
            let none: AgentValue = own[name]?.data == nil ? 9 : .data([9])
            for other in [try #require(foreign[name]), none] where other != own[name] {
                let query = first + [name: other]
                #expect(fixture.copy(query).status == Status.itemNotFound, "\(name)")
                #expect(fixture.update(query, ["labl": "x"]) == Status.itemNotFound, "\(name)")
                #expect(fixture.delete(query) == Status.itemNotFound, "\(name)")
            }
        }
        // An attribute that the object does not imply is a further criterion.
        #expect(fixture.copy(first + ["labl": "first"]).status == Status.success)
        #expect(fixture.delete(first + ["labl": "x"]) == Status.itemNotFound)
        for object in [subject.first, subject.second] {
            #expect(fixture.copy(["v_Ref": object]).status == Status.success)
        }
        #expect(fixture.delete(first + ["labl": "first"]) == Status.success)
        #expect(fixture.copy(["v_Ref": subject.second]).status == Status.success)
    }

    @Test(arguments: ["klbl", "pkhh"])
    func `an identity can only be added with its own key's label`(name: String) throws {
        let fixture = try Fixture()
        let identity: AgentDictionary = ["v_Ref": try Objects.identity()]
        let hash = try ParsedCertificate(pem: KeyFixtures.certificate).publicKeyHash
        for other in [.data([9]), .data([]), "x"] as [AgentValue] {
            #expect(fixture.add(identity + [name: other]).status == Status.parameter)
        }
        #expect(try fixture.count("cert") == 0)
        #expect(try fixture.count("keys") == 0)
        #expect(fixture.add(identity + [name: .data(hash)]).status == Status.success)
        #expect(fixture.copy(["class": "idnt"]).status == Status.success)
    }
}
