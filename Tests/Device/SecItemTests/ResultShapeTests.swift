import KSAgent
import KSCertificates
import KSSecItem
import KSTestSupport
import Testing

/// The dictionary of a call that asks for an object and something else.
struct ResultShapeTests {
    private func fixture() throws -> Fixture {
        let fixture = try Fixture()
        try fixture.put(["v_Ref": try Objects.identity()])
        return fixture
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `an object and attributes come with the class and without the secret`(
        itemClass: String
    ) throws {
        let fixture = try fixture()
        let query: AgentDictionary = ["class": .string(itemClass), "r_Ref": true]
        let object = try #require(fixture.copy(query).result)
        #expect(object.dictionary?["$ref"] == .string(itemClass))
        let reply = fixture.copy(query + ["r_Attributes": true])
        let result = try #require(reply.result?.dictionary)
        #expect(result["class"] == .string(itemClass))
        #expect(result["v_Ref"] == object)
        #expect(result["v_Data"] == nil)
        #expect(result["v_PersistentRef"] == nil)
        #expect(result["agrp"] == "group")
        #expect((result["subj"] != nil) == (itemClass != "keys"))
        #expect((result["kcls"] != nil) == (itemClass != "cert"))
        // Attributes alone name neither.
        let attributes = fixture.copy(
            ["class": .string(itemClass), "r_Attributes": true]
        ).result?.dictionary
        #expect(attributes?["agrp"] == "group")
        #expect(attributes?["class"] == nil)
        #expect(attributes?["v_Ref"] == nil)
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `an object and a reference come with the class and nothing else`(
        itemClass: String
    ) throws {
        let fixture = try fixture()
        let query: AgentDictionary = [
            "class": .string(itemClass), "r_Ref": true, "r_PersistentRef": true,
        ]
        let result = try #require(fixture.copy(query).result?.dictionary)
        #expect(result.entries.map(\.key).sorted() == ["class", "v_PersistentRef", "v_Ref"])
        #expect(result["class"] == .string(itemClass))
        let reference = try #require(result["v_PersistentRef"]?.data)
        #expect(Array(reference.prefix(4)) == Array(itemClass.utf8))
        #expect(reference.count == 20)
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `an object and the secret come with the class and no attributes`(
        itemClass: String
    ) throws {
        let fixture = try fixture()
        let query: AgentDictionary = [
            "class": .string(itemClass), "r_Ref": true, "r_Data": true,
        ]
        let result = try #require(fixture.copy(query).result?.dictionary)
        #expect(result.entries.map(\.key).sorted() == ["class", "v_Data", "v_Ref"])
        let part = itemClass == "cert" ? "certificate" : "key"
        #expect(result["v_Data"] == (try Objects.identity().dictionary?[part]))
    }

    @Test
    func `bytes that are no valid object are returned without one`() throws {
        let fixture = try Fixture()
        let parsed = try ParsedCertificate(pem: KeyFixtures.certificate)
        let junk: [(String, AgentDictionary)] = [
            ("cert", ["v_Data": .data([1]), "pkhh": .data(parsed.publicKeyHash)]),
            ("keys", ["v_Data": .data([1]), "kcls": 7]),
        ]
        for (itemClass, item) in junk {
            try fixture.put(item + ["class": .string(itemClass)])
        }
        // An identity whose certificate is invalid.
        try fixture.put(["v_Ref": try Objects.keyOfIdentity()])
        for (itemClass, query) in [
            ("cert", [:]), ("keys", ["kcls": 7]), ("idnt", [:]),
        ] as [(String, AgentDictionary)] {
            let query = query + ["class": .string(itemClass)]
            let bare = fixture.copy(query + ["r_Ref": true])
            #expect(bare == SecItemReply(status: 0), "\(itemClass)")
            let list = fixture.copy(query + ["r_Ref": true, "m_Limit": "m_LimitAll"])
            #expect(list == SecItemReply(status: 0, result: []), "\(itemClass)")
            let more = fixture.copy(query + ["r_Ref": true, "r_Attributes": true, "r_Data": true])
            let result = try #require(more.result?.dictionary)
            #expect(result["class"] == .string(itemClass))
            #expect(result["v_Ref"] == nil)
            #expect(result["v_Data"] != nil)
            #expect(result["agrp"] == "group")
        }
    }

    // MARK: Every set of flags

    private static let flags = ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"]

    /// An item to add, and the secret and the object that are found then.
    private func subject(
        _ itemClass: String
    ) throws -> (add: AgentDictionary, secret: AgentValue?, object: AgentValue?) {
        let identity = try Objects.identity()
        switch itemClass {
        case "cert":
            let object = try Objects.certificate()
            return (["v_Ref": object], object.dictionary?["certificate"], object)
        case "keys":
            let object = try Objects.keyOfIdentity()
            return (["v_Ref": object], object.dictionary?["key"], object)
        case "idnt":
            return (["v_Ref": identity], identity.dictionary?["key"], identity)
        default:
            let item: AgentDictionary = ["class": .string(itemClass), "v_Data": .bytes("d")]
            return (item, .bytes("d"), nil)
        }
    }

    @Test(arguments: ["genp", "inet", "cert", "keys", "idnt"], 0..<16)
    func `an add, a search and a list return what the flags ask for`(
        itemClass: String,
        bits: Int
    ) throws {
        let fixture = try Fixture()
        let subject = try subject(itemClass)
        var flags = AgentDictionary()
        for (bit, flag) in Self.flags.enumerated() where bits >> bit & 1 == 1 {
            flags[flag] = true
        }
        func check(_ result: AgentValue?, secret: AgentValue?) throws {
            switch bits {
            case 0: #expect(result == nil)
            case 0b0001: #expect(result == secret)
            case 0b0100: #expect(result == subject.object)
            case 0b1000: #expect(result?.data.map { Array($0.prefix(4)) } == Array(itemClass.utf8))
            default:
                let dictionary = try #require(result?.dictionary)
                #expect(dictionary["v_Data"] == (bits & 1 == 0 ? nil : secret))
                #expect((dictionary["agrp"] == "group") == (bits & 2 != 0))
                #expect(dictionary["class"] == (bits & 4 == 0 ? nil : .string(itemClass)))
                #expect(dictionary["v_Ref"] == (bits & 4 == 0 ? nil : subject.object))
                #expect((dictionary["v_PersistentRef"]?.data?.count == 20) == (bits & 8 != 0))
            }
        }
        // An identity that is named by its object gives no data, in an add or a search.
        let isIdentity = itemClass == "idnt"
        let added = try fixture.put(subject.add + flags)
        try check(added, secret: isIdentity ? nil : subject.secret)
        let query = flags + ["class": .string(itemClass)]
        let found = fixture.copy(query)
        #expect(found.status == Status.success)
        try check(found.result, secret: subject.secret)
        for limit in ["m_LimitAll", 2, -1] as [AgentValue] {
            let list = fixture.copy(query + ["m_Limit": limit])
            let all = AgentValue.array(found.result.map { [$0] } ?? [])
            #expect(list == SecItemReply(status: 0, result: all))
        }
        guard isIdentity else { return }
        let named = fixture.copy(subject.add + flags)
        #expect(named.status == Status.success)
        try check(named.result, secret: nil)
    }
}
