import KSAgent
import KSCertificates
import KSSecItem
import KSTestSupport
import Testing

/// Items that require authentication, for callers that forbid a prompt.
struct DemandTests {
    private let control: AgentValue = ["$ref": "accc", "protection": "ak", "flags": 1]
    private let fails: [AgentDictionary] = [["u_AuthUI": "u_AuthUIF"], ["u_NoAuthUI": true]]
    private let skips: AgentDictionary = ["u_AuthUI": "u_AuthUIS"]
    private let all: AgentDictionary = ["m_Limit": "m_LimitAll"]
    /// Flags that return the secret: an object contains it.
    private let withSecret: [AgentDictionary] = [
        ["r_Data": true], ["r_Ref": true], ["r_Ref": true, "r_Attributes": true],
        ["r_Data": true, "r_PersistentRef": true],
    ]
    private let withoutSecret: [AgentDictionary] = [
        [:], ["r_Attributes": true], ["r_PersistentRef": true],
    ]

    /// An identity with one half that requires authentication, and one without.
    private func fixture(_ half: String) throws -> Fixture {
        let fixture = try Fixture()
        var certificate: AgentDictionary = ["v_Ref": try Objects.certificate()]
        var key: AgentDictionary = ["v_Ref": try Objects.keyOfIdentity()]
        if half == "cert" { certificate["accc"] = control } else { key["accc"] = control }
        try fixture.put(certificate)
        try fixture.put(key)
        try fixture.put(["v_Ref": try plain()])
        return fixture
    }

    private func plain() throws -> AgentValue {
        try Objects.identity(KeyFixtures.rsaCertificate, KeyFixtures.rsa)
    }

    /// An attribute that only the plain identity has.
    private func name(_ itemClass: String) throws -> AgentDictionary {
        let hash = try ParsedCertificate(pem: KeyFixtures.rsaCertificate).publicKeyHash
        return [itemClass == "cert" ? "pkhh" : "klbl": .data(hash)]
    }

    @Test(arguments: ["cert", "keys"])
    func `a search that forbids prompts returns no secret`(half: String) throws {
        let fixture = try fixture(half)
        for itemClass in [half, "idnt"] {
            let query: AgentDictionary = ["class": .string(itemClass)]
            let name = try name(itemClass)
            for flags in withSecret {
                for fails in fails {
                    for limit in [[:], all] {
                        let reply = fixture.copy(query + flags + fails + limit)
                        #expect(
                            reply == SecItemReply(status: Status.interactionNotAllowed),
                            "\(itemClass) \(flags) \(fails)"
                        )
                    }
                    let named = fixture.copy(query + flags + fails + name)
                    #expect(named.status == Status.success, "\(itemClass) \(flags)")
                }
                let expected = fixture.copy(query + flags + name).result
                #expect(expected != nil)
                #expect(fixture.copy(query + flags + skips).result == expected)
                let list = fixture.copy(query + flags + skips + all).result
                #expect(list == expected.map { [$0] }, "\(itemClass) \(flags)")
                // A caller that allows prompts gets it while the class is unlocked.
                #expect(fixture.copy(query + flags + all).result?.array?.count == 2)
            }
            for flags in withoutSecret {
                for more in fails + [skips] {
                    let list = fixture.copy(query + flags + more + all)
                    #expect(list.status == Status.success, "\(itemClass) \(flags)")
                    #expect(list.result?.array?.count == (flags == [:] ? 0 : 2))
                }
            }
        }
    }

    @Test(arguments: ["cert", "keys"])
    func `a call that forbids prompts neither changes nor deletes an identity`(half: String) throws
    {
        let fixture = try fixture(half)
        let identities: AgentDictionary = ["class": "idnt"]
        let query: AgentDictionary = ["v_Ref": try Objects.identity()]
        func labeled() -> Int {
            ["cert", "keys"].map { itemClass in
                let query: AgentDictionary = ["class": .string(itemClass), "labl": "new"]
                let list = fixture.copy(query + all + ["r_Attributes": true])
                return list.result?.array?.count ?? 0
            }.reduce(0, +)
        }
        for fails in fails {
            for query in [identities, query] {
                let update = fixture.update(query + fails, ["labl": "new"])
                #expect(update == Status.interactionNotAllowed)
                #expect(fixture.delete(query + fails) == Status.interactionNotAllowed)
                let flags: AgentDictionary = ["r_Data": true]
                #expect(fixture.delete(query + flags + fails) == Status.interactionNotAllowed)
            }
        }
        for query in [identities, query] {
            #expect(fixture.update(query + skips, ["labl": "new"]) == Status.parameter)
            #expect(fixture.delete(query + skips) == Status.parameter)
        }
        #expect(labeled() == 0)
        #expect(try fixture.count("cert") == 2)
        #expect(try fixture.count("keys") == 2)
        let named = identities + (try name("idnt"))
        #expect(fixture.update(named + fails[0], ["labl": "new"]) == Status.success)
        #expect(labeled() == 2)
        #expect(fixture.delete(named + fails[0]) == Status.success)
        #expect(fixture.update(identities, ["labl": "new"]) == Status.success)
        #expect(fixture.delete(identities) == Status.success)
        #expect(try fixture.count("cert") == 0)
        #expect(try fixture.count("keys") == 0)
    }

    @Test
    func `items that are not asked for do not block a call`() throws {
        let fixture = try Fixture()
        // A certificate without its key is no identity.
        try fixture.put(["v_Ref": try Objects.certificate(), "accc": control])
        try fixture.put(["v_Ref": try plain()])
        let identities: AgentDictionary = ["class": "idnt"]
        for fails in fails {
            let found = fixture.copy(identities + fails + ["r_Ref": true])
            #expect(found.result == (try plain()))
            #expect(fixture.update(identities + fails, ["labl": "l"]) == Status.success)
        }
        #expect(fixture.delete(identities + fails[0]) == Status.success)
        // A password of another host does not match.
        let password: AgentDictionary = ["class": "inet", "v_Data": .bytes("d")]
        try fixture.put(password + ["srvr": "one.example", "accc": control])
        try fixture.put(password + ["srvr": "two.example"])
        let query: AgentDictionary = [
            "class": "inet", "m_HostOrSubdomainOfHost": "two.example", "r_Data": true,
        ]
        #expect(fixture.copy(query + fails[0]).result == .bytes("d"))
    }
}
