import KSPrivateKeys
import Foundation
import Security
import Testing

/// Encryption of messages of any length; none of it needs a daemon.
struct MessageEncryptionTests {
    private struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let algorithm: String
        let text: String
        let key: Data
        let ciphertext: Data

        var testDescription: String { text }
    }

    private static let cases: [Case] = {
        let file = Data(PackageResources.encryption_json)
        do {
            return try JSONDecoder().decode([Case].self, from: file)
        } catch {
            preconditionFailure("encryption.json: \(error)")
        }
    }()

    private static let byName: [String: SecKeyAlgorithm] = [
        "eciesEncryptionCofactorX963SHA224AESGCM": .eciesEncryptionCofactorX963SHA224AESGCM,
        "eciesEncryptionCofactorX963SHA384AESGCM": .eciesEncryptionCofactorX963SHA384AESGCM,
        "eciesEncryptionCofactorX963SHA512AESGCM": .eciesEncryptionCofactorX963SHA512AESGCM,
        "eciesEncryptionCofactorVariableIVX963SHA256AESGCM":
            .eciesEncryptionCofactorVariableIVX963SHA256AESGCM,
        "eciesEncryptionCofactorVariableIVX963SHA384AESGCM":
            .eciesEncryptionCofactorVariableIVX963SHA384AESGCM,
        "eciesEncryptionCofactorVariableIVX963SHA512AESGCM":
            .eciesEncryptionCofactorVariableIVX963SHA512AESGCM,
        "rsaEncryptionOAEPSHA256AESGCM": .rsaEncryptionOAEPSHA256AESGCM,
        "rsaEncryptionOAEPSHA512AESGCM": .rsaEncryptionOAEPSHA512AESGCM,
    ]

    private static let ecies: [SecKeyAlgorithm] = [
        .eciesEncryptionStandardX963SHA1AESGCM, .eciesEncryptionStandardX963SHA224AESGCM,
        .eciesEncryptionStandardX963SHA256AESGCM, .eciesEncryptionStandardX963SHA384AESGCM,
        .eciesEncryptionStandardX963SHA512AESGCM, .eciesEncryptionCofactorX963SHA1AESGCM,
        .eciesEncryptionCofactorX963SHA224AESGCM, .eciesEncryptionCofactorX963SHA256AESGCM,
        .eciesEncryptionCofactorX963SHA384AESGCM, .eciesEncryptionCofactorX963SHA512AESGCM,
        .eciesEncryptionStandardVariableIVX963SHA224AESGCM,
        .eciesEncryptionStandardVariableIVX963SHA256AESGCM,
        .eciesEncryptionStandardVariableIVX963SHA384AESGCM,
        .eciesEncryptionStandardVariableIVX963SHA512AESGCM,
        .eciesEncryptionCofactorVariableIVX963SHA224AESGCM,
        .eciesEncryptionCofactorVariableIVX963SHA256AESGCM,
        .eciesEncryptionCofactorVariableIVX963SHA384AESGCM,
        .eciesEncryptionCofactorVariableIVX963SHA512AESGCM,
    ]

    private static let wrapped: [SecKeyAlgorithm] = [
        .rsaEncryptionOAEPSHA1AESGCM, .rsaEncryptionOAEPSHA224AESGCM,
        .rsaEncryptionOAEPSHA256AESGCM, .rsaEncryptionOAEPSHA384AESGCM,
        .rsaEncryptionOAEPSHA512AESGCM,
    ]

    private static func key(_ type: CFString, _ bits: Int) throws -> SecKey {
        let parameters = [kSecAttrKeyType: type, kSecAttrKeySizeInBits: bits] as [CFString: Any]
        let made = SecKeyCreateRandomKey(parameters as CFDictionary, nil)
        return try #require(made)
    }

    private func open(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ box: Data) -> Data? {
        SecKeyCreateDecryptedData(key, algorithm, box as CFData, nil) as Data?
    }

    @Test(arguments: cases)
    private func `a ciphertext of another implementation is opened`(entry: Case) throws {
        let read = try PrivateKey(der: [UInt8](entry.key))
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: read.kind.rawValue, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
        ]
        let made = SecKeyCreateWithData(
            Data(read.external) as CFData,
            attributes as CFDictionary,
            nil
        )
        let key = try #require(made)
        let algorithm = try #require(Self.byName[entry.algorithm])
        #expect(open(key, algorithm, entry.ciphertext) == Data(entry.text.utf8))
    }

    @Test(arguments: [256, 384, 521])
    func `each ECIES algorithm seals messages of any length for a curve's public key`(
        bits: Int
    ) throws {
        let key = try Self.key(kSecAttrKeyTypeECSECPrimeRandom, bits)
        let other = try Self.key(kSecAttrKeyTypeECSECPrimeRandom, bits)
        let pointCount = 1 + 2 * SecKeyGetBlockSize(key)
        for algorithm in Self.ecies {
            try check(algorithm, key, other, headCount: pointCount)
        }
        // The two names of each derivation are one algorithm on these curves.
        let half = try #require(SecKeyCopyPublicKey(key))
        let sealed = SecKeyCreateEncryptedData(half, Self.ecies[2], Data([7]) as CFData, nil)
        let box = try #require(sealed) as Data
        #expect(box.first == 4)
        #expect(open(key, Self.ecies[7], box) == Data([7]))
        for algorithm in Self.ecies where algorithm != Self.ecies[2] && algorithm != Self.ecies[7] {
            #expect(open(key, algorithm, box) == nil, "\(algorithm.rawValue)")
        }
    }

    @Test
    func `each wrapping algorithm seals messages of any length for an RSA key`() throws {
        let key = try Self.key(kSecAttrKeyTypeRSA, 2048)
        let other = try Self.key(kSecAttrKeyTypeRSA, 2048)
        for algorithm in Self.wrapped { try check(algorithm, key, other, headCount: 256) }
    }

    private func check(
        _ algorithm: SecKeyAlgorithm,
        _ key: SecKey,
        _ other: SecKey,
        headCount: Int
    ) throws {
        let half = try #require(SecKeyCopyPublicKey(key))
        let name: Comment = "\(algorithm.rawValue)"
        #expect(SecKeyIsAlgorithmSupported(half, .encrypt, algorithm), name)
        #expect(SecKeyIsAlgorithmSupported(key, .decrypt, algorithm), name)
        #expect(!SecKeyIsAlgorithmSupported(half, .decrypt, algorithm), name)
        #expect(!SecKeyIsAlgorithmSupported(key, .encrypt, algorithm), name)
        #expect(SecKeyCreateEncryptedData(key, algorithm, Data() as CFData, nil) == nil, name)
        for count in [0, 1, 100_000] {
            let text = Data(repeating: 0x5A, count: count)
            let sealed = SecKeyCreateEncryptedData(half, algorithm, text as CFData, nil)
            let box = try #require(sealed, name) as Data
            try #require(box.count == headCount + count + 16, name)
            #expect(open(key, algorithm, box) == text, name)
            #expect(open(other, algorithm, box) == nil, name)
            #expect(open(half, algorithm, box) == nil, name)
            let again = SecKeyCreateEncryptedData(half, algorithm, text as CFData, nil)
            #expect(again as Data? != box, name)
            guard count == 1 else { continue }
            for place in [0, headCount - 1, headCount, box.count - 1] {
                var changed = box
                changed[place] ^= 1
                #expect(open(key, algorithm, changed) == nil, "\(algorithm.rawValue) \(place)")
            }
            for length in [0, 1, headCount - 1, headCount, headCount + 15, box.count - 1] {
                #expect(open(key, algorithm, box.prefix(length)) == nil, name)
            }
        }
    }

    @Test
    func `an algorithm of another kind of key is refused`() throws {
        let curve = try Self.key(kSecAttrKeyTypeECSECPrimeRandom, 256)
        let rsa = try Self.key(kSecAttrKeyTypeRSA, 2048)
        for (key, algorithms) in [(curve, Self.wrapped + [.rsaEncryptionRaw]), (rsa, Self.ecies)] {
            let half = try #require(SecKeyCopyPublicKey(key))
            for algorithm in algorithms {
                #expect(!SecKeyIsAlgorithmSupported(half, .encrypt, algorithm))
                #expect(!SecKeyIsAlgorithmSupported(key, .decrypt, algorithm))
                var error: Unmanaged<CFError>?
                let text = Data([1]) as CFData
                #expect(unsafe SecKeyCreateEncryptedData(half, algorithm, text, &error) == nil)
                let code = unsafe error.map { unsafe CFErrorGetCode($0.takeRetainedValue()) }
                #expect(code == Int(errSecParam))
            }
        }
    }
}
