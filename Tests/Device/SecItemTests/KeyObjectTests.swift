import KSAgent
import KSCertificates
import KSPrivateKeys
import KSSecItem
import KSTestSupport
import Testing

/// Key objects without a label: their bytes identify the key.
struct KeyObjectTests {

    private static func key(_ pem: String) throws -> PrivateKey {
        try PrivateKey(pem: try #require(PEMBlock.blocks(in: pem).first))
    }

    private static func object(_ key: PrivateKey) -> AgentDictionary {
        [
            "$ref": "keys", "key": .data(key.external), "kcls": "1",
            "type": .string(key.kind.rawValue), "bsiz": .integer(Int64(key.bits)),
        ]
    }

    private static func publicObject(_ key: PrivateKey) -> AgentDictionary {
        object(key) + ["key": .data(key.publicKey.external), "kcls": "0"]
    }

    private func query(_ object: AgentDictionary) -> AgentDictionary {
        ["v_Ref": .dictionary(object)]
    }

    private let all: AgentDictionary = [
        "class": "keys", "m_Limit": "m_LimitAll", "r_Data": true,
    ]

    @Test(arguments: [KeyFixtures.p256, KeyFixtures.p384, KeyFixtures.rsa, KeyFixtures.ed25519])
    func `a key's label is the hash of its public half`(pem: String) throws {
        let fixture = try Fixture()
        let key = try Self.key(pem)
        let kept = try fixture.put(query(Self.object(key)) + ["r_Attributes": true])
        #expect(kept?.dictionary?["klbl"] == .data(key.publicKeyHash))
        let half = try fixture.put(query(Self.publicObject(key)) + ["r_Attributes": true])
        #expect(half?.dictionary?["klbl"] == .data(key.publicKeyHash))
        let said = Self.object(key) + ["klbl": .data(key.publicKeyHash)]
        #expect(fixture.add(query(said)).status == Status.duplicateItem)
        #expect(fixture.add(query(said + ["klbl": .data([])])).status == Status.duplicateItem)
        let found = fixture.copy(query(Self.object(key)) + ["r_Ref": true])
        #expect(found.result == .dictionary(said))
    }

    @Test
    func `two keys of one type are two items, and each call affects one of them`() throws {
        let fixture = try Fixture()
        let keys = try (0..<3).map { _ in try PrivateKey.generate(.ellipticCurve, bits: 256) }
        for object in [Self.object, Self.publicObject] {
            try fixture.put(query(object(keys[0])))
            try fixture.put(query(object(keys[1])))
            #expect(fixture.add(query(object(keys[0]))).status == Status.duplicateItem)
        }
        #expect(try fixture.count("keys") == 4)
        let absent = query(Self.object(keys[2]))
        #expect(fixture.copy(absent).status == Status.itemNotFound)
        #expect(fixture.update(absent, ["labl": "l"]) == Status.itemNotFound)
        #expect(fixture.delete(absent) == Status.itemNotFound)
        #expect(try fixture.count("keys") == 4)
        let first = query(Self.object(keys[0]))
        #expect(fixture.update(first, ["labl": "l"]) == Status.success)
        #expect(fixture.copy(all + ["labl": "l"]).result == [.data(keys[0].external)])
        #expect(fixture.delete(first) == Status.success)
        #expect(fixture.copy(all + ["kcls": 1]).result == [.data(keys[1].external)])
    }

    @Test
    func `symmetric keys are distinguished by their bytes`() throws {
        let fixture = try Fixture()
        let objects = [UInt8(1), 2].map { byte -> AgentDictionary in
            let bytes = AgentValue.data([UInt8](repeating: byte, count: 32))
            return ["$ref": "keys", "key": bytes, "kcls": "2", "type": "2147483649", "bsiz": 256]
        }
        for object in objects { try fixture.put(query(object)) }
        #expect(fixture.add(query(objects[0])).status == Status.duplicateItem)
        #expect(fixture.delete(query(objects[0])) == Status.success)
        #expect(fixture.copy(all).result == [objects[1]["key"] ?? .null])
    }

    @Test(
        arguments: [
            ["key": .data([UInt8](repeating: 0, count: 97)), "type": "73"],
            ["key": .data([1, 2, 3]), "type": "73"], ["key": .data([1, 2, 3]), "type": "42"],
            ["key": .data([1, 2, 3]), "type": "105"], ["key": .data([1, 2, 3]), "type": "9"],
            ["key": .data([1, 2, 3])], ["key": .data([]), "kcls": "0", "type": "73"],
            ["key": .data([]), "kcls": "2"],
        ] as [AgentDictionary]
    )
    func `a key object that does not identify a key is refused in every call`(
        parts: AgentDictionary
    ) throws {
        let fixture = try Fixture()
        try fixture.put(query(Self.object(try PrivateKey.generate(.ellipticCurve, bits: 256))))
        let object: AgentDictionary = ["$ref": "keys", "kcls": "1", "bsiz": 256]
        let query = query(object + parts)
        #expect(fixture.add(query).status == Status.parameter)
        #expect(fixture.copy(query).status == Status.parameter)
        #expect(fixture.update(query, ["labl": "l"]) == Status.parameter)
        #expect(fixture.delete(query) == Status.parameter)
        #expect(try fixture.count("keys") == 1)
        // A label that is given is accepted unchecked.
        let said = query + ["v_Ref": .dictionary(object + parts + ["klbl": .data([1])])]
        #expect(fixture.delete(said) == Status.itemNotFound)
    }

    // MARK: Identities

    private func halves() throws -> (certificate: AgentDictionary, key: AgentDictionary) {
        let certificate: AgentDictionary = ["v_Ref": try Objects.certificate()]
        return (certificate, query(Self.object(try Self.key(KeyFixtures.p256))))
    }

    @Test
    func `a certificate and its key that were added in any order are an identity`() throws {
        for isKeyFirst in [false, true] {
            let fixture = try Fixture()
            let halves = try halves()
            let inOrder = [halves.certificate, halves.key]
            for half in isKeyFirst ? inOrder.reversed() : inOrder { try fixture.put(half) }
            let found = fixture.copy(["class": "idnt", "r_Ref": true])
            #expect(found.result == (try Objects.identity()))
            let again = fixture.add(["v_Ref": try Objects.identity()])
            #expect(again.status == Status.duplicateItem)
            #expect(try fixture.count("keys") == 1)
        }
    }

    @Test
    func `an identity's halves cannot be added again, and are deleted with it`() throws {
        let fixture = try Fixture()
        let identity: AgentDictionary = ["v_Ref": try Objects.identity()]
        try fixture.put(identity)
        #expect(fixture.add(try halves().key).status == Status.duplicateItem)
        #expect(fixture.add(try halves().certificate).status == Status.duplicateItem)
        #expect(fixture.copy(try halves().key + ["r_Ref": true]).status == Status.success)
        #expect(fixture.delete(identity) == Status.success)
        #expect(try fixture.count("keys") == 0)
        #expect(try fixture.count("cert") == 0)
    }
}
