import KSAgent
import KSSecItem
import Testing

/// The attributes of each class: Apple's tables, by their four-character codes.
struct AttributeTableTests {
    private static func names(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "\n" }.map(String.init)
    }

    private static let common = names(
        "cdat mdat labl agrp pdmn accc sync tomb sha1 vwht tkid musr ggrp sysb pcss pcsk pcsi"
    )
    private static let passwords = names(
        "acct desc icmt crtr type scrp alis invi nega cusi prot"
    )
    private static let certificates = names("ctyp cenc subj issr slnr skid pkhh")
    private static let keys = names(
        """
        kcls klbl atag crtr type bsiz esiz sdat edat perm priv modi sens asen extr next encr decr
        drve sign vrfy snrc vyrc wrap unwp alis
        """
    )
    /// These are stored with the secret: no search uses them, and setting needs an entitlement.
    private static let secrets = names("binn bini bin0 bin1 bin2 bin3")

    private static let table: [String: [String]] = [
        "genp": common + passwords + names("svce gena"),
        "inet": common + passwords + names("sdmn srvr ptcl atyp port path"),
        "cert": common + certificates,
        "keys": common + keys,
        "idnt": common + certificates + keys,
    ]

    /// Every attribute of any class, and two that no class has.
    private static let all = Set(table.values.joined()).union(["UUID", "v_pk"]).sorted()

    /// A value of the attribute's type.
    private func value(of name: String) -> AgentValue {
        switch name {
        case "cdat", "mdat", "sdat", "edat": .date(0)
        case "sha1": .data([UInt8](repeating: 0, count: 20))
        case "musr": .data([])
        case "sync", "tomb": false
        case "pdmn": "ak"
        case "accc": ["$ref": "accc", "protection": "ak"]
        case "agrp": "group"
        default: "x"
        }
    }

    @Test(arguments: table.keys.sorted())
    func `a class has the attributes of Apple's table and no others`(itemClass: String) throws {
        let fixture = try Fixture()
        let has = try #require(Self.table[itemClass])
        #expect(Set(has).count == has.count)
        for name in Self.all {
            let query: AgentDictionary = ["class": .string(itemClass), name: value(of: name)]
            let expected = has.contains(name) ? Status.itemNotFound : Status.noSuchAttribute
            #expect(fixture.copy(query).status == expected, "\(name)")
            #expect(fixture.delete(query) == expected, "\(name)")
        }
        for name in Self.secrets {
            let query: AgentDictionary = ["class": .string(itemClass), name: "x"]
            let expected = itemClass == "inet" ? Status.parameter : Status.noSuchAttribute
            #expect(fixture.copy(query).status == expected, "\(name)")
        }
    }

    @Test(arguments: ["genp", "inet", "cert", "keys"])
    func `an add and an update accept the table's attributes and refuse others`(
        itemClass: String
    ) throws {
        let has = try #require(Self.table[itemClass])
        let plain: AgentDictionary = ["class": .string(itemClass)]
        for name in Self.all where name != "ggrp" {
            let fixture = try Fixture()
            fixture.client.entitlements = [
                Entitlement.systemBound, Entitlement.plaintextFields,
            ]
            let expected = has.contains(name) ? Status.success : Status.noSuchAttribute
            let more: AgentDictionary = [name: value(of: name)]
            #expect(fixture.add(plain + more).status == expected, "\(name)")
            if expected != Status.success { try fixture.put(plain) }
            #expect(fixture.update(plain, more) == expected, "\(name)")
        }
    }

    @Test
    func `an item has no UUID, and is not found by one`() throws {
        let fixture = try Fixture()
        let query = AgentDictionary.password() + ["UUID": "x"]
        #expect(fixture.add(query).status == Status.noSuchAttribute)
        #expect(fixture.copy(query).status == Status.noSuchAttribute)
        try fixture.put(.password())
        let all = fixture.copy(.password() + ["r_Attributes": true]).result?.dictionary
        #expect(all?["acct"] == "a")
        #expect(all?["UUID"] == nil)
    }
}
