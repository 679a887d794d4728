import KSAgent
import KSCertificates
import KSDaemon
import KSKeychain
import KSKeychainFiles
import KSPrivateKeys
import KSTestSupport
import Testing

/// Keys that have no PEM form, and keys that must not be exported.
struct KeyExportTests {
    private let world: HandlerWorld

    init() throws {
        world = try HandlerWorld()
    }

    private func add(_ attributes: [AttributeName: AttributeValue], _ secret: [UInt8]) async throws
    {
        try await world.owner.with { keychain in
            var item = Item(.key, attributes: attributes)
            item.secret = secret
            try keychain.add(item, access: KeychainFile.access)
        }
    }

    private func importKey(_ text: String, isExtractable: Bool = true) async throws {
        let arguments: AgentDictionary = [
            "file": .data(Array(text.utf8)), "extractable": .bool(isExtractable),
        ]
        _ = try await world.value("keychains.import", arguments)
    }

    private func text(_ answer: AgentDictionary) -> String {
        String(decoding: answer["file"]?.data ?? [], as: UTF8.self)
    }

    /// Public keys of unknown types, and with invalid bytes.
    private func addUnwritable() async throws {
        let key = try PrivateKey.generate(.rsa, bits: 2048)
        try await add([.keyClass: .integer(0), .keySize: .integer(2048)], key.publicKey.external)
        try await add(
            [.keyClass: .integer(0), .keySize: .integer(2048), .type: .integer(42)],
            [1, 2, 3]
        )
    }

    @Test
    func `a key that has no PEM form is left out, and counted`() async throws {
        try await importKey(KeyFixtures.p256)
        try await addUnwritable()
        try await add([.keyClass: .integer(1), .type: .integer(42)], [4, 5, 6])
        for (kind, leftOut, blocks) in [
            ("all", 3, 1), ("allKeys", 3, 1), ("privKeys", 1, 1),
        ] as [(String, Int64, Int)] {
            let answer = try await world.value("keychains.export", ["kind": .string(kind)])
            #expect(answer["leftOut"] == .integer(leftOut), "\(kind)")
            #expect(text(answer).matches(of: /-----BEGIN/).count == blocks, "\(kind)")
        }
        let none = await world.failure("keychains.export", ["kind": "pubKeys"])
        #expect(none?.code == KeychainFileError.unsupported.status)
        let certificates = await world.failure("keychains.export", ["kind": "certs"])
        #expect(certificates?.code == KeychainFileError.nothingFound.status)
    }

    @Test
    func `a key without an older form is exported as PKCS #8`() async throws {
        let key = try PrivateKey(external: [UInt8](repeating: 9, count: 32), kind: .x25519)
        try await importKey(key.pem())
        let answer = try await world.value("keychains.export", ["format": "openssl"])
        #expect(text(answer) == (try key.pem()))
    }

    @Test
    func `one key is exported as PKCS #8, in PEM on request and if encrypted`() async throws {
        try await importKey(KeyFixtures.p256)
        let key = try PrivateKey(pem: PEMBlock.blocks(in: KeyFixtures.p256)[0])
        let wanted: AgentDictionary = ["kind": "privKeys", "format": "pkcs8"]
        let bare = try await world.value("keychains.export", wanted)
        #expect(bare["file"]?.data == (try key.pkcs8()))
        #expect(try PrivateKey(der: bare["file"]?.data ?? []) == key)
        var armoured = wanted
        armoured["armoured"] = true
        #expect(try await text(world.value("keychains.export", armoured)) == key.pem())
        var sealed = wanted
        sealed["passphrase"] = .data(Array("pw".utf8))
        let block = try await text(world.value("keychains.export", sealed))
        #expect(block.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
        // Certificates have no PKCS #8 form.
        try await importKey(KeyFixtures.certificate)
        let all = await world.failure("keychains.export", ["format": "pkcs8"])
        #expect(all?.code == KeychainFileError.unsupported.status)
    }

    @Test
    func `identities are exported as certificates with their keys, without other items`()
        async throws
    {
        for text in [
            KeyFixtures.certificate, KeyFixtures.p256, KeyFixtures.rsaCertificate, KeyFixtures.p384,
        ] { try await importKey(text) }
        let answer = try await world.value("keychains.export", ["kind": "identities"])
        let key = try PrivateKey(pem: PEMBlock.blocks(in: KeyFixtures.p256)[0])
        #expect(text(answer) == KeyFixtures.certificate + "\n" + (try key.pem()))
    }

    @Test
    func `a key that is not extractable is found without its secret`() async throws {
        try await importKey(KeyFixtures.p256, isExtractable: false)
        try await importKey(KeyFixtures.p384)
        let reply = await world.answer(
            "item.find",
            ["class": "keys", "wantsSecret": true],
            of: HandlerWorld.keychain
        )
        guard case .result(let found) = reply else {
            Issue.record("refused: \(reply)")
            return
        }
        let items = (found.array ?? []).compactMap(\.dictionary)
        #expect(items.count == 2)
        for item in items {
            let isKept = item["attributes"]?.dictionary?["extr"] == .integer(0)
            #expect((item["secret"] == nil) == isKept)
        }
        #expect(items.filter { $0["secret"] == nil }.count == 1)
    }
}

/// Operations that the login keychain refuses.
struct LoginKeychainTests {
    @Test
    func `the login keychain cannot be deleted, and the error says so`() async throws {
        let failure = await (try HandlerWorld()).failure(
            "keychains.delete",
            ["keychain": "login"]
        )
        #expect(failure?.code == -25292)
        #expect(failure?.hint.contains("cannot be deleted") == true)
    }

    @Test
    func `a lock time that is too long is refused with the maximum`() async throws {
        let world = try HandlerWorld()
        let settings: AgentDictionary = ["keychain": "login", "useInterval": true]
        var tooLong = settings
        tooLong["seconds"] = 604_801
        let failure = await world.failure("keychains.setSettings", tooLong)
        #expect(failure?.code == -50)
        #expect(failure?.hint.contains("604800") == true)
        var longest = settings
        longest["seconds"] = 604_800
        _ = try await world.value("keychains.setSettings", longest)
        let kept = try await world.value("keychains.settings", ["keychain": "login"])
        #expect(kept["seconds"] == 604_800)
    }
}
