import KSAgent
import KSKeychainTestSupport
import KSSecItem
import Testing

struct FindTests {
    private func three() throws -> Fixture {
        let fixture = try Fixture()
        for name in ["a", "b", "c"] { try fixture.put(.password(name, data: name)) }
        return fixture
    }

    private let all: AgentDictionary = ["class": "genp", "r_Data": true]

    // MARK: Limit and shape

    @Test
    func `without a limit, or with 1, the result is not a list`() throws {
        let fixture = try three()
        for limit in [[:], ["m_Limit": "m_LimitOne"], ["m_Limit": 1]] as [AgentDictionary] {
            #expect(fixture.copy(all + limit).result == .bytes("a"))
        }
    }

    @Test
    func `any other limit gives a list, even of one result`() throws {
        let fixture = try three()
        let three: AgentValue = [.bytes("a"), .bytes("b"), .bytes("c")]
        #expect(fixture.copy(all + ["m_Limit": "m_LimitAll"]).result == three)
        #expect(fixture.copy(all + ["m_Limit": -1]).result == three)
        #expect(fixture.copy(all + ["m_Limit": 32767]).result == three)
        #expect(fixture.copy(all + ["m_Limit": 2]).result == [.bytes("a"), .bytes("b")])
        #expect(fixture.copy(all + ["m_Limit": .double(2)]).result == [.bytes("a"), .bytes("b")])
        let one = fixture.copy(all + ["m_Limit": "m_LimitAll", "acct": "b"])
        #expect(one.result == [.bytes("b")])
    }

    @Test
    func `a limit of 0 finds nothing`() throws {
        let fixture = try three()
        #expect(fixture.copy(all + ["m_Limit": 0]).status == Status.itemNotFound)
    }

    @Test(arguments: ["5", "all", .bool(true), .data([1]), .null, .double(2.5)] as [AgentValue])
    func `an invalid limit is refused`(limit: AgentValue) throws {
        let fixture = try three()
        #expect(fixture.copy(all + ["m_Limit": limit]).status == Status.parameter)
    }

    @Test
    func `without a return flag one match gives no result, all give an empty list`() throws {
        let fixture = try three()
        #expect(fixture.copy(["class": "genp"]) == SecItemReply(status: 0))
        let all = fixture.copy(["class": "genp", "m_Limit": "m_LimitAll"])
        #expect(all == SecItemReply(status: 0, result: []))
    }

    @Test
    func `nothing found gives no result`() throws {
        let fixture = try Fixture()
        #expect(fixture.copy(all) == SecItemReply(status: Status.itemNotFound))
        let many = fixture.copy(all + ["m_Limit": "m_LimitAll"])
        #expect(many == SecItemReply(status: Status.itemNotFound))
    }

    // MARK: Kinds of result

    private static let flags = ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"]

    /// Every set of flags, with the keys that the result must and must not have.
    @Test(arguments: 0..<16)
    func `each set of return flags has its result`(bits: Int) throws {
        let fixture = try Fixture()
        let reference = try fixture.put(.password(data: "d") + ["r_PersistentRef": true])
        var query = AgentDictionary.password()
        for (bit, flag) in Self.flags.enumerated() where bits >> bit & 1 == 1 {
            query[flag] = true
        }
        let reply = fixture.copy(query)
        #expect(reply.status == Status.success)
        switch bits {
        case 0b0000, 0b0100: #expect(reply.result == nil)
        case 0b0001: #expect(reply.result == .bytes("d"))
        case 0b1000: #expect(reply.result == reference)
        default:
            let result = try #require(reply.result?.dictionary)
            #expect((result["v_Data"] == .bytes("d")) == (bits & 1 != 0))
            #expect((result["acct"] == "a") == (bits & 2 != 0))
            #expect((result["class"] == "genp") == (bits & 4 != 0))
            #expect((result["v_PersistentRef"] == reference) == (bits & 8 != 0))
            #expect(result["v_Ref"] == nil)
        }
    }

    @Test
    func `all attributes of an item are returned, and nothing internal`() throws {
        let fixture = try Fixture()
        let reply = fixture.add(
            .password(data: "d") + ["labl": .data([1]), "invi": true, "r_Attributes": true]
        )
        let attributes = try #require(reply.result?.dictionary)
        #expect(
            attributes.entries.map(\.key) == [
                "accc", "acct", "agrp", "cdat", "invi", "labl", "mdat", "musr", "pdmn", "sha1",
                "svce", "sync", "sysb", "tomb",
            ]
        )
        #expect(attributes["labl"] == .data([1]))
        #expect(attributes["invi"] == 1)
        #expect(attributes["sync"] == 0)
        #expect(attributes["tomb"] == 0)
        #expect(attributes["musr"] == .data([]))
        #expect(attributes["sha1"]?.data?.count == 20)
        #expect(
            attributes["accc"] == ["$ref": "accc", "protection": "ak", "flags": 0]
        )
    }

    @Test
    func `a list of attributes opens no secret, and a secret no attributes`() throws {
        let fixture = try three()
        let list: AgentDictionary = [
            "class": "genp", "r_Attributes": true, "m_Limit": "m_LimitAll",
        ]
        #expect(fixture.copy(list).result?.array?.count == 3)
        #expect(fixture.sealing.openedSecretsCount == 0)
        try fixture.execute("UPDATE genp SET attributes = zeroblob(40)")
        #expect(fixture.copy(all).result == .bytes("a"))
    }

    // MARK: Criteria

    @Test
    func `a search compares bytes`() throws {
        let fixture = try Fixture()
        try fixture.put(.password("\u{e9}A"))
        for other in ["e\u{301}A", "\u{e9}a", "\u{e9}"] {
            #expect(fixture.copy(.password(other)).status == Status.itemNotFound)
        }
        let data = AgentDictionary.password() + ["acct": .data([0xC3, 0xA9, 0x41])]
        #expect(fixture.copy(data).status == Status.success)
    }

    @Test
    func `an item is found by any attribute, also by its digest`() throws {
        let fixture = try Fixture()
        let first = try fixture.put(
            .password(data: "d") + ["icmt": "c", "gena": .data([9]), "r_Attributes": true]
        )
        try fixture.put(.password("other"))
        for name in ["icmt", "gena", "sha1", "svce"] {
            let query: AgentDictionary = [
                "class": "genp", name: first?.dictionary?[name] ?? .null, "r_Data": true,
            ]
            #expect(fixture.copy(query).result == .bytes("d"), "\(name)")
        }
        #expect(fixture.copy(["class": "genp", "icmt": "other"]).status == Status.itemNotFound)
    }

    /// Missing, no, yes and any, over an item of either kind.
    @Test(
        arguments: [
            (nil, ["local"]), (.bool(false), ["local"]), (.bool(true), ["synced"]),
            (.string("syna"), ["local", "synced"]), (.integer(1), ["synced"]),
        ] as [(AgentValue?, [String])]
    )
    func `a search selects local items, synchronizable ones or both`(
        value: AgentValue?,
        expected: [String]
    ) throws {
        let fixture = try Fixture()
        try fixture.put(.password(data: "synced") + ["sync": true])
        try fixture.put(.password(data: "local"))
        var query = all + ["m_Limit": "m_LimitAll"]
        query["sync"] = value
        #expect(fixture.copy(query).result == .array(expected.map { .bytes($0) }))
        var exact = AgentDictionary.password()
        exact["sync"] = value
        #expect(fixture.update(exact, ["labl": "l"]) == Status.success)
        #expect(fixture.copy(query + ["labl": "l"]).result?.array?.count == expected.count)
        #expect(fixture.delete(exact) == Status.success)
        let rest = fixture.copy(all + ["m_Limit": "m_LimitAll", "sync": "syna"])
        #expect((rest.result?.array?.count ?? 0) == 2 - expected.count)
    }

    // MARK: Match keys

    @Test
    func `a host matches its server and the domains above it`() throws {
        let fixture = try Fixture()
        for server in ["example.com", "origin.example.com", "badexample.com", "example.org"] {
            try fixture.put(["class": "inet", "srvr": .string(server)])
        }
        try fixture.put(["class": "inet", "srvr": .bytes("data.example.com")])
        let query: AgentDictionary = [
            "class": "inet", "r_Attributes": true, "m_Limit": "m_LimitAll",
        ]
        func servers(_ host: String) -> [AgentValue]? {
            fixture.copy(query + ["m_HostOrSubdomainOfHost": .string(host)]).result?.array?
                .compactMap { $0.dictionary?["srvr"] }
        }
        #expect(servers("example.com") == ["example.com", "origin.example.com"])
        #expect(servers("origin.example.com") == ["origin.example.com"])
        #expect(servers("com") == ["example.com", "origin.example.com", "badexample.com"])
        #expect(servers("www.example.com") == nil)
        // The first match is found, though another item precedes it.
        let one = fixture.copy(
            ["class": "inet", "m_HostOrSubdomainOfHost": "example.org", "r_Attributes": true]
        )
        #expect(one.result?.dictionary?["srvr"] == "example.org")
    }

    @Test
    func `a match key works only for its classes`() throws {
        let fixture = try three()
        let policy: AgentValue = ["$ref": "policy"]
        for more in [
            ["m_HostOrSubdomainOfHost": "h"], ["m_Issuers": []], ["m_Policy": policy],
        ] as [AgentDictionary] {
            #expect(fixture.copy(all + more).status == Status.unimplemented)
        }
        for more in [
            ["m_ValidOnDate": .null], ["m_TrustedOnly": true], ["m_EmailAddressIfPresent": "x"],
        ] as [AgentDictionary] {
            #expect(fixture.copy(all + more).status == Status.success)
        }
    }

    @Test(
        arguments: [
            ("m_HostOrSubdomainOfHost", .data([1])), ("m_Issuers", "x"), ("m_Issuers", ["x"]),
            ("m_Policy", ["$ref": "other"]), ("m_Policy", 1), ("m_ValidOnDate", "now"),
            ("m_TrustedOnly", 1), ("m_EmailAddressIfPresent", 1),
        ] as [(String, AgentValue)]
    )
    func `a match key takes one type`(key: String, value: AgentValue) throws {
        let fixture = try three()
        #expect(fixture.copy(all + [key: value]).status == Status.parameter)
    }

    @Test
    func `a list of items to search in is refused`() throws {
        let fixture = try three()
        #expect(fixture.copy(all + ["u_ItemList": []]).status == Status.parameter)
    }
}
