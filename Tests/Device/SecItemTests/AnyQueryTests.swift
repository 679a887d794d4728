import KSAgent
import KSSecItem
import KSTestSupport
import Testing

/// Dictionaries that no program would write.
struct AnyQueryTests {
    private static let keys = [
        "class", "acct", "svce", "srvr", "labl", "sync", "tomb", "agrp", "pdmn", "accc", "musr",
        "cdat", "mdat", "port", "crtr", "kcls", "klbl", "issr", "sha1", "ggrp", "vwht", "tkid",
        "r_Data", "r_Attributes", "r_Ref", "r_PersistentRef", "m_Limit", "m_Issuers", "m_Policy",
        "m_ValidOnDate", "m_TrustedOnly", "m_HostOrSubdomainOfHost", "v_Data", "v_Ref",
        "v_PersistentRef", "u_Tomb", "u_AuthUI", "nleg", "clip", "", "f", "x", "\u{e9}\u{e9}",
        "bin0", "sysb",
    ]

    private static let statuses: Set<Int32> = [
        Status.success, Status.unimplemented, Status.parameter, Status.duplicateItem,
        Status.itemNotFound, Status.noSuchAttribute, Status.noSuchClass, Status.internalFailure,
        Status.missingEntitlement,
    ]

    private func value(_ random: inout SeededGenerator, depth: Int = 0) -> AgentValue {
        switch Int.random(in: 0..<(depth < 2 ? 12 : 9), using: &random) {
        case 0: .null
        case 1: .bool(Bool.random(using: &random))
        case 2: .integer([0, 1, 2, -1, .max, .min].randomElement(using: &random) ?? 0)
        case 3: .double([0, 1.5, .nan, .infinity, -1e300].randomElement(using: &random) ?? 0)
        case 4: .date([0, 1.5, .nan, 1e300, -1e18].randomElement(using: &random) ?? 0)
        case 5, 6:
            .string(
                ["a", "", "genp", "idnt", "ak", "syna", "m_LimitAll", "group", "\u{0}\u{301}"]
                    .randomElement(using: &random) ?? ""
            )
        case 7, 8:
            .data(
                (0..<Int.random(in: 0..<24, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            )
        case 9: .array([value(&random, depth: depth + 1)])
        default:
            [
                "$ref": .string(
                    ["cert", "keys", "idnt", "accc", "policy", "other"]
                        .randomElement(using: &random) ?? ""
                ),
                "certificate": value(&random, depth: depth + 1),
                "key": value(&random, depth: depth + 1),
                "kcls": value(&random, depth: depth + 1), "protection": "ak",
                "flags": value(&random, depth: depth + 1),
            ]
        }
    }

    private func query(_ random: inout SeededGenerator) -> AgentDictionary {
        var query = AgentDictionary()
        for _ in 0..<Int.random(in: 0..<5, using: &random) {
            query[Self.keys.randomElement(using: &random) ?? ""] = value(&random)
        }
        if Int.random(in: 0..<4, using: &random) > 0 {
            let classes = ["genp", "inet", "cert", "keys", "idnt"]
            query["class"] = .string(classes.randomElement(using: &random) ?? "")
        }
        return query
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `every dictionary gets an answer`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try Fixture(seed: seed)
        for step in 0..<60 {
            let query = query(&random)
            let status =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: fixture.add(query).status
                case 1: fixture.copy(query).status
                case 2: fixture.update(query, self.query(&random))
                default: fixture.delete(query)
                }
            #expect(Self.statuses.contains(status), "seed \(seed), step \(step): \(status)")
        }
    }
}
