import KSDigests
import KSPrimitives
import KSSecrets
import KSTestSupport
import Testing

/// The vectors that the standards themselves print.
struct StandardsTests {
    @Test
    func `SHA-256 with NIST's vectors`() throws {
        let blocks = try PublishedVectors.blocks("rfc/SHA256ShortMsg.rsp", endingWith: "MD")
        #expect(blocks.count == 65)
        for block in blocks {
            let bits = try #require(Int(block["Len"] ?? ""))
            let message = try Hex(#require(block["Msg"])).bytes.prefix(bits / 8)
            #expect(try SHA256.hash(Array(message)) == Hex(#require(block["MD"])).bytes)
        }
    }

    @Test
    func `HMAC-SHA-256 with RFC 4231's vectors`() throws {
        let blocks = try PublishedVectors.blocks("rfc/rfc-4231-sha256.txt", endingWith: "MD")
        #expect(blocks.count == 6)
        for block in blocks {
            let key = try HMACKey(SharedSecret(bytes: Hex(#require(block["Key"])).bytes))
            let message = try Hex(#require(block["Msg"])).bytes
            #expect(try key.authenticate(message) == Hex(#require(block["MD"])).bytes)
        }
    }

    @Test
    func `HKDF with RFC 5869's vectors`() throws {
        let blocks = try PublishedVectors.blocks("rfc/rfc-5869-HKDF-SHA256.txt", endingWith: "OKM")
        #expect(blocks.count == 3)
        for block in blocks {
            let key = HKDF.extract(
                salt: try Hex(#require(block["salt"])).bytes,
                inputKey: SharedSecret(bytes: try Hex(#require(block["IKM"])).bytes)
            )
            #expect(try key.copyBytes() == Hex(#require(block["PRK"])).bytes)
            let count = try #require(Int(block["L"] ?? ""))
            let info = try Hex(#require(block["info"])).bytes
            let output = HKDF.expand(key: key, info: info, count: count)
            #expect(try output.copyBytes() == Hex(#require(block["OKM"])).bytes)
        }
    }

    @Test
    func `scrypt with RFC 7914's vectors`() throws {
        let blocks = try PublishedVectors.blocks(
            "rfc/rfc-7914-scrypt.txt",
            endingWith: "DERIVED_KEY"
        )
        #expect(blocks.count == 4)
        var run = 0
        for block in blocks {
            let n = try #require(Int(block["N"] ?? ""))
            // The last case takes 1 GiB, more than a test should ask of a small machine.
            guard n <= 1 << 17 else { continue }
            run += 1
            let output = try Scrypt.derive(
                password: SharedSecret(bytes: Array(#require(block["PASSWORD"]).utf8)),
                salt: SharedSecret(bytes: Array(#require(block["SALT"]).utf8)),
                cost: ScryptCost(
                    logN: n.trailingZeroBitCount,
                    r: #require(Int(block["r"] ?? "")),
                    p: #require(Int(block["p"] ?? ""))
                ),
                count: 64
            )
            #expect(try output.copyBytes() == Hex(#require(block["DERIVED_KEY"])).bytes)
        }
        #expect(run == 3)
    }

    /// Computed by another implementation (PyCryptodome 3), since no RFC prints one of this cost.
    @Test
    func `scrypt at the cost of accounts`() throws {
        let output = try Scrypt.derive(
            password: SharedSecret(bytes: Array("pleaseletmein".utf8)),
            salt: SharedSecret(bytes: Array("SodiumChloride".utf8)),
            cost: .k1
        )
        let expected = try Hex("2f10fcda14532d6543334cd899776407ff0ae879c370372de5b4e39d4d2d21ed")
        #expect(output.copyBytes() == expected.bytes)
    }

    /// Each line: seed and public key, public key, message, signature and message.
    @Test(arguments: [
        ("ed25519-sign.input-first-128-lines.txt", 128, 127),
        ("rfc-8032-tests-1024-and-sha-abc.txt", 2, 1023),
    ])
    func `Ed25519 signing with RFC 8032's vectors`(
        file: String,
        count: Int,
        messageBytesMax: Int
    ) throws {
        let lines = try PublishedVectors.lines("rfc/" + file)
        #expect(lines.count == count)
        var longest = 0
        for line in lines {
            let fields = try line.split(separator: ":", omittingEmptySubsequences: false)
                .map { try Hex(String($0)).bytes }
            let key = Ed25519PrivateKey(seed: SharedSecret(bytes: Array(fields[0].prefix(32))))
            #expect(key.publicKey == fields[1])
            let signature = Array(fields[3].prefix(64))
            longest = max(longest, fields[2].count)
            #expect(key.sign(fields[2]) == signature)
            #expect(
                Ed25519Verification.isValid(
                    signature: signature,
                    of: fields[2],
                    publicKey: fields[1]
                )
            )
        }
        #expect(longest == messageBytesMax)
    }

    @Test
    func `X25519 with RFC 7748's vectors`() throws {
        let blocks = try PublishedVectors.blocks("rfc/rfc7748.txt", endingWith: "OUTPUT_U")
        #expect(blocks.count == 3)
        for block in blocks {
            let scalar = try SharedSecret(bytes: Hex(#require(block["INPUT_SCALAR"])).bytes)
            let point = try Hex(#require(block["INPUT_U"])).bytes
            let output = try X25519PrivateKey(scalar).sharedSecret(with: point)
            #expect(try output.copyBytes() == Hex(#require(block["OUTPUT_U"])).bytes)
        }
    }

    @Test(arguments: [
        (1, "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"),
        (1_000, "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"),
    ])
    func `X25519 iterated, as in RFC 7748 §5.2`(
        count: Int,
        expected: String
    ) throws {
        var scalar: [UInt8] = [9] + [UInt8](repeating: 0, count: 31)
        var point = scalar
        for _ in 0..<count {
            let key = X25519PrivateKey(SharedSecret(bytes: scalar))
            (scalar, point) = (try key.sharedSecret(with: point).copyBytes(), scalar)
        }
        #expect(try scalar == Hex(expected).bytes)
    }

    @Test
    func `both sides of an X25519 exchange, as in RFC 7748 §6.1`() throws {
        let sides = try PublishedVectors.blocks(
            "rfc/rfc-7748-section-6.1.txt",
            endingWith: "SHARED"
        )
        #expect(sides.count == 2)
        for (side, other) in zip(sides, sides.reversed()) {
            let key = try X25519PrivateKey(
                SharedSecret(bytes: Hex(#require(side["PRIVATE"])).bytes)
            )
            #expect(try key.publicKey == Hex(#require(side["PUBLIC"])).bytes)
            let shared = try key.sharedSecret(with: Hex(#require(other["PUBLIC"])).bytes)
            #expect(try shared.copyBytes() == Hex(#require(side["SHARED"])).bytes)
        }
    }
}

/// Sealing to a public key, with the ephemeral keys that the RFC prints.
struct HPKEVectorTests {
    struct Setup: Decodable {
        struct Encryption: Decodable {
            let aad: Hex
            let ct: Hex
            let pt: Hex
        }
        let mode: Int
        let info: Hex
        let skRm: Hex
        let pkRm: Hex
        let ikmE: Hex
        let skEm: Hex
        let enc: Hex
        let psk: Hex?
        let psk_id: Hex?
        let encryptions: [Encryption]
    }

    /// Returns the same bytes at each call.
    struct FixedSource: RandomSource {
        let fixed: [UInt8]

        func bytes(_ count: Int) -> [UInt8] {
            precondition(count == fixed.count)
            return fixed
        }
    }

    @Test(arguments: [0, 1])
    func `RFC 9180 in base and PSK mode`(mode: Int) throws {
        let setups = try PublishedVectors.json("rfc/rfc-9180-excerpt.json", as: [Setup].self)
        let setup = try #require(setups.first { $0.mode == mode })
        let encryption = try #require(setup.encryptions.first)
        let key = X25519PrivateKey(SharedSecret(bytes: setup.skRm.bytes))
        #expect(key.publicKey == setup.pkRm.bytes)
        let source = FixedSource(fixed: setup.skEm.bytes)
        let published = setup.enc.bytes + encryption.ct.bytes
        let (info, text, data) = (setup.info.bytes, encryption.pt.bytes, encryption.aad.bytes)
        var psk: HPKE.PreSharedKey?
        if let bytes = setup.psk?.bytes, let id = setup.psk_id {
            psk = HPKE.PreSharedKey(SharedSecret(bytes: bytes), id: id.bytes)
        }
        #expect((psk != nil) == (mode == 1))
        for ephemeral in [
            HPKE.EphemeralKey(random: source),
            // DeriveKeyPair: the published key follows from the published input.
            HPKE.EphemeralKey(seed: SharedSecret(bytes: setup.ikmE.bytes)),
        ] {
            let sealed = try HPKE.seal(
                text,
                to: key.publicKey,
                psk: psk,
                info: info,
                associatedData: data,
                ephemeralKey: ephemeral
            )
            #expect(sealed == published)
        }
        let opened = try HPKE.open(
            published,
            with: key,
            psk: psk,
            info: info,
            associatedData: data
        )
        #expect(opened == text)
    }
}
