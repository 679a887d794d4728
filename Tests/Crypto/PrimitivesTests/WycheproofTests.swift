import KSDigests
import KSPrimitives
import KSSecrets
import Testing

/// Cases made to find the mistakes that implementations have made.
struct WycheproofTests {
    struct SealedGroup: Decodable {
        struct Case: Decodable {
            let tcId: Int
            let key: Hex
            let iv: Hex
            let aad: Hex
            let msg: Hex
            let ct: Hex
            let tag: Hex
            let result: WycheproofResult
        }
        let ivSize: Int
        let keySize: Int
        let tagSize: Int
        let tests: [Case]
    }

    @Test
    func `AES-256-GCM`() throws {
        let file = try PublishedVectors.json(
            "wycheproof/aes_gcm_test.json",
            as: Wycheproof<SealedGroup>.self
        )
        let ours = file.testGroups.filter {
            $0.keySize == 256 && $0.ivSize == 96 && $0.tagSize == 128
        }
        let cases = ours.flatMap(\.tests)
        #expect(cases.count == 66)
        for each in cases {
            let key = SharedSecret(bytes: each.key.bytes)
            let (nonce, associatedData) = (each.iv.bytes, each.aad.bytes)
            let published = each.ct.bytes + each.tag.bytes
            let sealed = AES256GCM.seal(
                each.msg.bytes,
                key: key,
                nonce: nonce,
                associatedData: associatedData
            )
            #expect((sealed == published) == (each.result == .valid), "case \(each.tcId)")
            // The reason does not matter here.
            let opened = try? AES256GCM.open(
                published,
                key: key,
                nonce: nonce,
                associatedData: associatedData
            )
            #expect(opened == (each.result == .valid ? each.msg.bytes : nil), "case \(each.tcId)")
        }
    }

    struct TagGroup: Decodable {
        struct Case: Decodable {
            let tcId: Int
            let key: Hex
            let msg: Hex
            let tag: Hex
            let result: WycheproofResult
        }
        let tests: [Case]
    }

    @Test
    func `HMAC-SHA-256`() throws {
        let file = try PublishedVectors.json(
            "wycheproof/hmac_sha256_excerpt.json",
            as: Wycheproof<TagGroup>.self
        )
        let cases = file.testGroups.flatMap(\.tests)
        #expect(cases.count == 11)
        for each in cases {
            let key = HMACKey(SharedSecret(bytes: each.key.bytes))
            // Twice, because the second call starts with the state that the first left.
            for _ in 0..<2 {
                let isValid = key.isValid(tag: each.tag.bytes, of: each.msg.bytes)
                #expect(isValid == (each.result == .valid), "case \(each.tcId)")
            }
        }
    }

    struct DerivationGroup: Decodable {
        struct Case: Decodable {
            let tcId: Int
            let ikm: Hex
            let salt: Hex
            let info: Hex
            let size: Int
            let okm: Hex
            let result: WycheproofResult
        }
        let tests: [Case]
    }

    @Test
    func `HKDF-SHA-256`() throws {
        let file = try PublishedVectors.json(
            "wycheproof/hkdf_sha256_test.json",
            as: Wycheproof<DerivationGroup>.self
        )
        let cases = file.testGroups.flatMap(\.tests)
        // The three invalid ones ask for more than HKDF can produce; a test below covers that.
        let valid = cases.filter { $0.result == .valid }
        #expect(cases.count == 86 && valid.count == 83)
        for each in valid {
            let key = HKDF.extract(
                salt: each.salt.bytes,
                inputKey: SharedSecret(bytes: each.ikm.bytes)
            )
            let output = HKDF.expand(key: key, info: each.info.bytes, count: each.size)
            #expect(output.copyBytes() == each.okm.bytes, "case \(each.tcId)")
        }
    }

    @Test
    func `asking HKDF for more than 255 blocks stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let key = SharedSecret(bytes: [UInt8](repeating: 1, count: 32))
            _ = HKDF.expand(key: key, info: [], count: 255 * 32 + 1)
        }
    }

    struct SignatureGroup: Decodable {
        struct PublicKey: Decodable {
            let pk: Hex
        }
        struct Case: Decodable {
            let tcId: Int
            let flags: [String]
            let msg: Hex
            let sig: Hex
            let result: WycheproofResult
        }
        let publicKey: PublicKey
        let tests: [Case]
    }

    @Test
    func `Ed25519 verification`() throws {
        let file = try PublishedVectors.json(
            "wycheproof/ed25519_test.json",
            as: Wycheproof<SignatureGroup>.self
        )
        #expect(file.testGroups.flatMap(\.tests).count == 210)
        for group in file.testGroups {
            for each in group.tests {
                let isValid = Ed25519Verification.isValid(
                    signature: each.sig.bytes,
                    of: each.msg.bytes,
                    publicKey: group.publicKey.pk.bytes
                )
                switch each.result {
                case .valid, .invalid:
                    #expect(isValid == (each.result == .valid), "case \(each.tcId)")
                case .acceptable:
                    // A mixed-order key harms only its owner, and verifiers may differ about it.
                    let isMixed = each.flags.contains("MixedOrderPublicKey")
                    #expect(isMixed || !isValid, "case \(each.tcId)")
                }
            }
        }
    }

    struct AgreementGroup: Decodable {
        struct Case: Decodable {
            enum CodingKeys: String, CodingKey {
                case tcId, flags, result, shared
                case publicKey = "public"
                case privateKey = "private"
            }
            let tcId: Int
            let flags: [String]
            let publicKey: Hex
            let privateKey: Hex
            let shared: Hex
            let result: WycheproofResult
        }
        let tests: [Case]
    }

    @Test
    func `X25519`() throws {
        let file = try PublishedVectors.json(
            "wycheproof/x25519_test.json",
            as: Wycheproof<AgreementGroup>.self
        )
        let cases = file.testGroups.flatMap(\.tests)
        #expect(cases.count == 518)
        for each in cases {
            let key = X25519PrivateKey(SharedSecret(bytes: each.privateKey.bytes))
            if each.flags.contains("ZeroSharedSecret") {
                #expect(throws: PrimitivesError.publicKeyRefused, "case \(each.tcId)") {
                    try key.sharedSecret(with: each.publicKey.bytes)
                }
            } else {
                let secret = try key.sharedSecret(with: each.publicKey.bytes)
                #expect(secret.copyBytes() == each.shared.bytes, "case \(each.tcId)")
            }
        }
    }
}
