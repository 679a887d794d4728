import KSPrimitives
import KSSecrets
import KSTestSupport
import Testing

/// K(key, label), whose bytes can never change.
struct KeyDerivationTests {
    @Test
    func `a label is written with its start and its length, after the one for keys`() {
        let expected =
            [0, 0, 0, 0, 0, 0, 0, 19] + Array("keychain-sync/1 key".utf8)
            + [0, 0, 0, 0, 0, 0, 0, 21] + Array("keychain-sync/1 check".utf8)
        #expect(KeyDerivation.info(label: "check") == expected)
    }

    /// Frozen; computed as HMAC-SHA-256(key, info ‖ 0x01) by Python's `hmac`.
    @Test
    func `a derived key has its frozen bytes`() throws {
        let key = SharedSecret(bytes: Array(0..<32))
        let derived = KeyDerivation.key(key, "check").copyBytes()
        let expected = try Hex("c00814ace12d12615ea2b609dd1c552df2c7941df05a053141e0586df52fb4ee")
        #expect(derived == expected.bytes)
    }

    @Test
    func `many threads may use one key at a time`() async {
        let key = HMACKey(SharedSecret(bytes: Array(0..<32)))
        let expected = (0..<100).map { key.authenticate([UInt8($0)]) }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<20 {
                        for index in 0..<100 {
                            #expect(key.authenticate([UInt8(index)]) == expected[index])
                        }
                    }
                }
            }
        }
    }
}

extension KeyDerivationTests {
    @Test
    func `a tag over parts is the tag over all of them together`() {
        let key = HMACKey(SharedSecret(bytes: Array(0..<32)))
        let whole = key.authenticate([1, 2, 3, 4, 5])
        #expect(key.authenticate([1, 2], [3, 4], [5]) == whole)
        #expect(key.authenticate([], [1, 2, 3, 4], [5]) == whole)
        #expect(key.authenticate([1, 2, 3, 4], [5]) == whole)
        #expect(key.authenticate([1, 2], [3, 4], [6]) != whole)
    }

    @Test
    func `a transient expansion equals a lasting one`() {
        let secret = SharedSecret(bytes: Array(0..<32))
        for count in [1, 31, 32, 33, 64, 100] {
            var bytes: [UInt8] = []
            HMACKey(secret).withExpanded(info: [7, 8, 9], count: count) { derived in
                bytes = SharedSecret(copying: derived).copyBytes()
            }
            #expect(bytes == HKDF.expand(key: secret, info: [7, 8, 9], count: count).copyBytes())
        }
    }

    @Test
    func `boxes open after the keys of past operations were forgotten`() throws {
        let key = SharedSecret(bytes: Array(0..<32))
        let nonce = [UInt8](repeating: 1, count: 12)
        let sealed = AES256GCM.seal([1, 2, 3], key: key, nonce: nonce, associatedData: [])
        AES256GCM.forgetKeys()
        #expect(
            try AES256GCM.open(sealed, key: key, nonce: nonce, associatedData: []) == [1, 2, 3]
        )
    }
}
