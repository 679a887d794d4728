import KSAgent
import KSCertificates
import KSDaemon
import KSTestSupport
import Testing

/// What the daemon does for the commands about certificates, and for an update of a password.
struct CertificateCallTests {
    private static let missing: Int32 = -25300
    private static let ambiguous: Int32 = -25259

    /// A home with certificates of these names.
    private func world(_ names: [String], and text: String = "") async throws -> HandlerWorld {
        let texts = try names.map { name in
            try SelfSignedCertificate.make(
                hostNames: [name],
                addresses: [],
                validDays: 30,
                now: 1_800_000_000
            ).certificatePEM
        }
        let world = try HandlerWorld()
        let file = Array((texts + [text]).joined().utf8)
        _ = try await world.value("keychains.import", ["file": .data(file)])
        return world
    }

    private func attributes(
        _ call: String,
        _ arguments: AgentDictionary,
        in world: HandlerWorld
    ) async -> [AgentDictionary] {
        let reply = await world.answer(call, arguments, of: HandlerWorld.keychain)
        guard case .result(let found) = reply else { return [] }
        return (found.array ?? []).map { $0.dictionary?["attributes"]?.dictionary ?? [:] }
    }

    private func names(in world: HandlerWorld) async -> [String] {
        await attributes("keychains.certificates", [:], in: world).compactMap { $0["labl"]?.string }
    }

    @Test
    func `a certificate is deleted by part of its name, in upper or lower case`() async throws {
        let world = try await world(["mitmproxy.example", "other.test"])
        #expect(try await world.value("keychains.deleteCertificate", ["name": "MITM"]) == [:])
        #expect(await names(in: world) == ["other.test"])
        let failure = await world.failure("keychains.deleteCertificate", ["name": "mitm"])
        #expect(failure?.code == Self.missing)
    }

    @Test
    func `a whole name precedes a part of one, and an ambiguous part deletes nothing`() async throws
    {
        let world = try await world(["www.example.com", "example.com", "EXAMPLE.org"])
        let several = await world.failure("keychains.deleteCertificate", ["name": "example"])
        #expect(several?.code == Self.ambiguous)
        // The empty name would be part of every name: it matches none.
        let nothing = await world.failure("keychains.deleteCertificate", ["name": ""])
        #expect(nothing?.code == Self.missing)
        #expect(await names(in: world).count == 3)
        _ = try await world.value("keychains.deleteCertificate", ["name": "Example.com"])
        #expect(await names(in: world) == ["www.example.com", "EXAMPLE.org"])
    }

    @Test
    func `two certificates with the same name are ambiguous`() async throws {
        let world = try await world(["example.com", "example.com"])
        let failure = await world.failure("keychains.deleteCertificate", ["name": "example.com"])
        #expect(failure?.code == Self.ambiguous)
        #expect(await names(in: world).count == 2)
    }

    @Test
    func `an identity is deleted by part of its name; a certificate alone does not match`()
        async throws
    {
        let texts = KeyFixtures.certificate + "\n" + KeyFixtures.p256 + "\n"
        let world = try await world(["ada.example"], and: texts)
        let identity: AgentDictionary = ["name": "ada", "identity": true]
        _ = try await world.value("keychains.deleteCertificate", identity)
        #expect(await names(in: world) == ["ada.example"])
        let again = await world.failure("keychains.deleteCertificate", identity)
        #expect(again?.code == Self.missing)
        #expect(await attributes("item.find", ["class": "keys"], in: world).isEmpty)
    }

    /// `security` calls it the alias, and scripts read it.
    @Test
    func `a certificate's alias is its mail address, or else its name`() async throws {
        let world = try await world(["example.com"], and: KeyFixtures.certificate)
        for (call, arguments) in [
            ("keychains.certificates", [:]), ("item.find", ["class": "cert"]),
        ] as [(String, AgentDictionary)] {
            let found = await attributes(call, arguments, in: world)
            #expect(
                found.compactMap { $0["alis"]?.string } == ["example.com", "ada@example.org"],
                "\(call)"
            )
        }
    }

    @Test
    func `an update finds a password with more attributes, and keeps those`()
        async throws
    {
        let world = try HandlerWorld()
        let given: AgentDictionary = ["acct": "u", "srvr": "h", "labl": "h"]
        var old = given
        for (name, value) in [("ptcl", "htps"), ("atyp", "form"), ("port", 443), ("path", "/p")]
            as [(String, AgentValue)]
        {
            old[name] = value
        }
        _ = try await world.value(
            "item.add",
            ["class": "inet", "attributes": .dictionary(old), "secret": .data([1])]
        )
        for server in ["h", "other"] {
            var given = given
            given["srvr"] = .string(server)
            _ = try await world.value(
                "item.add",
                [
                    "class": "inet", "attributes": .dictionary(given), "secret": .data([2]),
                    "defaults": ["atyp": "dflt"], "update": true,
                    "match": ["acct": "u", "srvr": .string(server)],
                ]
            )
        }
        let found = await attributes("item.find", ["class": "inet"], in: world)
        #expect(found.compactMap { $0["srvr"]?.string } == ["h", "other"])
        #expect(found.compactMap { $0["atyp"]?.string } == ["form", "dflt"])
        #expect(found.first?["path"] == "/p" && found.first?["port"] == 443)
        let query: AgentDictionary = [
            "class": "inet", "attributes": ["srvr": "h"], "wantsSecret": true, "limit": 1,
        ]
        let reply = await world.answer("item.find", query, of: HandlerWorld.keychain)
        guard case .result(let items) = reply else {
            Issue.record("refused: \(reply)")
            return
        }
        #expect(items.array?.first?.dictionary?["secret"]?.data == [2])
    }
}
