import KSDigests
import Foundation
import Security
import Testing

/// Apple's functions that compute with keys; none of them needs a daemon.
struct KeyFunctionTests {
    private static var curve: [CFString: Any] {
        [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256]
    }
    private static var rsa: [CFString: Any] {
        [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048]
    }
    private let message = Data("message".utf8) as CFData

    private func code(_ error: Unmanaged<CFError>?) -> Int? {
        unsafe error.map { unsafe CFErrorGetCode($0.takeRetainedValue()) }
    }

    @Test
    func `a new key signs, and its public half verifies`() throws {
        let madeKey = SecKeyCreateRandomKey(Self.curve as CFDictionary, nil)
        let key = try #require(madeKey)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
        #expect(SecKeyIsAlgorithmSupported(key, .sign, algorithm))
        #expect(SecKeyIsAlgorithmSupported(publicKey, .verify, algorithm))
        #expect(!SecKeyIsAlgorithmSupported(publicKey, .sign, algorithm))
        #expect(!SecKeyIsAlgorithmSupported(key, .sign, .rsaSignatureMessagePSSSHA256))
        let signed = SecKeyCreateSignature(key, algorithm, message, nil)
        let signature = try #require(signed)
        let isRight = SecKeyVerifySignature(publicKey, algorithm, message, signature, nil)
        #expect(isRight)
        var error: Unmanaged<CFError>?
        let other = Data("another".utf8) as CFData
        #expect(unsafe !SecKeyVerifySignature(publicKey, algorithm, other, signature, &error))
        #expect(unsafe code(error) == Int(errSecVerifyFailed))
        #expect(
            unsafe SecKeyCreateSignature(key, .rsaSignatureMessagePSSSHA256, message, &error) == nil
        )
        #expect(unsafe code(error) == Int(errSecParam))
    }

    @Test
    func `a key can be exported and imported`() throws {
        for parameters in [Self.curve, Self.rsa] {
            let madeKey = SecKeyCreateRandomKey(parameters as CFDictionary, nil)
            let key = try #require(madeKey)
            let takenOut = SecKeyCopyExternalRepresentation(key, nil)
            let bytes = try #require(takenOut)
            var attributes = parameters
            attributes[kSecAttrKeyClass] = kSecAttrKeyClassPrivate
            let readAgain = SecKeyCreateWithData(bytes, attributes as CFDictionary, nil)
            let again = try #require(readAgain)
            #expect(again == key)
            let half = try #require(SecKeyCopyPublicKey(key))
            #expect(SecKeyCopyPublicKey(half) == half)
            #expect(SecKeyCopyPublicKey(again) == half)
        }
    }

    @Test
    func `a private key decrypts a message for its public key`() throws {
        var publicKey: SecKey?
        var privateKey: SecKey?
        let status = unsafe SecKeyGeneratePair(Self.rsa as CFDictionary, &publicKey, &privateKey)
        #expect(status == errSecSuccess)
        let ours = try #require(privateKey)
        let theirs = try #require(publicKey)
        for algorithm in [SecKeyAlgorithm.rsaEncryptionPKCS1, .rsaEncryptionOAEPSHA256] {
            #expect(SecKeyIsAlgorithmSupported(theirs, .encrypt, algorithm))
            #expect(!SecKeyIsAlgorithmSupported(theirs, .decrypt, algorithm))
            let sealed = SecKeyCreateEncryptedData(theirs, algorithm, message, nil)
            let box = try #require(sealed)
            let opened = SecKeyCreateDecryptedData(ours, algorithm, box, nil)
            #expect(opened == message)
        }
        let refused = SecKeyCreateEncryptedData(theirs, .ecdhKeyExchangeStandard, message, nil)
        #expect(refused == nil)
    }

    @Test
    func `both sides agree on a secret, and derive a key as X9-63 says`() throws {
        let ourKey = SecKeyCreateRandomKey(Self.curve as CFDictionary, nil)
        let ours = try #require(ourKey)
        let theirKey = SecKeyCreateRandomKey(Self.curve as CFDictionary, nil)
        let theirs = try #require(theirKey)
        func result(
            _ key: SecKey,
            _ other: SecKey,
            _ algorithm: SecKeyAlgorithm
        ) throws -> Data? {
            let parameters: [CFString: Any] = [
                SecKeyKeyExchangeParameter.requestedSize.rawValue: 40,
                SecKeyKeyExchangeParameter.sharedInfo.rawValue: Data([7]),
            ]
            let half = try #require(SecKeyCopyPublicKey(other))
            let bytes = SecKeyCopyKeyExchangeResult(
                key,
                algorithm,
                half,
                parameters as CFDictionary,
                nil
            )
            return bytes as Data?
        }
        let plain = try #require(try result(ours, theirs, .ecdhKeyExchangeStandard))
        #expect(try result(theirs, ours, .ecdhKeyExchangeCofactor) == plain)
        let stretched = try result(ours, theirs, .ecdhKeyExchangeStandardX963SHA256)
        let secret = [UInt8](plain)
        let expected =
            SHA256.hash(secret + [0, 0, 0, 1, 7]) + SHA256.hash(secret + [0, 0, 0, 2, 7])
        #expect(stretched == Data(expected.prefix(40)))
    }

    @Test
    func `a request for a key that cannot be made is refused`() {
        var error: Unmanaged<CFError>?
        for (parameters, status) in [
            ([:], errSecParam),
            ([kSecAttrKeyType: kSecAttrKeyTypeRSA], errSecParam),
            ([kSecAttrKeyType: "99", kSecAttrKeySizeInBits: 256], errSecParam),
            ([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 255], errSecParam),
            (
                [
                    kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256,
                    kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                ], errSecUnimplemented
            ),
        ] as [([CFString: Any], OSStatus)] {
            #expect(unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error) == nil)
            #expect(unsafe code(error) == Int(status))
        }
    }

    @Test
    func `a string of AnyHashable is found by a constant and by a String`() {
        let byText: [AnyHashable: Any] = ["acct": "ada"]
        #expect(byText[kSecAttrAccount] as? String == "ada")
        let byConstant: [AnyHashable: Any] = [kSecAttrAccount: "ada"]
        #expect(byConstant["acct"] as? String == "ada")
        #expect((byConstant as CFDictionary)[kSecAttrAccount] as? String == "ada")
    }

    @Test
    func `a policy has the purpose that it was made for`() throws {
        let server = SecPolicyCreateSSL(true, "example.com" as CFString)
        let properties = SecPolicyCopyProperties(server) as? [String: Any]
        #expect(properties?[kSecPolicyName as String] as? String == "example.com")
        #expect(properties?[kSecPolicyOid as String] as? String == kSecPolicyAppleSSL as String)
        let again = SecPolicyCreateWithProperties(
            kSecPolicyAppleSSL,
            [kSecPolicyName: "example.com"] as CFDictionary
        )
        #expect(again == server)
        #expect(again != SecPolicyCreateSSL(false, "example.com" as CFString))
        #expect(SecPolicyCreateWithProperties("1.2.3" as CFString, nil) == nil)
    }
}
