import Foundation
import Security
import Testing

/// What packages rely on in the attributes of keys.
struct KeyAttributeTests {
    private static var curve: [CFString: Any] {
        [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256]
    }

    @Test
    func `a key is as large as its bytes, whatever size its maker names`() throws {
        let made = SecKeyCreateRandomKey(Self.curve as CFDictionary, nil)
        let key = try #require(made)
        for half in [key, try #require(SecKeyCopyPublicKey(key))] {
            let external = SecKeyCopyExternalRepresentation(half, nil)
            let bytes = try #require(external)
            for size in [384, 0, "2048"] as [Any] {
                let attributes: [CFString: Any] = [
                    kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: size,
                    kSecAttrKeyClass: half == key
                        ? kSecAttrKeyClassPrivate : kSecAttrKeyClassPublic,
                ]
                let read = SecKeyCreateWithData(bytes, attributes as CFDictionary, nil)
                let again = try #require(read)
                #expect(again == half)
                #expect(SecKeyGetBlockSize(again) == 32)
                let shown = SecKeyCopyAttributes(again) as? [CFString: Any]
                #expect(shown?[kSecAttrKeySizeInBits] as? Int == 256)
            }
        }
    }

    @Test
    func `the attributes of a key hold its bytes`() throws {
        let made = SecKeyCreateRandomKey(Self.curve as CFDictionary, nil)
        let key = try #require(made)
        for half in [key, try #require(SecKeyCopyPublicKey(key))] {
            let attributes = SecKeyCopyAttributes(half) as? [CFString: Any]
            let bytes = attributes?[kSecValueData] as? Data
            #expect(bytes != nil)
            #expect(bytes == SecKeyCopyExternalRepresentation(half, nil) as Data?)
        }
    }
}
