import KSAgent
import KSSecItem
import Testing

struct ParsingTests {
    static let calls: [String] = ["add", "copy", "update", "delete"]

    private func status(_ call: String, _ query: AgentDictionary, _ fixture: Fixture) -> Int32 {
        switch call {
        case "add": fixture.add(query).status
        case "copy": fixture.copy(query).status
        case "update": fixture.update(query, ["labl": "l"])
        default: fixture.delete(query)
        }
    }

    @Test(arguments: calls)
    func `a query without a class is refused`(call: String) throws {
        let fixture = try Fixture()
        #expect(status(call, [:], fixture) == Status.parameter)
        #expect(status(call, ["acct": "a"], fixture) == Status.parameter)
        #expect(status(call, ["class": 1], fixture) == Status.parameter)
    }

    @Test(arguments: calls)
    func `an unknown class is -25306`(call: String) throws {
        let fixture = try Fixture()
        for name in ["nope", "apls", "", "GENP"] {
            #expect(status(call, ["class": .string(name)], fixture) == Status.noSuchClass)
        }
    }

    /// The meaning of a key depends on its length and its first character.
    @Test(
        arguments: [
            ("", Status.parameter), ("a", Status.parameter), ("f", Status.parameter),
            ("cl", Status.parameter), ("classes", Status.parameter), ("rx", Status.parameter),
            ("r_Nothing", Status.parameter), ("u_Nothing", Status.parameter),
            ("u_Keychain", Status.parameter), ("u_ItemList", Status.parameter),
            ("v_Nothing", Status.parameter),
            ("persistref", Status.parameter), ("abcd", Status.noSuchAttribute),
            ("atag", Status.noSuchAttribute), ("srvr", Status.noSuchAttribute),
            ("clip", Status.parameter), ("äöüß", Status.noSuchAttribute),
        ]
    )
    func `an invalid key has a status by its form`(key: String, expected: Int32) throws {
        let fixture = try Fixture()
        try fixture.put(.password())
        for call in Self.calls {
            let query = AgentDictionary.password() + [key: "x"]
            #expect(status(call, query, fixture) == expected, "\(call)")
        }
    }

    @Test(arguments: ["fooBar", "fo", "nleg", "u_OpPrompt", "u_AuthCtx"])
    func `a key without a meaning here changes nothing`(key: String) throws {
        let fixture = try Fixture()
        for call in Self.calls {
            let query = AgentDictionary.password() + [key: "x"]
            #expect(status(call, query, fixture) == Status.success, "\(call)")
        }
    }

    @Test
    func `an unknown match key is ignored by a search`() throws {
        let fixture = try Fixture()
        try fixture.put(.password("A"))
        let query = AgentDictionary.password("a")
        let insensitive: AgentDictionary = [
            "m_CaseInsensitive": true, "m_Whatever": [1], "m_ItemList": [], "m_SearchList": [],
        ]
        #expect(fixture.copy(query + insensitive).status == Status.itemNotFound)
        #expect(fixture.copy(.password("A") + insensitive).status == Status.success)
    }

    @Test(arguments: ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"])
    func `a return flag is a boolean, not a number`(key: String) throws {
        let fixture = try Fixture()
        try fixture.put(.password())
        for value in [1, "yes", .null, .data([1])] as [AgentValue] {
            #expect(fixture.copy(.password() + [key: value]).status == Status.parameter)
        }
        let none = fixture.copy(.password() + [key: false])
        #expect(none == SecItemReply(status: 0))
    }

    @Test(arguments: calls)
    func `the secret is data`(call: String) throws {
        let fixture = try Fixture()
        for value in ["text", 1, .null] as [AgentValue] {
            let query = AgentDictionary.password() + ["v_Data": value]
            #expect(status(call, query, fixture) == Status.parameter)
        }
    }

    @Test
    func `a secret in a search is ignored`() throws {
        let fixture = try Fixture()
        try fixture.put(.password(data: "one"))
        #expect(fixture.copy(.password(data: "other")).status == Status.success)
    }

    @Test(arguments: calls)
    func `more than 128 keys are refused`(call: String) throws {
        let fixture = try Fixture()
        if call != "add" { try fixture.put(.password()) }
        var query = AgentDictionary.password()
        for number in 0..<125 { query["f\(number)xxxxx"] = 1 }
        #expect(query.count == 128)
        let more = query + ["fffff": 1]
        #expect(status(call, more, fixture) == Status.parameter)
        #expect(status(call, query, fixture) == Status.success)
    }

    /// For each type of attribute: the converted value, or a refusal.
    @Test(
        arguments: [
            ("acct", "x", "x"), ("acct", .data([1]), .data([1])), ("acct", 5, 5),
            ("acct", true, nil), ("acct", .date(1), nil), ("acct", .array([]), nil),
            ("acct", .null, nil), ("acct", .dictionary([:]), nil),
            ("acct", .double(1.5), "1.5"), ("crtr", .double(-0.25), "-0.25"),
            ("acct", .double(.infinity), nil), ("crtr", .double(.nan), nil),
            ("vwht", .double(1.5), nil), ("pdmn", .double(1.5), nil),
            ("vwht", .data([0x61]), "a"), ("vwht", .data([0xFF]), nil), ("vwht", 1, nil),
            ("pdmn", .data([0x61, 0x6B]), "ak"), ("pdmn", "f", nil), ("pdmn", "bogus", nil),
            ("crtr", true, 1), ("crtr", "17", 17), ("crtr", "017", "017"),
            ("crtr", "4294967296", "4294967296"), ("crtr", .double(3), 3),
            ("crtr", .data([1]), nil),
            ("musr", .null, .data([])), ("musr", .data([1]), nil), ("musr", "x", nil),
            ("cdat", 5, nil), ("cdat", "x", nil), ("sync", "syna", 0), ("sync", 2, nil),
            ("sync", "x", nil), ("tomb", true, nil), ("invi", false, 0),
        ] as [(String, AgentValue, AgentValue?)]
    )
    func `a value is converted to the attribute's kind or refused`(
        key: String,
        value: AgentValue,
        kept: AgentValue?
    ) throws {
        let fixture = try Fixture()
        let query = AgentDictionary.password() + [key: value, "r_Attributes": true]
        let reply = fixture.add(query)
        #expect(reply.status == (kept == nil ? Status.parameter : Status.success))
        #expect(reply.result?.dictionary?[key] == kept)
    }

    // MARK: The order of errors

    @Test(arguments: calls)
    func `a missing access group is reported before any other error`(call: String) throws {
        let fixture = try Fixture()
        fixture.client = ProgramAccess(accessGroups: [])
        #expect(status(call, [:], fixture) == Status.missingEntitlement)
        #expect(status(call, .password(), fixture) == Status.missingEntitlement)
    }

    @Test
    func `update and delete check the group first, add and search the attributes`() throws {
        let fixture = try Fixture()
        let query: AgentDictionary = ["class": "genp", "agrp": "foreign", "abcd": 1]
        #expect(fixture.update(query, [:]) == Status.missingEntitlement)
        #expect(fixture.delete(query) == Status.missingEntitlement)
        #expect(fixture.add(query).status == Status.noSuchAttribute)
        #expect(fixture.copy(query).status == Status.noSuchAttribute)
        let readable = query - ["abcd"]
        #expect(fixture.add(readable).status == Status.missingEntitlement)
        #expect(fixture.copy(readable).status == Status.missingEntitlement)
    }

    @Test(arguments: calls)
    func `a foreign group comes before a wrong or missing class, in update and delete`(
        call: String
    ) throws {
        let fixture = try Fixture()
        let looksAtGroupFirst = call == "update" || call == "delete"
        let queries: [AgentDictionary] = [["class": "none"], ["acct": "a"], ["class": 1]]
        let faults = [Status.noSuchClass, Status.parameter, Status.parameter]
        for (query, fault) in zip(queries, faults) {
            let foreign = query + ["agrp": "foreign"]
            let expected = looksAtGroupFirst ? Status.missingEntitlement : fault
            #expect(status(call, foreign, fixture) == expected, "\(query)")
            #expect(status(call, query + ["agrp": "group"], fixture) == fault, "\(query)")
        }
    }
}
