import KSAgent
import KSSecItem
import Testing

/// Each protection class in each call, on a device that is unlocked, locked or has not
/// been unlocked yet.
struct LockStateTests {
    private static let classes = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]

    /// The attributes that identify an item.
    private static let names: [String: AgentDictionary] = [
        "genp": ["acct": "a", "svce": "s"], "inet": ["acct": "a", "srvr": "h"],
        "cert": ["issr": .data([1]), "slnr": .data([2])],
        "keys": ["klbl": .data([1]), "kcls": 1],
    ]

    private func query(_ itemClass: String) throws -> AgentDictionary {
        ["class": .string(itemClass)] + (try #require(Self.names[itemClass]))
    }

    /// An item of the class, and one with another name that opens only while unlocked.
    private func fixture(_ query: AgentDictionary, _ accessible: String) throws -> Fixture {
        let fixture = try Fixture()
        let item: AgentDictionary = ["pdmn": .string(accessible), "v_Data": .bytes("d")]
        try fixture.put(query + item)
        try fixture.put(query + item + ["pdmn": "ak", "vwht": "other"] + changed(query))
        return fixture
    }

    /// The query with another name.
    private func changed(_ query: AgentDictionary) -> AgentDictionary {
        switch query["class"] {
        case "genp", "inet": ["acct": "other"]
        case "cert": ["slnr": .data([9])]
        default: ["klbl": .data([9])]
        }
    }

    @Test(arguments: ["genp", "inet", "cert", "keys"], DeviceState.allCases)
    func `each call opens a class in the states that it allows`(
        itemClass: String,
        state: DeviceState
    ) throws {
        for accessible in Self.classes {
            let query = try query(itemClass)
            let fixture = try fixture(query, accessible)
            try fixture.enter(state)
            let isOpen = state.opens(accessible)
            let expected = isOpen ? Status.success : Status.interactionNotAllowed
            for flags in [
                [:], ["r_Data": true], ["r_Attributes": true], ["r_PersistentRef": true],
                ["r_Data": true, "r_Attributes": true], ["m_Limit": "m_LimitAll"],
                ["m_Limit": "m_LimitAll", "r_Data": true],
            ] as [AgentDictionary] {
                #expect(fixture.copy(query + flags).status == expected, "\(accessible) \(flags)")
            }
            for update in [["labl": "l"], ["v_Data": .bytes("e")], [:]] as [AgentDictionary] {
                #expect(fixture.update(query, update) == expected, "\(accessible) \(update)")
            }
            let again = query + ["pdmn": .string(accessible)]
            let duplicate = isOpen ? Status.duplicateItem : Status.interactionNotAllowed
            #expect(fixture.add(again).status == duplicate, "\(accessible)")
            #expect(fixture.add(again + ["tkid": "new"]).status == expected, "\(accessible)")
            // Deleting needs no key, but the row must be found.
            let isFound = isOpen || state != .beforeFirstUnlock
            let deleted = isFound ? Status.success : Status.interactionNotAllowed
            #expect(fixture.delete(query + ["tkid": ""]) == deleted, "\(accessible)")
            try fixture.enter(.unlocked)
            let rest = fixture.copy(query + ["tkid": ""]).status
            #expect(rest == (isFound ? Status.itemNotFound : Status.success), "\(accessible)")
            let new = fixture.copy(query + ["tkid": "new"]).status
            #expect(new == (isOpen ? Status.success : Status.itemNotFound), "\(accessible)")
        }
    }

    @Test(arguments: ["genp", "inet", "cert", "keys"])
    func `an update that the lock refuses changes no item`(
        itemClass: String
    ) throws {
        let fixture = try Fixture()
        let open = try query(itemClass)
        let closed = open + changed(open)
        try fixture.put(open + ["pdmn": "ck", "labl": "old", "v_Data": .bytes("1")])
        try fixture.put(closed + ["pdmn": "ak", "labl": "old", "v_Data": .bytes("2")])
        func items() -> [AgentValue?] {
            [open, closed].map { query in
                fixture.copy(query + ["r_Attributes": true, "r_Data": true]).result
            }
        }
        let before = items()
        #expect(!before.contains(nil))
        try fixture.enter(.locked)
        fixture.clock.seconds += 10
        let both: AgentDictionary = ["class": .string(itemClass), "labl": "old"]
        let new: AgentDictionary = ["labl": "new"]
        let secret: AgentDictionary = ["v_Data": .bytes("3")]
        let refused = Status.interactionNotAllowed
        // Nothing can be sealed in this class now.
        for update in [["pdmn": "ak"], new + secret + ["pdmn": "ak"]] as [AgentDictionary] {
            #expect(fixture.update(open, update) == refused, "\(update)")
        }
        for update in [new, secret, ["pdmn": "ck"], [:]] as [AgentDictionary] {
            #expect(fixture.update(closed, update) == refused, "\(update)")
            #expect(fixture.update(both, update) == refused, "\(update)")
        }
        try fixture.enter(.unlocked)
        #expect(items() == before)
        #expect(try fixture.count(itemClass) == 2)
    }

    @Test
    func `an identity whose key is locked is deleted, unless the query needs the key`() throws {
        let fixture = try Fixture()
        let identity = try Objects.identity()
        let queries: [AgentDictionary] = [["class": "idnt"], ["v_Ref": identity]]
        for query in queries {
            try fixture.put(["v_Ref": identity])
            let other: AgentDictionary = ["class": "keys", "kcls": 0]
            try fixture.put(other)
            try fixture.enter(.locked)
            #expect(fixture.delete(query + ["tkid": "none"]) == Status.interactionNotAllowed)
            #expect(fixture.delete(query + ["u_AuthUI": "u_AuthUIF"]) != Status.success)
            #expect(try fixture.count("keys") == 2)
            #expect(fixture.delete(query) == Status.success, "\(query)")
            #expect(try fixture.count("cert") == 0)
            #expect(try fixture.count("keys") == 1)
            try fixture.enter(.unlocked)
            #expect(fixture.delete(other) == Status.success)
        }
    }

    @Test(arguments: ["genp", "inet", "cert", "keys"])
    func `an item changed before the first unlock is found by its new values after it`(
        itemClass: String
    ) throws {
        let query = try query(itemClass)
        let fixture = try fixture(query, "dk")
        let reference = fixture.copy(query + ["r_PersistentRef": true]).result
        try fixture.enter(.beforeFirstUnlock)
        let update: AgentDictionary = ["labl": "new", "v_Data": .bytes("e"), "tkid": "t"]
        #expect(fixture.update(query, update) == Status.success)
        let found = query + ["labl": "new", "tkid": "t", "r_Data": true]
        #expect(fixture.copy(found).result == .bytes("e"))
        try fixture.enter(.unlocked)
        #expect(fixture.copy(found).result == .bytes("e"))
        #expect(fixture.copy(query + ["r_PersistentRef": true]).result == reference)
        #expect(fixture.add(query + ["tkid": "t"]).status == Status.duplicateItem)
        #expect(fixture.update(query, ["pdmn": "ak"]) == Status.success)
        try fixture.enter(.beforeFirstUnlock)
        #expect(fixture.copy(found).status == Status.interactionNotAllowed)
    }

    @Test
    func `before the first unlock an item that may be hidden is not reported as missing`() throws {
        let query = try query("genp")
        let fixture = try fixture(query, "dk")
        try fixture.enter(.beforeFirstUnlock)
        let absent = query + ["acct": "nobody"]
        #expect(fixture.copy(absent).status == Status.interactionNotAllowed)
        #expect(fixture.update(absent, ["labl": "l"]) == Status.interactionNotAllowed)
        #expect(fixture.delete(absent) == Status.interactionNotAllowed)
        // A list of all items of a service could be incomplete.
        let list: AgentDictionary = ["class": "genp", "svce": "s", "m_Limit": "m_LimitAll"]
        #expect(fixture.copy(list).status == Status.interactionNotAllowed)
        // If no hidden item can match, the result is certain.
        #expect(fixture.copy(absent + ["pdmn": "dk"]).status == Status.itemNotFound)
        #expect(fixture.copy(list + ["pdmn": "dk"]).status == Status.success)
        #expect(fixture.copy(["class": "inet", "acct": "a"]).status == Status.itemNotFound)
        #expect(fixture.update(query, ["pdmn": "ak"]) == Status.interactionNotAllowed)
        #expect(fixture.copy(query).status == Status.success)
    }
}
