import Primitives
import Secrets
import TestSupport
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
