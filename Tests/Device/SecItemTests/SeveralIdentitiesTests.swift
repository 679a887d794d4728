import KSAgent
import KSCertificates
import KSSecItem
import KSTestSupport
import Testing

/// Several identities: in every call, a criterion matches only those with the value.
struct SeveralIdentitiesTests {
    private let identities: AgentDictionary = ["class": "idnt"]
    private let all: AgentDictionary = ["m_Limit": "m_LimitAll", "r_PersistentRef": true]

    private struct Pair {
        let reference: AgentValue
        let certificate: AgentDictionary
        let key: AgentDictionary

        /// Whether an identity has a value: its label is its certificate's, both halves must have
        /// the group, and one half any other attribute.
        func has(_ value: AgentValue, as name: String) -> Bool {
            switch name {
            case "labl": certificate[name] == value
            case "agrp", "tomb": certificate[name] == value && key[name] == value
            default: certificate[name] == value || key[name] == value
            }
        }
    }

    private let fixture: Fixture
    private let pairs: [Pair]

    private static func objects() throws -> [AgentValue] {
        let made = try SelfSignedCertificate.make(
            hostNames: ["third.example"],
            addresses: [],
            validDays: 10,
            now: 1_795_400_000
        )
        return [
            try Objects.identity(),
            try Objects.identity(KeyFixtures.rsaCertificate, KeyFixtures.rsa),
            try Objects.identity(made.certificatePEM, made.keyPEM),
        ]
    }

    /// Three identities that differ in every attribute that can be set.
    init() throws {
        let fixture = try Fixture()
        fixture.client.accessGroups = ["group", "g0", "g1", "g2"]
        var pairs: [Pair] = []
        for (number, object) in try Self.objects().enumerated() {
            fixture.clock.seconds += 10
            let group: AgentDictionary = ["agrp": .string("g\(number)")]
            let added = try fixture.put(
                group + ["v_Ref": object, "r_Attributes": true, "r_PersistentRef": true]
            )
            let reference = try #require(added?.dictionary?["v_PersistentRef"])
            let number64 = Int64(number)
            let ofCertificate: AgentDictionary = [
                "labl": .string("certificate \(number)"), "vwht": .string("hint \(number)"),
                "tkid": .string("token \(number)"), "pdmn": ["dk", "dku", "ck"][number],
            ]
            let ofKey: AgentDictionary = [
                "labl": .string("key \(number)"), "vwht": .string("key's hint \(number)"),
                "atag": .string("tag \(number)"), "crtr": .integer(number64 + 5),
                "alis": .string("alias \(number)"), "sdat": .date(Double(number) + 1),
                "esiz": .integer(number64 + 1000), "sign": .integer(number64),
                "pdmn": ["ak", "aku", "cku"][number],
            ]
            func half(_ itemClass: String, _ update: AgentDictionary) throws -> AgentDictionary {
                fixture.clock.seconds += 1
                let query = group + ["class": .string(itemClass)]
                try #require(fixture.update(query, update) == Status.success)
                let found = fixture.copy(query + ["r_Attributes": true])
                return try #require(found.result?.dictionary)
            }
            pairs.append(
                Pair(
                    reference: reference,
                    certificate: try half("cert", ofCertificate),
                    key: try half("keys", ofKey)
                )
            )
        }
        self.fixture = fixture
        self.pairs = pairs
    }

    private func references(_ query: AgentDictionary) -> [AgentValue] {
        fixture.copy(identities + all + query).result?.array ?? []
    }

    @Test
    func `a list has exactly the identities with the value`() throws {
        #expect(references([:]) == pairs.map(\.reference))
        for pair in pairs {
            // A search for an access control uses its protection alone.
            for entry in (pair.certificate.entries + pair.key.entries) where entry.key != "accc" {
                let expected = pairs.filter { $0.has(entry.value, as: entry.key) }
                    .map(\.reference)
                let found = references([entry.key: entry.value])
                #expect(found == expected, "\(entry.key) \(entry.value)")
            }
        }
    }

    @Test(
        arguments: [
            "klbl", "pkhh", "subj", "issr", "slnr", "labl", "agrp", "vwht", "tkid", "pdmn",
            "mdat", "atag", "crtr", "alis", "sdat", "esiz", "sign",
        ]
    )
    func `an update and a delete affect the one identity with the value`(name: String) throws {
        let pair = pairs[1]
        let value = try #require(pair.certificate[name] ?? pair.key[name])
        let query = identities + [name: value]
        #expect(fixture.copy(query + ["r_PersistentRef": true]).result == pair.reference)
        #expect(fixture.update(query, ["edat": .date(77)]) == Status.success)
        #expect(references(["edat": .date(77)]) == [pair.reference])
        // The update itself may have changed the criterion.
        let isLeft = name != "mdat"
        guard isLeft else { return }
        #expect(fixture.delete(query) == Status.success)
        #expect(references([:]) == [pairs[0].reference, pairs[2].reference])
        #expect(try fixture.count("cert") == 2)
        #expect(try fixture.count("keys") == 2)
        #expect(fixture.delete(query) == Status.itemNotFound)
    }

    @Test(
        arguments: [
            ("klbl", .data([0])), ("klbl", .data([])), ("pkhh", .data([0])),
            ("subj", .data([0])), ("issr", .data([0])), ("slnr", .data([0])),
            ("skid", .data([0])), ("ctyp", 9), ("labl", "x"), ("agrp", "group"), ("vwht", "x"),
            ("cdat", .date(1)), ("atag", "x"), ("crtr", 99), ("kcls", 0), ("bsiz", 1),
            ("sdat", .date(99)), ("decr", 7), ("sync", true),
        ] as [(String, AgentValue)]
    )
    func `a value that no identity has matches none`(
        name: String,
        value: AgentValue
    ) throws {
        let query = identities + [name: value]
        #expect(fixture.copy(query).status == Status.itemNotFound)
        #expect(fixture.update(query, ["edat": .date(77)]) == Status.itemNotFound)
        #expect(fixture.delete(query) == Status.itemNotFound)
        #expect(references([:]) == pairs.map(\.reference))
        #expect(references(["edat": .date(77)]) == [])
    }

    @Test
    func `criteria that no single identity meets match none`() throws {
        let label = try #require(pairs[1].key["klbl"])
        for name in ["pkhh", "subj", "slnr", "labl", "agrp"] {
            let own: AgentDictionary = ["klbl": label, name: try value(name, of: pairs[1])]
            #expect(references(own) == [pairs[1].reference], "\(name)")
            let mixed: AgentDictionary = ["klbl": label, name: try value(name, of: pairs[0])]
            #expect(references(mixed) == [], "\(name)")
            #expect(fixture.update(identities + mixed, [:]) == Status.itemNotFound, "\(name)")
            #expect(fixture.delete(identities + mixed) == Status.itemNotFound, "\(name)")
        }
        #expect(references([:]) == pairs.map(\.reference))
    }

    private func value(_ name: String, of pair: Pair) throws -> AgentValue {
        try #require(pair.certificate[name])
    }

    @Test
    func `a public key makes no identity`() throws {
        let fixture = try Fixture()
        try fixture.put(["v_Ref": try Objects.certificate()])
        let parsed = try ParsedCertificate(pem: KeyFixtures.certificate)
        let half: AgentDictionary = [
            "class": "keys", "klbl": .data(parsed.publicKeyHash), "kcls": 0,
            "v_Data": .data([4, 1, 2]),
        ]
        try fixture.put(half)
        #expect(fixture.copy(identities).status == Status.itemNotFound)
        #expect(fixture.update(identities, ["labl": "l"]) == Status.itemNotFound)
        #expect(fixture.delete(identities) == Status.itemNotFound)
        try fixture.put(["v_Ref": try Objects.keyOfIdentity()])
        let list = fixture.copy(identities + ["m_Limit": "m_LimitAll", "r_Ref": true])
        #expect(list.result == [try Objects.identity()])
        #expect(fixture.delete(identities) == Status.success)
        #expect(fixture.copy(["class": "keys", "r_Data": true]).result == .data([4, 1, 2]))
        #expect(try fixture.count("keys") == 1)
    }
}
