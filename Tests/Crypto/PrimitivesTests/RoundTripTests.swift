import KSDigests
import KSPrimitives
import KSSecrets
import KSTestSupport
import Testing

struct RoundTripTests {
    let random = SeededRandomSource(seed: 1)

    @Test
    func `a text sealed to a public key opens with its private key`() throws {
        let key = X25519PrivateKey(.random(from: random))
        let psk = HPKE.PreSharedKey(.random(from: random), id: Array("ring".utf8))
        let sealed = try HPKE.seal(
            [1, 2, 3],
            to: key.publicKey,
            psk: psk,
            info: [4],
            ephemeralKey: HPKE.EphemeralKey(random: random)
        )
        #expect(sealed.count == HPKE.encapsulatedKeyByteCount + 3 + AES256GCM.tagByteCount)
        #expect(try HPKE.open(sealed, with: key, psk: psk, info: [4]) == [1, 2, 3])
        #expect(throws: PrimitivesError.notAuthentic) {
            try HPKE.open(sealed, with: key, psk: psk, info: [5])
        }
        #expect(throws: PrimitivesError.notAuthentic) {
            try HPKE.open(sealed, with: key, psk: nil, info: [4])
        }
    }

    @Test
    func `two sides agree on one secret`() throws {
        let left = X25519PrivateKey(.random(from: random))
        let right = X25519PrivateKey(.random(from: random))
        let secret = try left.sharedSecret(with: right.publicKey)
        #expect(try right.sharedSecret(with: left.publicKey).isEqual(to: secret))
    }

    @Test
    func `a signature is valid for its message only`() {
        let key = Ed25519PrivateKey(seed: .random(from: random))
        let signature = key.sign([1, 2, 3])
        #expect(
            Ed25519Verification.isValid(
                signature: signature,
                of: [1, 2, 3],
                publicKey: key.publicKey
            )
        )
        #expect(
            !Ed25519Verification.isValid(
                signature: signature,
                of: [1, 2, 4],
                publicKey: key.publicKey
            )
        )
    }

    @Test
    func `a sealed text opens, and does not with anything changed`() throws {
        let key = SharedSecret.random(from: random)
        let nonce = random.bytes(12)
        let sealed = AES256GCM.seal([1, 2, 3], key: key, nonce: nonce, associatedData: [9])
        #expect(
            try AES256GCM.open(sealed, key: key, nonce: nonce, associatedData: [9]) == [1, 2, 3]
        )
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: PrimitivesError.notAuthentic) {
                try AES256GCM.open(changed, key: key, nonce: nonce, associatedData: [9])
            }
        }
        #expect(throws: PrimitivesError.notAuthentic) {
            try AES256GCM.open(sealed, key: key, nonce: nonce, associatedData: [])
        }
    }
}
