// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import KSCertificates
public import Foundation
internal import KSPrivateKeys

/// What can be done with a key.
public enum SecKeyOperationType: CFIndex, Sendable {
    case sign = 0
    case verify
    case encrypt
    case decrypt
    case keyExchange
}

/// What else a key agreement takes.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, @unchecked Sendable {
    // Safety: the string never changes.
    /// Apple's string.
    public let rawValue: CFString

    /// The parameter of Apple's string.
    public init(rawValue: CFString) { self.rawValue = rawValue }

    /// How many bytes are wanted.
    public static let requestedSize = SecKeyKeyExchangeParameter(rawValue: "requestedSize")
    /// What else goes into the result.
    public static let sharedInfo = SecKeyKeyExchangeParameter(rawValue: "sharedInfo")
}

/// Whether a key can do something by an algorithm.
///
/// - Parameters:
///   - key: the key.
///   - operation: what is to be done.
///   - algorithm: by what.
/// - Returns: whether the function for it would go to work.
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
        let isOfRSA = scheme.form == .pkcs1 || scheme.form == .pss
        return (isOfRSA ? isRSA : isCurve) && (isPrivate || operation == .verify)
    case .encrypt, .decrypt:
        guard algorithm.encryption != nil, isRSA else { return false }
        return key.keyClass == (operation == .encrypt ? .publicKey : .privateKey)
    case .keyExchange:
        return algorithm.exchange != nil && isPrivate
            && (isCurve || key.type == PrivateKey.Kind.x25519.rawValue)
    }
}

/// Signs a message or a digest.
///
/// - Parameters:
///   - key: a private key.
///   - algorithm: how, and of what.
///   - dataToSign: the message or the digest.
///   - error: where to put why not.
/// - Returns: the signature.
public func SecKeyCreateSignature(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe error.result { () throws(OpenSSLError) in
        guard let scheme = algorithm.signature else { throw .unsupported }
        return try key.privateKey().sign([UInt8](dataToSign as Data), scheme)
    }
}

/// Checks a signature.
///
/// - Parameters:
///   - key: the public key to the one that signed.
///   - algorithm: how it signed, and what.
///   - signedData: the message or the digest.
///   - signature: what is to be checked.
///   - error: where to put why not: `errSecVerifyFailed` when the signature is of something else.
/// - Returns: whether the signature is right.
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
            [UInt8](signature as Data),
            of: [UInt8](signedData as Data),
            scheme
        )
    } catch _ {
        unsafe error.give(errSecParam)
        return false
    }
    if !isValid { unsafe error.give(errSecVerifyFailed) }
    return isValid
}

/// Encrypts a few bytes for the owner of a key.
///
/// - Parameters:
///   - key: a public key.
///   - algorithm: how.
///   - plaintext: the bytes.
///   - error: where to put why not.
/// - Returns: what only the private key opens.
public func SecKeyCreateEncryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ plaintext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe error.result { () throws(OpenSSLError) in
        guard let padding = algorithm.encryption, key.keyClass == .publicKey else {
            throw .unsupported
        }
        return try key.publicInfo().encrypt([UInt8](plaintext as Data), padding)
    }
}

/// Opens what was encrypted for a key.
///
/// - Parameters:
///   - key: a private key.
///   - algorithm: how it was encrypted.
///   - ciphertext: what was encrypted.
///   - error: where to put why not.
/// - Returns: the bytes.
public func SecKeyCreateDecryptedData(
    _ key: SecKey,
    _ algorithm: SecKeyAlgorithm,
    _ ciphertext: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe error.result { () throws(OpenSSLError) in
        guard let padding = algorithm.encryption else { throw .unsupported }
        return try key.privateKey().decrypt([UInt8](ciphertext as Data), padding)
    }
}

/// What this key and another one's public half agree on.
///
/// - Parameters:
///   - privateKey: one's own key.
///   - algorithm: how, and by which key derivation, if any.
///   - publicKey: the other's.
///   - parameters: for a key derivation, the size of its result and what else goes into it.
///   - error: where to put why not.
/// - Returns: the bytes, the same as at the other end.
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

    /// The public half, of either half.
    func publicInfo() throws(OpenSSLError) -> PublicKeyInfo {
        switch keyClass {
        case .publicKey: PublicKeyInfo(type: type, bits: bits, external: bytes)
        case .privateKey: try privateKey().publicKey
        case .symmetric: throw .unsupported
        }
    }
}

extension DigestKind {
    /// X9.63's function: digests of the secret, a counter from 1 on, and the information.
    fileprivate func derived(
        _ secret: [UInt8],
        to count: Int,
        sharedInfo: [UInt8]
    ) throws(OpenSSLError) -> [UInt8] {
        var bytes: [UInt8] = []
        var counter: UInt32 = 1
        while bytes.count < count {
            let number = (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) }
            bytes += try hash(secret + number + sharedInfo)
            counter += 1
        }
        return Array(bytes.prefix(count))
    }
}

extension Optional where Wrapped == UnsafeMutablePointer<Unmanaged<CFError>?> {
    /// The bytes, or nil and the error.
    fileprivate func result(
        _ body: () throws(OpenSSLError) -> [UInt8]
    ) -> CFData? {
        do throws(OpenSSLError) {
            return Data(try body()) as NSData
        } catch {
            unsafe give(errSecParam)
            return nil
        }
    }
}
