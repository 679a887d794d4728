import KSDigests
import Foundation
import Security
import Testing

/// RSA without padding.
struct RawRSATests {
    private let key: SecKey
    private let half: SecKey

    init() throws {
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 1024,
        ]
        let made = SecKeyCreateRandomKey(parameters as CFDictionary, nil)
        key = try #require(made)
        half = try #require(SecKeyCopyPublicKey(key))
    }

    private let digest = Data(SHA256.hash(Array("message".utf8)))

    /// What PKCS #1 v1.5 signs: 01, FF …, 00 and the digest with its name, without the zero before.
    private var padded: Data {
        let name: [UInt8] = [
            0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02,
            0x01, 0x05, 0x00, 0x04, 0x20,
        ]
        let fill = [UInt8](repeating: 0xFF, count: 128 - 3 - name.count - 32)
        return Data([1] + fill + [0] + name) + digest
    }

    private func code(_ error: Unmanaged<CFError>?) -> Int? {
        unsafe error.map { unsafe CFErrorGetCode($0.takeRetainedValue()) }
    }

    @Test
    func `a raw signature of padded bytes is the padded signature`() throws {
        #expect(SecKeyIsAlgorithmSupported(key, .sign, .rsaSignatureRaw))
        #expect(SecKeyIsAlgorithmSupported(half, .verify, .rsaSignatureRaw))
        #expect(!SecKeyIsAlgorithmSupported(half, .sign, .rsaSignatureRaw))
        let whole = Data([0]) + padded
        let ofDigest = SecKeyAlgorithm.rsaSignatureDigestPKCS1v15SHA256
        let signature = SecKeyCreateSignature(key, ofDigest, digest as CFData, nil)
        #expect(SecKeyCreateSignature(key, .rsaSignatureRaw, whole as CFData, nil) == signature)
        // Zeros are put before shorter bytes.
        #expect(SecKeyCreateSignature(key, .rsaSignatureRaw, padded as CFData, nil) == signature)
        let made = try #require(signature)
        func isValid(_ bytes: Data) -> Bool {
            SecKeyVerifySignature(half, .rsaSignatureRaw, bytes as CFData, made, nil)
        }
        #expect(isValid(padded))
        // As on Apple systems, where the zeros of the signature are left out before the comparison.
        #expect(!isValid(whole))
        #expect(!isValid(padded.dropLast()))
        // The public key shows what the signature holds.
        #expect(SecKeyIsAlgorithmSupported(half, .decrypt, .rsaEncryptionRaw))
        let shown = SecKeyCreateDecryptedData(half, .rsaEncryptionRaw, made, nil)
        #expect(shown as Data? == whole)
    }

    @Test
    func `raw encryption gives a block, and decryption the block with its zeros`() throws {
        let text = Data("a few bytes".utf8)
        #expect(SecKeyIsAlgorithmSupported(half, .encrypt, .rsaEncryptionRaw))
        #expect(SecKeyIsAlgorithmSupported(key, .decrypt, .rsaEncryptionRaw))
        #expect(!SecKeyIsAlgorithmSupported(key, .encrypt, .rsaEncryptionRaw))
        let sealed = SecKeyCreateEncryptedData(half, .rsaEncryptionRaw, text as CFData, nil)
        let box = try #require(sealed)
        #expect(box.length == 128)
        let again = SecKeyCreateEncryptedData(half, .rsaEncryptionRaw, text as CFData, nil)
        #expect(again == box)
        let opened = SecKeyCreateDecryptedData(key, .rsaEncryptionRaw, box, nil)
        #expect(opened as Data? == Data(count: 128 - text.count) + text)
        let none = SecKeyCreateEncryptedData(half, .rsaEncryptionRaw, Data() as CFData, nil)
        #expect(none as Data? == Data(count: 128))
    }

    @Test
    func `bytes that are no number below the modulus are refused`() throws {
        for bytes in [Data(count: 129), Data(repeating: 0xFF, count: 128)] {
            let bytes = bytes as CFData
            var error: Unmanaged<CFError>?
            #expect(unsafe SecKeyCreateSignature(key, .rsaSignatureRaw, bytes, &error) == nil)
            #expect(unsafe code(error) == Int(errSecParam))
            #expect(unsafe SecKeyCreateEncryptedData(half, .rsaEncryptionRaw, bytes, &error) == nil)
            #expect(unsafe code(error) == Int(errSecParam))
            #expect(unsafe SecKeyCreateDecryptedData(key, .rsaEncryptionRaw, bytes, &error) == nil)
            #expect(unsafe code(error) == Int(errSecParam))
            let one = Data([1]) as CFData
            #expect(
                unsafe !SecKeyVerifySignature(half, .rsaSignatureRaw, one, bytes, &error)
            )
            #expect(unsafe code(error) == Int(errSecParam))
        }
    }
}
