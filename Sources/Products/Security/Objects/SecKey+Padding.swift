// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import Foundation

// The older functions, which fill the caller's memory. They do the same as those that take an
// algorithm.

/// How bytes are padded before RSA signs or encrypts them.
public struct SecPadding: OptionSet, Sendable {
    /// Apple's number.
    public let rawValue: UInt32

    /// The padding of Apple's number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// PKCS #1 v1.5; a signature does not name the digest then.
    public static let PKCS1 = SecPadding(rawValue: 1)
    /// OAEP with SHA-1.
    public static let OAEP = SecPadding(rawValue: 2)
    /// The two numbers of a curve's signature one after the other, instead of in DER.
    public static let sigRaw = SecPadding(rawValue: 0x4000)
    /// PKCS #1 v1.5 of an MD2 digest, which no key signs, as on Apple systems.
    public static let PKCS1MD2 = SecPadding(rawValue: 0x8000)
    /// PKCS #1 v1.5 of an MD5 digest, which no key signs, as on Apple systems.
    public static let PKCS1MD5 = SecPadding(rawValue: 0x8001)
    /// PKCS #1 v1.5 of a SHA-1 digest.
    public static let PKCS1SHA1 = SecPadding(rawValue: 0x8002)
    /// PKCS #1 v1.5 of a SHA-224 digest.
    public static let PKCS1SHA224 = SecPadding(rawValue: 0x8003)
    /// PKCS #1 v1.5 of a SHA-256 digest.
    public static let PKCS1SHA256 = SecPadding(rawValue: 0x8004)
    /// PKCS #1 v1.5 of a SHA-384 digest.
    public static let PKCS1SHA384 = SecPadding(rawValue: 0x8005)
    /// PKCS #1 v1.5 of a SHA-512 digest.
    public static let PKCS1SHA512 = SecPadding(rawValue: 0x8006)

    fileprivate func signature(of key: SecKey) -> SecKeyAlgorithm? {
        guard key.type == kSecAttrKeyTypeRSA as String else {
            return self == .sigRaw ? .ecdsaSignatureRFC4754 : .ecdsaSignatureDigestX962
        }
        return switch self {
        case []: .rsaSignatureRaw
        case .PKCS1: .rsaSignatureDigestPKCS1v15Raw
        case .PKCS1SHA1: .rsaSignatureDigestPKCS1v15SHA1
        case .PKCS1SHA224: .rsaSignatureDigestPKCS1v15SHA224
        case .PKCS1SHA256: .rsaSignatureDigestPKCS1v15SHA256
        case .PKCS1SHA384: .rsaSignatureDigestPKCS1v15SHA384
        case .PKCS1SHA512: .rsaSignatureDigestPKCS1v15SHA512
        default: nil
        }
    }

    fileprivate var encryption: SecKeyAlgorithm? {
        switch self {
        case []: .rsaEncryptionRaw
        case .PKCS1: .rsaEncryptionPKCS1
        case .OAEP: .rsaEncryptionOAEPSHA1
        default: nil
        }
    }
}

/// Signs a digest.
///
/// - Parameters:
///   - key: a private key.
///   - padding: the kind of digest; a curve takes any.
///   - dataToSign: the digest.
///   - dataToSignLen: its length.
///   - sig: where to put the signature.
///   - sigLen: the space there; afterwards the length of the signature.
/// - Returns: `errSecSuccess`, or `errSecParam`.
@discardableResult
public func SecKeyRawSign(
    _ key: SecKey,
    _ padding: SecPadding,
    _ dataToSign: UnsafePointer<UInt8>,
    _ dataToSignLen: Int,
    _ sig: UnsafeMutablePointer<UInt8>,
    _ sigLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    guard let algorithm = padding.signature(of: key) else { return errSecParam }
    let data = unsafe NSData(bytes: dataToSign, length: dataToSignLen)
    return unsafe put(SecKeyCreateSignature(key, algorithm, data, nil), into: sig, sigLen)
}

/// Checks a signature of a digest.
///
/// - Parameters:
///   - key: the public key of the key that signed.
///   - padding: the kind of digest; a curve takes any.
///   - signedData: the digest.
///   - signedDataLen: its length.
///   - sig: the signature.
///   - sigLen: its length.
/// - Returns: `errSecSuccess`; `errSSLCrypto` if the signature is not valid, where Apple's newer
///   functions give `errSecVerifyFailed`.
public func SecKeyRawVerify(
    _ key: SecKey,
    _ padding: SecPadding,
    _ signedData: UnsafePointer<UInt8>,
    _ signedDataLen: Int,
    _ sig: UnsafePointer<UInt8>,
    _ sigLen: Int
) -> OSStatus {
    guard let algorithm = padding.signature(of: key) else { return errSecParam }
    let data = unsafe NSData(bytes: signedData, length: signedDataLen)
    let signature = unsafe NSData(bytes: sig, length: sigLen)
    var error: Unmanaged<CFError>?
    if unsafe SecKeyVerifySignature(key, algorithm, data, signature, &error) {
        return errSecSuccess
    }
    let code = unsafe error?.takeRetainedValue().code
    let status = code.map { OSStatus(truncatingIfNeeded: $0) } ?? errSecVerifyFailed
    return status == errSecVerifyFailed ? errSSLCrypto : status
}

/// Encrypts a few bytes for the owner of a key.
///
/// - Parameters:
///   - key: a public key.
///   - padding: `.PKCS1`, `.OAEP` or none.
///   - plainText: the bytes.
///   - plainTextLen: their number.
///   - cipherText: where to put the ciphertext, which only the private key decrypts.
///   - cipherTextLen: the space there; afterwards the length of the ciphertext.
/// - Returns: `errSecSuccess`, or `errSecParam`.
@discardableResult
public func SecKeyEncrypt(
    _ key: SecKey,
    _ padding: SecPadding,
    _ plainText: UnsafePointer<UInt8>,
    _ plainTextLen: Int,
    _ cipherText: UnsafeMutablePointer<UInt8>,
    _ cipherTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    guard let algorithm = padding.encryption else { return errSecParam }
    let data = unsafe NSData(bytes: plainText, length: plainTextLen)
    let sealed = SecKeyCreateEncryptedData(key, algorithm, data, nil)
    return unsafe put(sealed, into: cipherText, cipherTextLen)
}

/// Decrypts what was encrypted for a key.
///
/// - Parameters:
///   - key: a private key.
///   - padding: the padding that it was encrypted with; if none, zeros before the bytes are left
///     out.
///   - cipherText: the ciphertext.
///   - cipherTextLen: its length.
///   - plainText: where to put the bytes.
///   - plainTextLen: the space there; afterwards the number of bytes.
/// - Returns: `errSecSuccess`, or `errSecParam`.
@discardableResult
public func SecKeyDecrypt(
    _ key: SecKey,
    _ padding: SecPadding,
    _ cipherText: UnsafePointer<UInt8>,
    _ cipherTextLen: Int,
    _ plainText: UnsafeMutablePointer<UInt8>,
    _ plainTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    guard let algorithm = padding.encryption else { return errSecParam }
    let data = unsafe NSData(bytes: cipherText, length: cipherTextLen)
    var opened = SecKeyCreateDecryptedData(key, algorithm, data, nil)
    if padding == [] { opened = opened.map { Data(($0 as Data).drop { $0 == 0 }) as NSData } }
    return unsafe put(opened, into: plainText, plainTextLen)
}

/// Copies a result into the caller's memory, if it fits.
private func put(
    _ result: CFData?,
    into memory: UnsafeMutablePointer<UInt8>,
    _ count: UnsafeMutablePointer<Int>
) -> OSStatus {
    guard let result, unsafe result.length <= count.pointee else { return errSecParam }
    unsafe result.getBytes(memory, length: result.length)
    unsafe count.pointee = result.length
    return errSecSuccess
}
