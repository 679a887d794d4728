import KSAgent
import KSSecItem
import Testing

/// The attributes of an item that a program added with almost none, or with very long ones.
struct DefaultTests {
    private static let common = [
        "accc", "agrp", "cdat", "mdat", "musr", "pdmn", "sha1", "sync", "sysb", "tomb",
    ]

    private static let defaults: [(String, AgentDictionary)] = [
        ("genp", ["acct": "", "svce": "", "pdmn": "ak"]),
        (
            "inet",
            [
                "acct": "", "atyp": "", "path": "", "port": 0, "ptcl": 0, "sdmn": "", "srvr": "",
                "pdmn": "ak",
            ]
        ),
        ("cert", ["ctyp": 0, "issr": .data([]), "slnr": .data([]), "pdmn": "dk"]),
        (
            "keys",
            [
                "atag": .data([]), "bsiz": 0, "crtr": 0, "edat": .date(0), "esiz": 0, "kcls": 0,
                "klbl": .data([]), "sdat": .date(0), "type": 0, "pdmn": "ak",
            ]
        ),
    ]

    @Test(arguments: defaults)
    func `attributes that were left out are returned as defaults, and no others`(
        itemClass: String,
        defaults: AgentDictionary
    ) throws {
        let fixture = try Fixture()
        let query: AgentDictionary = ["class": .string(itemClass)]
        try fixture.put(query)
        let found = fixture.copy(query + ["r_Attributes": true])
        let attributes = try #require(found.result?.dictionary)
        let names = Set(Self.common + defaults.entries.map(\.key))
        #expect(attributes.entries.map(\.key) == names.sorted())
        for entry in defaults.entries {
            #expect(attributes[entry.key] == entry.value, "\(entry.key)")
        }
        for name in ["sync", "sysb", "tomb"] { #expect(attributes[name] == 0, "\(name)") }
        #expect(attributes["agrp"] == "group")
        #expect(attributes["musr"] == .data([]))
        // The secret adds no attribute.
        let whole = fixture.copy(query + ["r_Attributes": true, "r_Data": true])
        #expect(
            whole.result?.dictionary?.entries.map(\.key).filter { $0 != "v_Data" }
                == names.sorted()
        )
    }

    @Test(arguments: ["genp", "inet", "cert", "keys"])
    func `a label of any length is kept, found and changed`(itemClass: String) throws {
        let fixture = try Fixture()
        let label = String(repeating: "label ", count: 20_000)
        let query: AgentDictionary = ["class": .string(itemClass), "labl": .string(label)]
        try fixture.put(query)
        let found = fixture.copy(query + ["r_Attributes": true])
        #expect(found.result?.dictionary?["labl"] == .string(label))
        let other: AgentDictionary = ["labl": .string(label + "x")]
        #expect(fixture.copy(query + other).status == Status.itemNotFound)
        #expect(fixture.update(query, other) == Status.success)
        #expect(fixture.copy(query).status == Status.itemNotFound)
        #expect(fixture.copy(query + other).status == Status.success)
    }

    @Test(
        arguments: [
            "m_SubjectContains", "m_SubjectStartsWith", "m_SubjectEndsWith",
            "m_SubjectWholeString", "m_CaseInsensitive", "m_DiacriticInsensitive",
            "m_WidthInsensitive",
        ]
    )
    func `criteria that Apple's keychain ignores in a search change nothing`(key: String) throws {
        let fixture = try Fixture()
        try fixture.put(.password("caf\u{E9}"))
        try fixture.put(["class": "cert", "labl": "Name", "subj": .data([1])])
        for value in ["Name", "x", "", true, false, 1, .data([1]), .null, []] as [AgentValue] {
            for account in ["cafe", "CAF\u{C9}", "cafe\u{301}", "\u{FF43}af\u{E9}"] {
                let reply = fixture.copy(.password(account) + [key: value])
                #expect(reply.status == Status.itemNotFound, "\(account)")
            }
            let found = fixture.copy(.password("caf\u{E9}") + [key: value])
            #expect(found.status == Status.success)
            #expect(fixture.copy(["class": "cert", key: value]).status == Status.success)
        }
    }
}
