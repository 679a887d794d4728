import KSAgent
import KSSecItem
import Testing

/// An update of exactly one item: parts of the key that its query omits have their defaults.
struct ExactUpdateTests {
    /// Each attribute of each class's key, with a value that is not its default.
    private static let neighbours: [(String, [(String, AgentValue)])] = [
        ("genp", [("acct", "a"), ("svce", "s")]),
        (
            "inet",
            [
                ("acct", "a"), ("sdmn", "d"), ("srvr", "s"), ("ptcl", "htps"), ("atyp", "form"),
                ("port", 8443), ("path", "/p"),
            ]
        ),
        ("cert", [("ctyp", 3), ("issr", .data([1])), ("slnr", .data([2]))]),
        (
            "keys",
            [
                ("kcls", 1), ("klbl", .data([1])), ("atag", "tag"), ("crtr", 1), ("type", 42),
                ("bsiz", 256), ("esiz", 256), ("sdat", .date(1)), ("edat", .date(1)),
            ]
        ),
    ]

    @Test(arguments: neighbours)
    func `an item with further attributes in its key is not changed`(
        itemClass: String,
        neighbours: [(String, AgentValue)]
    ) throws {
        let fixture = try Fixture()
        fixture.client.accessGroups = ["group", "other"]
        let common: [(String, AgentValue)] = [
            ("agrp", "other"), ("vwht", "view"), ("tkid", "token"), ("sync", true),
            ("musr", .data(.init(repeating: 1, count: 16))),
        ]
        let plain: AgentDictionary = ["class": .string(itemClass)]
        for (name, value) in common + neighbours {
            try fixture.put(plain + [name: value, "labl": .string(name)])
        }
        #expect(fixture.updateExactly(plain, ["labl": "new"]) == Status.itemNotFound)
        try fixture.put(plain + ["labl": "plain"])
        #expect(fixture.updateExactly(plain, ["labl": "new"]) == Status.success)
        let listed = fixture.copy(
            plain + ["sync": "syna", "m_Limit": "m_LimitAll", "r_Attributes": true]
        )
        let labels = listed.result?.array?.compactMap { $0.dictionary?["labl"]?.string }
        #expect(labels?.sorted() == (["new"] + (common + neighbours).map(\.0)).sorted())
        // A query with the further attribute matches each of the others.
        for (name, value) in common + neighbours {
            #expect(
                fixture.updateExactly(plain + [name: value], ["labl": "new"]) == Status.success
            )
        }
        #expect(fixture.updateExactly(plain + ["labl": "old"], [:]) == Status.itemNotFound)
    }

    @Test
    func `a caller without a group changes nothing`() throws {
        let fixture = try Fixture()
        try fixture.put(["class": "genp"])
        fixture.client.accessGroups = []
        #expect(fixture.updateExactly(["class": "genp"], [:]) == Status.missingEntitlement)
        fixture.client.accessGroups = ["group"]
        #expect(fixture.updateExactly(["class": "none"], [:]) == Status.noSuchClass)
        #expect(
            fixture.updateExactly(["class": "genp", "agrp": "other"], [:])
                == Status.missingEntitlement
        )
    }
}
