import Foundation
import Security
import KSTestSupport
import Testing

extension PasswordStoreTests {
    @Test
    func `a permanent key is found again, works, and is deleted by its tag`() throws {
        let tag = Data("com.example.key".utf8)
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecPrivateKeyAttrs: [
                kSecAttrIsPermanent: true, kSecAttrApplicationTag: tag, kSecAttrLabel: "signing",
            ] as [CFString: Any],
        ]
        let made = SecKeyCreateRandomKey(parameters as CFDictionary, nil)
        let key = try #require(made)
        let query: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrApplicationTag: tag,
            kSecAttrKeyType: kSecAttrKeyTypeEC, kSecReturnRef: true,
        ]
        var result: CFTypeRef?
        #expect(unsafe SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
        let found = try #require(result as? SecKey)
        let message = Data("message".utf8) as CFData
        let algorithm = SecKeyAlgorithm.ecdsaSignatureDigestX962
        let signed = SecKeyCreateSignature(found, algorithm, message, nil)
        let signature = try #require(signed)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let isRight = SecKeyVerifySignature(publicKey, algorithm, message, signature, nil)
        #expect(isRight)
        // The public half was not stored.
        let halves: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPublic,
        ]
        #expect(SecItemCopyMatching(halves as CFDictionary, nil) == errSecItemNotFound)
        let delete: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrApplicationTag: tag]
        #expect(SecItemDelete(delete as CFDictionary) == errSecSuccess)
        #expect(SecItemDelete(delete as CFDictionary) == errSecItemNotFound)
    }

    @Test
    func `bytes that are neither a certificate nor a key are returned without an object`() throws {
        let label = "no object" as CFString
        for more in [
            [kSecClass: kSecClassCertificate], [kSecClass: kSecClassKey, kSecAttrKeyClass: 7],
        ] as [[CFString: Any]] {
            let item = more.merging([kSecAttrLabel: label, kSecValueData: Data([1])]) { _, new in
                new
            }
            try #require(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            var query = more.merging([kSecAttrLabel: label, kSecReturnRef: true]) { _, new in new }
            var bare: CFTypeRef?
            #expect(unsafe SecItemCopyMatching(query as CFDictionary, &bare) == errSecSuccess)
            #expect(bare == nil)
            query[kSecMatchLimit] = kSecMatchLimitAll
            var list: CFTypeRef?
            #expect(unsafe SecItemCopyMatching(query as CFDictionary, &list) == errSecSuccess)
            #expect((list as? [AnyObject])?.isEmpty == true)
            query[kSecReturnAttributes] = true
            var all: CFTypeRef?
            #expect(unsafe SecItemCopyMatching(query as CFDictionary, &all) == errSecSuccess)
            let found = try #require((all as? [[CFString: Any]])?.first)
            #expect(found[kSecAttrLabel] as? String == label as String)
            #expect(found[kSecValueRef] == nil)
            let delete = more.merging([kSecAttrLabel: label]) { _, new in new }
            #expect(SecItemDelete(delete as CFDictionary) == errSecSuccess)
        }
    }

    @Test
    func `a key that was added by its bytes alone has their size`() throws {
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048,
        ]
        let made = SecKeyCreateRandomKey(parameters as CFDictionary, nil)
        let half = made.flatMap { SecKeyCopyPublicKey($0) }
        let publicKey = try #require(half)
        let external = SecKeyCopyExternalRepresentation(publicKey, nil)
        let bytes = try #require(external)
        let tag = "com.example.peer" as CFString
        let add: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrKeyType: kSecAttrKeyTypeRSA,
            kSecAttrApplicationTag: tag, kSecValueData: bytes,
        ]
        try #require(SecItemAdd(add as CFDictionary, nil) == errSecSuccess)
        let query: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrApplicationTag: tag, kSecReturnRef: true,
        ]
        defer { SecItemDelete(query as CFDictionary) }
        var result: CFTypeRef?
        #expect(unsafe SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
        let found = try #require(result as? SecKey)
        #expect(found == publicKey)
        #expect(SecKeyGetBlockSize(found) == 256)
        let attributes = SecKeyCopyAttributes(found) as? [String: Any]
        #expect(attributes?[kSecAttrKeySizeInBits as String] as? Int == 2048)
    }

    @Test
    func `a stored curve key opens what is sealed for it`() throws {
        let tag = Data("com.example.ecies".utf8)
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true, kSecAttrApplicationTag: tag]
                as [CFString: Any],
        ]
        let made = SecKeyCreateRandomKey(parameters as CFDictionary, nil)
        let publicKey = try #require(made.flatMap { SecKeyCopyPublicKey($0) })
        let algorithm = SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA256AESGCM
        let message = Data("message".utf8) as CFData
        let sealed = SecKeyCreateEncryptedData(publicKey, algorithm, message, nil)
        let box = try #require(sealed)
        let query: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrApplicationTag: tag, kSecReturnRef: true,
        ]
        defer { SecItemDelete(query as CFDictionary) }
        var result: CFTypeRef?
        #expect(unsafe SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
        let key = try #require(result as? SecKey)
        #expect(SecKeyIsAlgorithmSupported(key, .decrypt, algorithm))
        let opened = SecKeyCreateDecryptedData(key, algorithm, box, nil)
        #expect(opened == message)
    }

    @Test
    func `a key is stored under an application label that is text`() throws {
        let label = "com.example.symmetric"
        let secret = Data(repeating: 7, count: 32)
        let add: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassSymmetric,
            kSecAttrApplicationLabel: label, kSecValueData: secret,
        ]
        #expect(SecItemAdd(add as CFDictionary, nil) == errSecSuccess)
        #expect(SecItemAdd(add as CFDictionary, nil) == errSecDuplicateItem)
        let query: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrApplicationLabel: label]
        defer { SecItemDelete(query as CFDictionary) }
        for label in [label, Data(label.utf8)] as [Any] {
            let search: [CFString: Any] = [
                kSecClass: kSecClassKey, kSecAttrApplicationLabel: label, kSecReturnData: true,
                kSecReturnAttributes: true,
            ]
            var result: CFTypeRef?
            #expect(unsafe SecItemCopyMatching(search as CFDictionary, &result) == errSecSuccess)
            let found = try #require(result as? [CFString: Any])
            #expect(found[kSecValueData] as? Data == secret)
            // As on Apple systems, it comes back as data.
            #expect(found[kSecAttrApplicationLabel] as? Data == Data("com.example.symmetric".utf8))
        }
        var other = query
        other[kSecAttrApplicationLabel] = "com.example.other"
        #expect(SecItemCopyMatching(other as CFDictionary, nil) == errSecItemNotFound)
    }

    @Test
    func `an identity from a file is added, returned, and found by a policy`() throws {
        let file = try #require(
            Data(base64Encoded: KeyFixtures.bundle, options: .ignoreUnknownCharacters)
        )
        var items: CFArray?
        let wrong = [kSecImportExportPassphrase: "wrong"] as CFDictionary
        #expect(unsafe SecPKCS12Import(file as CFData, wrong, &items) == errSecAuthFailed)
        #expect(
            unsafe SecPKCS12Import(Data([1]) as CFData, wrong, &items) == errSecDecode
        )
        #expect(unsafe SecPKCS12Import(file as CFData, [:], &items) == errSecParam)
        let options = [kSecImportExportPassphrase: "geheim"] as CFDictionary
        #expect(unsafe SecPKCS12Import(file as CFData, options, &items) == errSecSuccess)
        let entries = try #require(items as? [[String: Any]])
        let entry = try #require(entries.first)
        let identity = try #require(entry[kSecImportItemIdentity as String] as? SecIdentity)
        let chain = try #require(entry[kSecImportItemCertChain as String] as? [SecCertificate])
        #expect(!chain.isEmpty)
        let add: [CFString: Any] = [kSecValueRef: identity]
        #expect(SecItemAdd(add as CFDictionary, nil) == errSecSuccess)
        var query: [CFString: Any] = [
            kSecClass: kSecClassIdentity, kSecReturnRef: true,
            kSecMatchPolicy: SecPolicyCreateSSL(true, "example.org" as CFString),
        ]
        var result: CFTypeRef?
        #expect(unsafe SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
        #expect(result as? SecIdentity == identity)
        // The object itself as the query gives no data.
        let named: [CFString: Any] = [kSecValueRef: identity, kSecReturnData: true]
        var data: CFTypeRef?
        #expect(unsafe SecItemCopyMatching(named as CFDictionary, &data) == errSecSuccess)
        #expect(data == nil)
        query[kSecMatchPolicy] = SecPolicyCreateSSL(true, "nobody.example" as CFString)
        #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
        // Its certificate alone is enough to find the key, as long as that is stored.
        let certificate = try #require(chain.first)
        var found: SecIdentity?
        #expect(unsafe SecIdentityCreateWithCertificate(nil, certificate, &found) == errSecSuccess)
        #expect(found == identity)
        // So are the certificate and the key, wherever they come from.
        var key: SecKey?
        #expect(unsafe SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess)
        let privateKey = try #require(key)
        #expect(SecIdentityCreate(nil, certificate, privateKey) == identity)
        let publicKey = try #require(SecCertificateCopyKey(certificate))
        #expect(SecIdentityCreate(kCFAllocatorDefault, certificate, publicKey) == nil)
        #expect(SecItemDelete(add as CFDictionary) == errSecSuccess)
        found = nil
        let status = unsafe SecIdentityCreateWithCertificate(nil, certificate, &found)
        #expect(status == errSecItemNotFound)
        #expect(found == nil)
    }
}
