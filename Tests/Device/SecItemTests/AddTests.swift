import KSAgent
import KSSecItem
import Testing

struct AddTests {
    /// The primary keys of items, from Apple's tables.
    @Test(
        arguments: [
            ("genp", ["acct", "svce", "vwht", "tkid"]),
            ("inet", ["acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path", "vwht", "tkid"]),
            ("cert", ["ctyp", "issr", "slnr", "vwht", "tkid"]),
            (
                "keys",
                [
                    "kcls", "klbl", "atag", "crtr", "type", "bsiz", "esiz", "sdat", "edat", "vwht",
                    "tkid",
                ]
            ),
        ]
    )
    func `a different attribute of the primary key makes another item`(
        itemClass: String,
        names: [String]
    ) throws {
        let fixture = try Fixture()
        let plain: AgentDictionary = ["class": .string(itemClass)]
        #expect(fixture.add(plain).status == Status.success)
        #expect(fixture.add(plain).status == Status.duplicateItem)
        for name in names {
            let value: AgentValue =
                switch name {
                case "sdat", "edat": .date(5)
                case "issr", "slnr", "klbl": .data([5])
                case "kcls", "ctyp", "crtr", "type", "bsiz", "esiz", "port": 5
                default: "x"
                }
            let other = plain + [name: value]
            #expect(fixture.add(other).status == Status.success, "\(name)")
            #expect(fixture.add(other).status == Status.duplicateItem, "\(name)")
        }
    }

    @Test(
        arguments: [
            (
                "genp",
                [
                    "labl", "gena", "desc", "icmt", "crtr", "type", "scrp", "invi", "nega", "cusi",
                    "alis", "prot",
                ]
            ),
            (
                "inet",
                [
                    "labl", "desc", "icmt", "crtr", "type", "scrp", "invi", "nega", "cusi", "alis",
                    "prot",
                ]
            ),
            ("cert", ["labl", "cenc", "subj", "skid", "pkhh"]),
            ("keys", ["labl", "perm", "priv", "alis"]),
        ]
    )
    func `an attribute outside the primary key makes no second item`(
        itemClass: String,
        names: [String]
    ) throws {
        let fixture = try Fixture()
        let plain: AgentDictionary = ["class": .string(itemClass)]
        try fixture.put(plain)
        for name in names {
            let numbers: Set = [
                "crtr", "type", "cenc", "perm", "priv", "scrp", "invi", "nega", "cusi",
            ]
            let value: AgentValue = numbers.contains(name) ? 5 : .data([5])
            #expect(fixture.add(plain + [name: value]).status == Status.duplicateItem, "\(name)")
        }
        let accessible = plain + ["pdmn": "ck"]
        #expect(fixture.add(accessible).status == Status.duplicateItem)
    }

    @Test(arguments: ["genp", "inet", "cert", "keys"])
    func `another secret makes no second item, and does not replace the first`(
        itemClass: String
    ) throws {
        let fixture = try Fixture()
        let item: AgentDictionary = ["class": .string(itemClass)]
        try fixture.put(item + ["v_Data": .bytes("1")])
        for secret in [nil, .data([]), .bytes("1"), .bytes("2")] as [AgentValue?] {
            var again = item
            again["v_Data"] = secret
            #expect(fixture.add(again).status == Status.duplicateItem)
        }
        #expect(fixture.copy(item + ["r_Data": true]).result == .bytes("1"))
        #expect(try fixture.count(itemClass) == 1)
    }

    @Test
    func `text and data with the same bytes are one key, a number is another`() throws {
        let fixture = try Fixture()
        try fixture.put(.password("5"))
        let data = AgentDictionary.password() + ["acct": .data([0x35])]
        #expect(fixture.add(data).status == Status.duplicateItem)
        let number = AgentDictionary.password() + ["acct": 5]
        #expect(fixture.add(number).status == Status.success)
        let port: AgentDictionary = ["class": "inet", "port": 80]
        try fixture.put(port)
        #expect(fixture.add(port + ["port": "80"]).status == Status.duplicateItem)
    }

    @Test
    func `a missing value, an empty one and the default are the same key`() throws {
        let fixture = try Fixture()
        try fixture.put(["class": "inet"])
        for more in [
            ["acct": ""], ["acct": .data([])], ["port": 0], ["ptcl": false], ["vwht": ""],
            ["musr": .data([])], ["sync": false],
        ] as [AgentDictionary] {
            let query: AgentDictionary = ["class": "inet"]
            #expect(fixture.add(query + more).status == Status.duplicateItem)
        }
    }

    @Test
    func `a synchronizable item and a local one may have the same key`() throws {
        let fixture = try Fixture()
        try fixture.put(.password(data: "local"))
        try fixture.put(.password(data: "synced") + ["sync": true])
        let query = AgentDictionary.password() + ["r_Data": true]
        #expect(fixture.copy(query).result == .bytes("local"))
        #expect(fixture.copy(query + ["sync": true]).result == .bytes("synced"))
    }

    @Test
    func `an add with kSecAttrSynchronizableAny makes a local item`() throws {
        let fixture = try Fixture()
        try fixture.put(.password() + ["sync": "syna"])
        #expect(fixture.copy(.password() + ["sync": false]).status == Status.success)
        #expect(fixture.copy(.password() + ["sync": true]).status == Status.itemNotFound)
    }

    @Test(
        arguments: [("genp", "ak"), ("inet", "ak"), ("keys", "ak"), ("cert", "dk")]
    )
    func `an item without a protection gets its class's default`(
        itemClass: String,
        letters: String
    ) throws {
        let fixture = try Fixture()
        fixture.client.accessGroups = ["group", "com.apple.apsd"]
        let query: AgentDictionary = ["class": .string(itemClass), "r_Attributes": true]
        #expect(fixture.add(query).result?.dictionary?["pdmn"] == .string(letters))
        let push = fixture.add(query + ["agrp": "com.apple.apsd"])
        #expect(push.result?.dictionary?["pdmn"] == "dku")
        fixture.client.accessGroups = ["com.apple.apsd", "group"]
        let first = fixture.add(query + ["vwht": "first"])
        #expect(first.result?.dictionary?["agrp"] == "com.apple.apsd")
        #expect(first.result?.dictionary?["pdmn"] == "dku")
        fixture.client.accessGroups = ["group", "com.apple.apsd"]
        let named = fixture.add(query + ["pdmn": "cku", "vwht": "other"])
        #expect(named.result?.dictionary?["pdmn"] == "cku")
    }

    @Test
    func `the dates of an added item are now, whatever the caller says`() throws {
        let fixture = try Fixture()
        let reply = fixture.add(
            .password() + ["cdat": .date(1), "mdat": .date(2), "r_Attributes": true]
        )
        let now = AgentValue.date(fixture.clock.seconds)
        #expect(reply.result?.dictionary?["cdat"] == now)
        #expect(reply.result?.dictionary?["mdat"] == now)
    }

    @Test
    func `fields that are stored with the secret are returned only with the secret`() throws {
        let fixture = try Fixture()
        fixture.client.entitlements = [Entitlement.internetPasswordFields]
        let query: AgentDictionary = ["class": "inet", "binn": .bytes("n"), "bin0": .bytes("0")]
        let kinds: AgentDictionary = ["r_Attributes": true, "r_PersistentRef": true]
        for (number, more) in ([[:], ["r_Data": true]] as [AgentDictionary]).enumerated() {
            let item: AgentDictionary = ["acct": .string("\(number)"), "v_Data": .bytes("s")]
            let added = fixture.add(query + item + kinds + more).result?.dictionary
            #expect(added?["acct"] == .string("\(number)"))
            #expect(added?["binn"] == (more.isEmpty ? nil : .bytes("n")))
            #expect(added?["bin0"] == (more.isEmpty ? nil : .bytes("0")))
            #expect(added?["v_Data"] == (more.isEmpty ? nil : .bytes("s")))
        }
    }

    @Test
    func `an item needs no secret`() throws {
        let fixture = try Fixture()
        try fixture.put(.password())
        #expect(fixture.copy(.password() + ["r_Data": true]).result == .data([]))
        let both = fixture.copy(.password() + ["r_Data": true, "r_Attributes": true])
        let dictionary = try #require(both.result?.dictionary)
        #expect(dictionary["v_Data"] == nil)
        #expect(dictionary["acct"] == "a")
    }

    /// Apple's keychain reports success and stores nothing.
    @Test(arguments: ["m_Limit", "m_CaseInsensitive", "m_Whatever"])
    func `an add with a match key is refused`(key: String) throws {
        let fixture = try Fixture()
        let query = AgentDictionary.password() + [key: "m_LimitAll"]
        #expect(fixture.add(query).status == Status.parameter)
        #expect(try fixture.count("genp") == 0)
    }

    @Test
    func `an add that names an item by reference is refused`() throws {
        let fixture = try Fixture()
        let reference = try fixture.put(.password() + ["r_PersistentRef": true])
        let query: AgentDictionary = ["v_PersistentRef": reference ?? .null]
        #expect(fixture.add(query + ["acct": "b"]).status == Status.parameter)
    }

    // MARK: What takes an entitlement

    @Test(
        arguments: [
            ("sysb", 1, Entitlement.systemBound), ("pcss", 1, Entitlement.plaintextFields),
            ("pcsk", "k", Entitlement.plaintextFields),
            ("pcsi", "i", Entitlement.plaintextFields),
            ("dspk", true, Entitlement.derivedIdentifiers),
        ] as [(String, AgentValue, String)]
    )
    func `some attributes need an entitlement`(
        name: String,
        value: AgentValue,
        entitlement: String
    ) throws {
        let fixture = try Fixture()
        let query = AgentDictionary.password() + [name: value]
        #expect(fixture.add(query).status == Status.missingEntitlement)
        fixture.client.entitlements = [entitlement]
        #expect(fixture.add(query).status == Status.success)
        #expect(fixture.update(.password(), [name: value]) == Status.success)
        fixture.client.entitlements = []
        #expect(fixture.update(.password(), [name: value]) == Status.missingEntitlement)
    }

    @Test
    func `an internet password's further secrets need an entitlement, and come with the secret`()
        throws
    {
        let fixture = try Fixture()
        let query: AgentDictionary = ["class": "inet", "binn": .bytes("note"), "bin3": .data([3])]
        #expect(fixture.add(query).status == Status.missingEntitlement)
        fixture.client.entitlements = [Entitlement.internetPasswordFields]
        try fixture.put(query)
        let search: AgentDictionary = ["class": "inet", "r_Attributes": true]
        #expect(fixture.copy(search).result?.dictionary?["binn"] == nil)
        let both = fixture.copy(search + ["r_Data": true]).result?.dictionary
        #expect(both?["binn"] == .bytes("note"))
        #expect(both?["bin3"] == .data([3]))
    }

    @Test
    func `a sharing group needs an entitlement and is never synchronizable`() throws {
        let fixture = try Fixture()
        let query = AgentDictionary.password() + ["ggrp": "family"]
        #expect(fixture.add(query).status == Status.missingEntitlement)
        #expect(fixture.add(query + ["sync": true]).status == Status.parameter)
        fixture.client.entitlements = [Entitlement.sharing]
        #expect(fixture.add(query + ["sync": true]).status == Status.parameter)
        try fixture.put(query)
        try fixture.put(.password())
        #expect(fixture.update(.password(), ["ggrp": "other"]) == Status.parameter)
    }

    @Test
    func `attributes that every item has need no entitlement`() throws {
        let fixture = try Fixture()
        let first = try fixture.put(.password() + ["r_Attributes": true])
        let attributes = try #require(first?.dictionary)
        let copy = attributes + ["class": "genp", "acct": "b"]
        #expect(fixture.add(copy - ["sha1"]).status == Status.success)
    }
}
