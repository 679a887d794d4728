// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import KSCertificates
public import Foundation
internal import KSPrivateKeys

/// Makes a key pair, and adds the halves that are permanent to the keychain.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType`, `kSecAttrKeySizeInBits`, and attributes of both halves.
///     `kSecPrivateKeyAttrs` and `kSecPublicKeyAttrs` hold the attributes of one half, such as
///     `kSecAttrIsPermanent`.
///   - error: where to put the error.
/// - Returns: the private key.
public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    do throws(KeyMakingError) {
        return try KeyPairRequest(parameters).make().privateKey
    } catch let failure {
        unsafe error.give(failure.status)
        return nil
    }
}

/// Makes a key pair as `SecKeyCreateRandomKey` does, and returns both halves.
///
/// - Parameters:
///   - parameters: as for `SecKeyCreateRandomKey`.
///   - publicKey: where to put the public key.
///   - privateKey: where to put the private key.
/// - Returns: `errSecSuccess`, `errSecParam`, or the status of adding a half to the keychain.
@discardableResult
public func SecKeyGeneratePair(
    _ parameters: CFDictionary,
    _ publicKey: UnsafeMutablePointer<SecKey?>?,
    _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
    do throws(KeyMakingError) {
        let pair = try KeyPairRequest(parameters).make()
        unsafe publicKey?.initialize(to: pair.publicKey)
        unsafe privateKey?.initialize(to: pair.privateKey)
        return errSecSuccess
    } catch {
        return error.status
    }
}

private struct KeyMakingError: Error {
    let status: OSStatus
}

/// The parameters of a new key pair.
private struct KeyPairRequest {
    private let parameters: [String: Any]
    private let kind: PrivateKey.Kind
    private let bits: Int

    /// Parameters of the pair, which are not attributes of an item.
    private static let ofPair = [
        kSecAttrKeyType, kSecAttrKeySizeInBits, kSecAttrKeyClass, kSecPrivateKeyAttrs,
        kSecPublicKeyAttrs, kSecUseAuthenticationContext, kSecClass,
    ].map { $0 as String }

    init(_ dictionary: CFDictionary) throws(KeyMakingError) {
        parameters = dictionary as? [String: Any] ?? [:]
        let type = parameters[kSecAttrKeyType as String]
        let size = parameters[kSecAttrKeySizeInBits as String]
        let letters = type as? String ?? (type as? Int).map { String($0) }
        guard let letters, let kind = PrivateKey.Kind(rawValue: letters),
            let bits = size as? Int ?? (size as? String).flatMap({ Int($0) })
        else { throw KeyMakingError(status: errSecParam) }
        // No Linux machine has an Enclave.
        guard parameters[kSecAttrTokenID as String] == nil else {
            throw KeyMakingError(status: errSecUnimplemented)
        }
        self.kind = kind
        self.bits = bits
    }

    func make() throws(KeyMakingError) -> (privateKey: SecKey, publicKey: SecKey) {
        let made: PrivateKey
        do throws(OpenSSLError) {
            made = try PrivateKey.generate(kind, bits: bits)
        } catch {
            throw KeyMakingError(status: error == .unsupported ? errSecParam : errSecInternal)
        }
        let privateAttributes = attributes(of: kSecPrivateKeyAttrs)
        let publicAttributes = attributes(of: kSecPublicKeyAttrs)
        let privateKey = SecKey(made, .privateKey, privateAttributes)
        let publicKey = SecKey(made, .publicKey, publicAttributes)
        try keep(privateKey, privateAttributes)
        try keep(publicKey, publicAttributes)
        return (privateKey, publicKey)
    }

    /// The attributes of one half: its own, and those of both halves that it does not override.
    private func attributes(of half: CFString) -> [String: Any] {
        let own = parameters[half as String] as? [String: Any] ?? [:]
        return parameters.filter { !Self.ofPair.contains($0.key) }
            .merging(own) { _, own in own }
    }

    private func keep(_ key: SecKey, _ attributes: [String: Any]) throws(KeyMakingError) {
        guard attributes[kSecAttrIsPermanent as String] as? Bool == true else { return }
        var query = attributes.filter { !Self.ofPair.contains($0.key) }
        query[kSecClass as String] = kSecClassKey
        query[kSecValueRef as String] = key
        let status = SecItemAdd(query as NSDictionary, nil)
        guard status == errSecSuccess else { throw KeyMakingError(status: status) }
    }
}

extension SecKey {
    /// One half of a pair, with the label and tag among its attributes.
    convenience init(_ made: PrivateKey, _ keyClass: KeyClass, _ attributes: [String: Any]) {
        let tag = attributes[kSecAttrApplicationTag as String]
        self.init(
            bytes: keyClass == .privateKey ? made.external : made.publicKey.external,
            keyClass: keyClass,
            type: made.kind.rawValue,
            bits: made.bits,
            applicationLabel: made.publicKeyHash,
            applicationTag: (tag as? Data).map { [UInt8]($0) }
                ?? (tag as? String).map { Array($0.utf8) },
            label: attributes[kSecAttrLabel as String] as? String
        )
    }
}
