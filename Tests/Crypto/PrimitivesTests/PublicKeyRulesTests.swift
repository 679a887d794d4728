import KSDigests
import KSPrimitives
import KSSecrets
import KSTestSupport
import Testing

/// Public keys with which signatures and agreements prove nothing.
struct PublicKeyRulesTests {
    /// All encodings of the eight points of small order: y, then the same with the sign bit set.
    ///
    /// Source: Chalkias et al., "Taming the Many EdDSAs" (2020), table 1; values below the prime
    /// confirmed by computing the multiples of a point of order 8.
    static let edwards = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]

    /// Source: the list of u-coordinates in Bernstein, "Curve25519: how do I validate public
    /// keys?".
    static let montgomery = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]

    @Test(arguments: edwards, [0x00, 0x80] as [UInt8])
    func `Ed25519 keys of small order are refused`(text: String, sign: UInt8) throws {
        var key = try Hex(text).bytes
        key[31] |= sign
        #expect(!PublicKeyRules.isUsableForSigning(key))
    }

    @Test
    func `a signature that fits every message under a key of small order is refused`() throws {
        // R is the neutral element and S is zero, so the equation holds whatever the message is.
        let neutral = try Hex(Self.edwards[1]).bytes
        let signature = neutral + [UInt8](repeating: 0, count: 32)
        #expect(!Ed25519Verification.isValid(signature: signature, of: [1], publicKey: neutral))
    }

    @Test
    func `an Ed25519 key that is not canonical is refused`() throws {
        // 2^255 - 16 = p + 3 stands for y = 3, a point of the curve.
        let text = "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"
        #expect(!PublicKeyRules.isUsableForSigning(try Hex(text).bytes))
        let canonical: [UInt8] = [3] + [UInt8](repeating: 0, count: 31)
        #expect(PublicKeyRules.isUsableForSigning(canonical))
    }

    @Test(arguments: montgomery, [0x00, 0x80] as [UInt8])
    func `X25519 keys of small order are refused everywhere`(text: String, top: UInt8) throws {
        var point = try Hex(text).bytes
        point[31] |= top
        let random = SeededRandomSource(seed: 1)
        let key = X25519PrivateKey(.random(from: random))
        #expect(!PublicKeyRules.isUsableForAgreement(point))
        #expect(throws: PrimitivesError.publicKeyRefused) { try key.sharedSecret(with: point) }
        #expect(throws: PrimitivesError.publicKeyRefused) {
            let ephemeral = HPKE.EphemeralKey(random: random)
            return try HPKE.seal([1], to: point, psk: nil, info: [], ephemeralKey: ephemeral)
        }
        #expect(throws: PrimitivesError.publicKeyRefused) {
            let sealed = point + [UInt8](repeating: 0, count: 20)
            return try HPKE.open(sealed, with: key, psk: nil, info: [])
        }
    }

    @Test(arguments: [0, 1, 31, 33, 64])
    func `public keys of another length are refused`(count: Int) {
        let bytes = [UInt8](repeating: 9, count: count)
        let key = X25519PrivateKey(.random(from: SeededRandomSource(seed: 1)))
        #expect(!PublicKeyRules.isUsableForSigning(bytes))
        #expect(!PublicKeyRules.isUsableForAgreement(bytes))
        #expect(throws: PrimitivesError.publicKeyRefused) { try key.sharedSecret(with: bytes) }
    }
}
