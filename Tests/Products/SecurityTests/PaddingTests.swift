import Foundation
import Security
import Testing

/// The older functions do the same as those with an algorithm, into the caller's memory.
struct PaddingTests {
    private static func pair(_ type: CFString, _ bits: Int) throws -> (SecKey, SecKey) {
        var publicKey: SecKey?
        var privateKey: SecKey?
        let parameters = [kSecAttrKeyType: type, kSecAttrKeySizeInBits: bits] as [CFString: Any]
        let status = unsafe SecKeyGeneratePair(
            parameters as CFDictionary,
            &publicKey,
            &privateKey
        )
        try #require(status == errSecSuccess)
        return (try #require(publicKey), try #require(privateKey))
    }

    private struct Case: Sendable {
        let padding: SecPadding
        let byteCount: Int
        let algorithm: SecKeyAlgorithm
    }

    private static let ofRSA: [Case] = [
        Case(padding: [], byteCount: 24, algorithm: .rsaSignatureRaw),
        Case(padding: .PKCS1, byteCount: 24, algorithm: .rsaSignatureDigestPKCS1v15Raw),
        Case(padding: .PKCS1SHA1, byteCount: 20, algorithm: .rsaSignatureDigestPKCS1v15SHA1),
        Case(padding: .PKCS1SHA224, byteCount: 28, algorithm: .rsaSignatureDigestPKCS1v15SHA224),
        Case(padding: .PKCS1SHA256, byteCount: 32, algorithm: .rsaSignatureDigestPKCS1v15SHA256),
        Case(padding: .PKCS1SHA384, byteCount: 48, algorithm: .rsaSignatureDigestPKCS1v15SHA384),
        Case(padding: .PKCS1SHA512, byteCount: 64, algorithm: .rsaSignatureDigestPKCS1v15SHA512),
    ]

    private static let ofCurves: [Case] = [
        Case(padding: .PKCS1, byteCount: 32, algorithm: .ecdsaSignatureDigestX962),
        Case(padding: [], byteCount: 32, algorithm: .ecdsaSignatureDigestX962),
        Case(padding: .sigRaw, byteCount: 32, algorithm: .ecdsaSignatureRFC4754),
    ]

    @Test
    func `each padding has its signature algorithm`() throws {
        let (publicKey, privateKey) = try Self.pair(kSecAttrKeyTypeRSA, 2048)
        for entry in Self.ofRSA { try check(entry, publicKey, privateKey) }
        let curve = try Self.pair(kSecAttrKeyTypeECSECPrimeRandom, 256)
        for entry in Self.ofCurves { try check(entry, curve.0, curve.1) }
    }

    private func check(_ entry: Case, _ publicKey: SecKey, _ privateKey: SecKey) throws {
        let digest = [UInt8](repeating: 0x5A, count: entry.byteCount)
        var signature = [UInt8](repeating: 0, count: 512)
        var count = signature.count
        let status = unsafe SecKeyRawSign(
            privateKey,
            entry.padding,
            digest,
            digest.count,
            &signature,
            &count
        )
        try #require(status == errSecSuccess, "\(entry)")
        signature = Array(signature.prefix(count))
        let isRight = SecKeyVerifySignature(
            publicKey,
            entry.algorithm,
            Data(digest) as CFData,
            Data(signature) as CFData,
            nil
        )
        #expect(isRight, "\(entry)")
        let verified = unsafe SecKeyRawVerify(
            publicKey,
            entry.padding,
            digest,
            digest.count,
            signature,
            count
        )
        #expect(verified == errSecSuccess, "\(entry)")
        var other = digest
        other[0] ^= 1
        let refused = unsafe SecKeyRawVerify(
            publicKey,
            entry.padding,
            other,
            other.count,
            signature,
            count
        )
        #expect(refused == errSSLCrypto, "\(entry)")
        var little = count - 1
        let short = unsafe SecKeyRawSign(
            privateKey,
            entry.padding,
            digest,
            digest.count,
            &signature,
            &little
        )
        // A DER signature of a curve has no fixed length: it may fit.
        #expect(short == errSecParam || entry.algorithm == .ecdsaSignatureDigestX962, "\(entry)")
    }

    @Test(arguments: [SecPadding.PKCS1, .OAEP, []])
    func `encryption into memory can be decrypted`(padding: SecPadding) throws {
        let (publicKey, privateKey) = try Self.pair(kSecAttrKeyTypeRSA, 2048)
        let text = Array("a few bytes".utf8)
        var sealed = [UInt8](repeating: 0, count: SecKeyGetBlockSize(publicKey))
        var count = sealed.count
        let status = unsafe SecKeyEncrypt(
            publicKey,
            padding,
            text,
            text.count,
            &sealed,
            &count
        )
        try #require(status == errSecSuccess)
        #expect(count == 256)
        var opened = [UInt8](repeating: 0, count: 256)
        var openedCount = opened.count
        let openedStatus = unsafe SecKeyDecrypt(
            privateKey,
            padding,
            sealed,
            count,
            &opened,
            &openedCount
        )
        #expect(openedStatus == errSecSuccess)
        #expect(Array(opened.prefix(openedCount)) == text)
        var little = text.count - 1
        let short = unsafe SecKeyDecrypt(
            privateKey,
            padding,
            sealed,
            count,
            &opened,
            &little
        )
        #expect(short == errSecParam)
    }

    @Test
    func `an unknown padding is refused`() throws {
        let (publicKey, privateKey) = try Self.pair(kSecAttrKeyTypeRSA, 2048)
        var memory = [UInt8](repeating: 0, count: 256)
        var count = memory.count
        let sealed = unsafe SecKeyEncrypt(publicKey, .sigRaw, [1], 1, &memory, &count)
        #expect(sealed == errSecParam)
        let signed = unsafe SecKeyRawSign(privateKey, .OAEP, [1], 1, &memory, &count)
        #expect(signed == errSecParam)
        #expect(count == 256)
    }
}
