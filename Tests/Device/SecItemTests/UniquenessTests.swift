import KSAgent
import KSSecItem
import Testing

/// Missing attributes count as their defaults when keys are compared.
struct UniquenessTests {
    /// Defaults of every class.
    private static let common: [(String, AgentValue)] = [
        ("vwht", ""), ("vwht", .data([])), ("tkid", ""), ("ggrp", ""), ("musr", .data([])),
        ("musr", .null), ("sync", false), ("sync", 0), ("agrp", "group"),
    ]

    private static let defaults: [(String, [(String, AgentValue)])] = [
        ("genp", [("acct", ""), ("acct", .data([])), ("svce", ""), ("svce", .data([]))]),
        (
            "inet",
            [
                ("acct", ""), ("sdmn", ""), ("srvr", ""), ("atyp", ""), ("path", ""),
                ("srvr", .data([])), ("ptcl", 0), ("ptcl", "0"), ("port", 0), ("port", "0"),
            ]
        ),
        (
            "cert",
            [("ctyp", 0), ("issr", ""), ("issr", .data([])), ("slnr", .data([])), ("slnr", "")]
        ),
        (
            "keys",
            [
                ("kcls", 0), ("kcls", "0"), ("klbl", .data([])), ("klbl", ""), ("atag", ""),
                ("atag", .data([])), ("crtr", 0), ("type", 0), ("bsiz", 0), ("esiz", 0),
                ("sdat", .date(0)), ("edat", .date(0)),
            ]
        ),
    ]

    @Test(arguments: defaults)
    func `an attribute of the key that is left out is its default`(
        itemClass: String,
        defaults: [(String, AgentValue)]
    ) throws {
        let fixture = try Fixture()
        let plain: AgentDictionary = ["class": .string(itemClass)]
        try fixture.put(plain)
        for (name, value) in Self.common + defaults {
            let query = plain + [name: value]
            #expect(fixture.add(query).status == Status.duplicateItem, "\(name) \(value)")
            #expect(fixture.copy(query).status == Status.success, "\(name) \(value)")
        }
        // The reverse: an item with a default given prevents one without it.
        for (name, value) in Self.common + defaults {
            let fixture = try Fixture()
            try fixture.put(plain + [name: value])
            #expect(fixture.add(plain).status == Status.duplicateItem, "\(name) \(value)")
        }
    }

    @Test(arguments: ["genp", "inet", "cert", "keys"])
    func `another sharing group and another user make another item`(itemClass: String) throws {
        let fixture = try Fixture()
        fixture.client.entitlements = [Entitlement.sharing]
        let plain: AgentDictionary = ["class": .string(itemClass)]
        let user = AgentValue.data([UInt8](repeating: 7, count: 16))
        let items: [AgentDictionary] = [
            [:], ["ggrp": "g"], ["ggrp": "h"], ["musr": user], ["musr": user, "ggrp": "g"],
        ]
        for (number, more) in items.enumerated() {
            let secret: AgentDictionary = ["v_Data": .bytes("\(number)")]
            #expect(fixture.add(plain + more + secret).status == Status.success, "\(more)")
            #expect(fixture.add(plain + more).status == Status.duplicateItem, "\(more)")
        }
        #expect(try fixture.count(itemClass) == items.count)
        for (number, more) in items.enumerated() {
            let whole: AgentDictionary = ["ggrp": "", "musr": .null]
            let found = fixture.copy(plain + whole + more + ["r_Data": true])
            #expect(found.result == .bytes("\(number)"), "\(more)")
            #expect(fixture.delete(plain + whole + more) == Status.success, "\(more)")
        }
        #expect(try fixture.count(itemClass) == 0)
    }

    @Test(arguments: defaults)
    func `a value that only resembles a default makes another item`(
        itemClass: String,
        defaults: [(String, AgentValue)]
    ) throws {
        let fixture = try Fixture()
        let plain: AgentDictionary = ["class": .string(itemClass)]
        try fixture.put(plain)
        for name in Set(defaults.map { $0.0 }).sorted() {
            let value: AgentValue =
                switch name {
                case "sdat", "edat": .date(0.5)
                case "kcls", "crtr", "type", "bsiz", "esiz", "ctyp", "ptcl", "port": "00"
                default: .data([0])
                }
            #expect(fixture.add(plain + [name: value]).status == Status.success, "\(name)")
        }
    }
}
