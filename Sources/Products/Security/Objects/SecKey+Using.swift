// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import KSCertificates
public import Foundation
internal import KSPrivateKeys

/// An operation with a key.
public enum SecKeyOperationType: CFIndex, Sendable {
    case sign = 0
    case verify
    case encrypt
    case decrypt
    case keyExchange
}

/// A further input of a key agreement.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, @unchecked Sendable {
    // Safety: the string never changes.
    /// Apple's string.
    public let rawValue: CFString

    /// The parameter of Apple's string.
    public init(rawValue: CFString) { self.rawValue = rawValue }

    /// The number of bytes of the result.
    public static let requestedSize = SecKeyKeyExchangeParameter(rawValue: "requestedSize")
    /// Further bytes that the key derivation takes.
    public static let sharedInfo = SecKeyKeyExchangeParameter(rawValue: "sharedInfo")
}

/// Whether a key supports an operation by an algorithm.
///
/// - Parameters:
///   - key: the key.
///   - operation: the operation.
///   - algorithm: the algorithm.
/// - Returns: whether the function for the operation accepts the key and the algorithm.
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey,
    _ operation: SecKeyOperationType,
    _ algorithm: SecKeyAlgorithm
) -> Bool {
    let isRSA = key.type == PrivateKey.Kind.rsa.rawValue
    let isCurve = key.type == PrivateKey.Kind.ellipticCurve.rawValue
    let isPrivate = key.keyClass == .privateKey
    switch operation {
    case .sign, .verify:
        guard let scheme = algorithm.signature, key.keyClass != .symmetric else { return false }
        return (scheme.form.isOfRSA ? isRSA : isCurve) && (isPrivate || operation == .verify)
    case .encrypt, .decrypt:
        guard let scheme = algorithm.encryption, scheme.isOfRSA ? isRSA : isCurve else {
            return false
        }
        let isOpening = operation == .decrypt
        return key.keyClass == (isOpening ? .privateKey : .publicKey)
            || isOpening && key.opensSignature(scheme)
    case .keyExchange:
        return algorithm.exchange != nil && isPrivate
            && (isCurve || key.type == PrivateKey.Kind.x25519.rawValue)
    }
}

/// Signs a message or a digest.
///
/// - Parameters:
///   - key: a private key.
///   - algorithm: the algorithm, which says whether a message or a digest is given.
///   - dataToSign: the message or the digest.
///   - error: where to put the error.
/// - Returns: the signature.
public func SecKeyCreateSignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe error.result { () throws(OpenSSLError) in
        guard let scheme = algorithm.signature else { throw .unsupported }
        return try key.privateKey().sign(dataToSign.copiedBytes, scheme)
    }
}

/// Checks a signature.
///
/// - Parameters:
///   - key: the public key of the key that signed.
///   - algorithm: the algorithm that it signed by.
///   - signedData: the message or the digest.
///   - signature: the signature to check.
///   - error: where to put the error: `errSecVerifyFailed` if the signature is not valid.
/// - Returns: whether the signature is valid.
public func SecKeyVerifySignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ signedData: CFData,
    _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    let isValid: Bool
    do throws(OpenSSLError) {
        guard let scheme = algorithm.signature else { throw .unsupported }
        isValid = try key.publicInfo().isValid(
            signature.copiedBytes,
            of: signedData.copiedBytes,
            scheme
        )
    } catch _ {
        unsafe error.give(errSecParam)
        return false
    }
    if !isValid { unsafe error.give(errSecVerifyFailed) }
    return isValid
}

/// Encrypts bytes for the owner of a key.
///
/// - Parameters:
///   - key: a public key.
///   - algorithm: the algorithm; those with AES-GCM take any number of bytes, the others a few.
///   - plaintext: the bytes.
///   - error: where to put the error.
/// - Returns: the ciphertext, which only the private key decrypts.
public func SecKeyCreateEncryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ plaintext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe error.result { () throws(OpenSSLError) in
        guard let scheme = algorithm.encryption, key.keyClass == .publicKey else {
            throw .unsupported
        }
        return try key.publicInfo().encrypt(plaintext.copiedBytes, scheme)
    }
}

/// Decrypts what was encrypted for a key.
///
/// - Parameters:
///   - key: a private key; for raw RSA also the public one, which shows what a signature holds.
///   - algorithm: the algorithm that it was encrypted by.
///   - ciphertext: the ciphertext.
///   - error: where to put the error.
/// - Returns: the bytes.
public func SecKeyCreateDecryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ ciphertext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe error.result { () throws(OpenSSLError) in
        guard let scheme = algorithm.encryption else { throw .unsupported }
        if key.opensSignature(scheme) {
            return try key.publicInfo().encrypt(ciphertext.copiedBytes, scheme)
        }
        return try key.privateKey().decrypt(ciphertext.copiedBytes, scheme)
    }
}

/// The secret that a private key shares with the public key of another pair.
///
/// - Parameters:
///   - privateKey: the caller's key.
///   - algorithm: the key agreement, with a key derivation if there is one.
///   - publicKey: the other side's key.
///   - parameters: the size of the key derivation's result, and further bytes that it takes.
///   - error: where to put the error.
/// - Returns: the bytes, which both sides get alike.
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ publicKey: SecKey,
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe error.result { () throws(OpenSSLError) in
        guard let exchange = algorithm.exchange else { throw .unsupported }
        let secret = try privateKey.privateKey().sharedSecret(with: publicKey.publicInfo())
        guard let digest = exchange.digest else { return secret }
        let size = parameters[SecKeyKeyExchangeParameter.requestedSize.rawValue] as? Int
        let info = parameters[SecKeyKeyExchangeParameter.sharedInfo.rawValue] as? Data
        guard let size, (1...65_536).contains(size) else { throw .unsupported }
        return try digest.derived(secret, to: size, sharedInfo: [UInt8](info ?? Data()))
    }
}

extension SecKey {
    func privateKey() throws(OpenSSLError) -> PrivateKey {
        guard keyClass == .privateKey, let kind = PrivateKey.Kind(rawValue: type) else {
            throw .unsupported
        }
        return try PrivateKey(external: bytes, kind: kind)
    }

    /// Whether the key shows the bytes of a raw signature, which takes the public key.
    fileprivate func opensSignature(_ scheme: EncryptionScheme) -> Bool {
        keyClass == .publicKey && scheme == .rsa(.zeros)
    }

    /// The public half of a pair, from either half.
    func publicInfo() throws(OpenSSLError) -> PublicKeyInfo {
        switch keyClass {
        case .publicKey: PublicKeyInfo(type: type, bits: bits, external: bytes)
        case .privateKey: try privateKey().publicKey
        case .symmetric: throw .unsupported
        }
    }
}

extension Optional where Wrapped == UnsafeMutablePointer<Unmanaged<CFError>?> {
    /// Returns the bytes, or nil after it has handed out the error.
    fileprivate func result(_ body: () throws(OpenSSLError) -> [UInt8]) -> CFData? {
        do throws(OpenSSLError) {
            return Data(try body()) as NSData
        } catch {
            unsafe give(errSecParam)
            return nil
        }
    }
}
