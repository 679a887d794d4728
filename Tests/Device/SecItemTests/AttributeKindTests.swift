import KSAgent
import KSSecItem
import Testing

/// What happens to a value on its way into an item, beyond the table of the parsing tests.
struct AttributeKindTests {
    @Test(
        arguments: [
            ("keys", "klbl", "abc", [0x61, 0x62, 0x63]), ("keys", "klbl", 5, [5, 0, 0, 0]),
            ("keys", "klbl", -2, [0xFE, 0xFF, 0xFF, 0xFF]), ("cert", "subj", "x", [0x78]),
            ("keys", "klbl", 1_099_511_627_779, [3, 0, 0, 0]),
            ("keys", "klbl", .double(2.5), [2, 0, 0, 0]),
            ("cert", "issr", "é", [0xC3, 0xA9]), ("cert", "pkhh", .data([1]), [1]),
        ] as [(String, String, AgentValue, [UInt8])]
    )
    func `a data attribute converts text and numbers to bytes`(
        itemClass: String,
        name: String,
        value: AgentValue,
        bytes: [UInt8]
    ) throws {
        let fixture = try Fixture()
        let query: AgentDictionary = ["class": .string(itemClass), name: value]
        let kept = try fixture.put(query + ["r_Attributes": true])
        #expect(kept?.dictionary?[name] == .data(bytes))
        // The text, the number and the bytes all find the item.
        #expect(fixture.copy(query).status == Status.success)
        #expect(fixture.copy(query + [name: .data(bytes)]).status == Status.success)
    }

    @Test
    func `a digest has 20 bytes, and no caller can set it`() throws {
        let fixture = try Fixture()
        func digest(_ byte: UInt8, _ count: Int) -> AgentDictionary {
            ["sha1": .data([UInt8](repeating: byte, count: count))]
        }
        for count in [0, 1, 2, 19, 21] {
            let query = AgentDictionary.password() + digest(1, count)
            #expect(fixture.add(query).status == Status.parameter, "\(count)")
            #expect(fixture.copy(query).status == Status.parameter, "\(count)")
        }
        try fixture.put(.password() + digest(0, 20))
        #expect(fixture.update(.password(), digest(0x11, 1)) == Status.parameter)
        #expect(fixture.update(.password(), digest(0x11, 20)) == Status.success)
        let found = fixture.copy(.password() + ["r_Attributes": true]).result?.dictionary
        let kept = try #require(found?["sha1"])
        #expect(kept.data?.count == 20)
        #expect(kept != digest(0, 20)["sha1"])
        #expect(kept != digest(0x11, 20)["sha1"])
    }

    @Test
    func `a user is 16 bytes, or the text of a UUID`() throws {
        let fixture = try Fixture()
        let bytes = AgentValue.data(Array(1...16))
        let text: AgentDictionary = ["musr": "01020304-0506-0708-090a-0b0c0d0e0f10"]
        let kept = try fixture.put(.password() + text + ["r_Attributes": true])
        #expect(kept?.dictionary?["musr"] == bytes)
        #expect(fixture.add(.password() + ["musr": bytes]).status == Status.duplicateItem)
        // The user is part of the key: the same item of another user is another item.
        #expect(fixture.add(.password()).status == Status.success)
        for wrong in [
            "01020304-0506-0708-090a-0b0c0d0e0f1", "0102030405060708090a0b0c0d0e0f10",
            "0102030-40506-0708-090a-0b0c0d0e0f10", "0102030g-0506-0708-090a-0b0c0d0e0f10", "",
        ] {
            let query = AgentDictionary.password("b") + ["musr": .string(wrong)]
            #expect(fixture.add(query).status == Status.parameter, "\(wrong)")
        }
    }

    // MARK: Further secrets of internet passwords

    private static let fields = ["binn", "bini", "bin0", "bin1", "bin2", "bin3"]
    private let item: AgentDictionary = ["class": "inet", "acct": "a", "v_Data": .bytes("pw")]
    private let everything: AgentDictionary = [
        "class": "inet", "r_Attributes": true, "r_Data": true,
    ]

    @Test(arguments: fields)
    func `each further secret needs the entitlement, and is set beside the password`(
        name: String
    ) throws {
        let fixture = try Fixture()
        try fixture.put(item)
        let query: AgentDictionary = ["class": "inet", "acct": "b", name: .data([1])]
        #expect(fixture.add(query).status == Status.missingEntitlement)
        #expect(fixture.update(item, [name: .data([2])]) == Status.missingEntitlement)
        fixture.client.entitlements = [Entitlement.internetPasswordFields]
        #expect(fixture.update(item, [name: .data([2])]) == Status.success)
        let found = fixture.copy(everything).result?.dictionary
        #expect(found?[name] == .data([2]))
        #expect(found?["v_Data"] == .bytes("pw"))
        // A new password does not change it.
        #expect(fixture.update(item, ["v_Data": .bytes("new")]) == Status.success)
        let again = fixture.copy(everything).result?.dictionary
        #expect(again?[name] == .data([2]))
        #expect(again?["v_Data"] == .bytes("new"))
        #expect(fixture.add(query).status == Status.success)
    }

    @Test
    func `further secrets do not change the digest`() throws {
        func digest(_ change: AgentDictionary) throws -> AgentValue {
            let fixture = try Fixture()
            fixture.client.entitlements = [Entitlement.internetPasswordFields]
            try fixture.put(item)
            #expect(fixture.update(item, change) == Status.success)
            return try #require(fixture.copy(everything).result?.dictionary?["sha1"])
        }
        // An update that changes nothing else: its time is part of the digest.
        let plain = try digest([:])
        for name in Self.fields {
            #expect(try digest([name: .data([2])]) == plain, "\(name)")
        }
        #expect(try digest(["v_Data": .bytes("other")]) != plain)
    }

    /// A fraction is stored as text: it finds the item, and no other number does.
    @Test(arguments: [("inet", "port"), ("genp", "acct"), ("keys", "bsiz"), ("cert", "ctyp")])
    func `a number with a fraction is accepted`(itemClass: String, name: String) throws {
        let fixture = try Fixture()
        let plain: AgentDictionary = ["class": .string(itemClass)]
        try fixture.put(plain + [name: .double(1.5)])
        #expect(fixture.copy(plain + [name: .double(1.5)]).status == Status.success)
        #expect(fixture.copy(plain + [name: "1.5"]).status == Status.success)
        #expect(fixture.copy(plain + [name: 1]).status == Status.itemNotFound)
        #expect(fixture.add(plain + [name: .double(1.5)]).status == Status.duplicateItem)
        #expect(fixture.update(plain, [name: .double(2.5)]) == Status.success)
        #expect(fixture.delete(plain + [name: .double(2.5)]) == Status.success)
    }
}
