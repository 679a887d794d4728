// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import KSAgent
internal import KSCertificates
public import Foundation

/// A certificate together with its private key.
public final class SecIdentity: NSObject, KeychainObject, @unchecked Sendable {
    // Safety: it has only constants.
    static let referenceKind = "idnt"

    let certificate: SecCertificate
    let key: SecKey

    init(certificate: SecCertificate, key: SecKey) {
        self.certificate = certificate
        self.key = key
    }

    convenience init?(_ reference: AgentDictionary) {
        guard let certificate = SecCertificate(reference), let key = SecKey(reference) else {
            return nil
        }
        self.init(certificate: certificate, key: key)
    }

    var reference: AgentDictionary {
        var reference = key.reference
        for entry in certificate.reference.entries { reference[entry.key] = entry.value }
        reference[AgentValue.referenceKey] = .string(Self.referenceKind)
        return reference
    }

    /// Whether another object is the same identity.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecIdentity else { return false }
        return certificate.isEqual(other.certificate) && key.isEqual(other.key)
    }

    /// Equal for equal identities.
    public override var hash: Int { certificate.hash ^ key.hash }

    /// The summary of its certificate's subject.
    public override var description: String { "<SecIdentity \(certificate.parsed.summary)>" }
}

/// Makes an identity from a certificate and its private key, which need not be in the keychain.
///
/// It does not check that the key belongs to the certificate, as on Apple systems.
///
/// - Parameters:
///   - allocator: nil or `kCFAllocatorDefault`.
///   - certificate: the certificate.
///   - privateKey: its private key.
/// - Returns: the identity; nil if the key is not private.
public func SecIdentityCreate(
    _ allocator: CFAllocator?,
    _ certificate: SecCertificate,
    _ privateKey: SecKey
) -> SecIdentity? {
    guard privateKey.keyClass == .privateKey else { return nil }
    return SecIdentity(certificate: certificate, key: privateKey)
}

/// Finds the private key of a certificate in the keychain.
///
/// - Parameters:
///   - keychainOrArray: nil.
///   - certificateRef: the certificate, which need not be in the keychain.
///   - identityRef: where to put the identity.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, or the status of the search.
@discardableResult
public func SecIdentityCreateWithCertificate(
    _ keychainOrArray: CFTypeRef?,
    _ certificateRef: SecCertificate,
    _ identityRef: UnsafeMutablePointer<SecIdentity?>
) -> OSStatus {
    let query: [CFString: Any] = [
        kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
        kSecAttrApplicationLabel: Data(certificateRef.parsed.publicKeyHash),
        kSecAttrSynchronizable: kSecAttrSynchronizableAny, kSecReturnRef: true,
    ]
    var result: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query as NSDictionary, &result)
    guard status == errSecSuccess else { return status }
    guard let key = result as? SecKey else { return errSecInternal }
    unsafe identityRef.initialize(to: SecIdentity(certificate: certificateRef, key: key))
    return errSecSuccess
}

/// An identity's certificate.
///
/// - Parameters:
///   - identityRef: the identity.
///   - certificateRef: where to put the certificate.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecIdentityCopyCertificate(
    _ identityRef: SecIdentity,
    _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    unsafe certificateRef.initialize(to: identityRef.certificate)
    return errSecSuccess
}

/// An identity's private key.
///
/// - Parameters:
///   - identityRef: the identity.
///   - privateKeyRef: where to put the key.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecIdentityCopyPrivateKey(
    _ identityRef: SecIdentity,
    _ privateKeyRef: UnsafeMutablePointer<SecKey?>
) -> OSStatus {
    unsafe privateKeyRef.initialize(to: identityRef.key)
    return errSecSuccess
}

/// The type identifier of identities.
public func SecIdentityGetTypeID() -> CFTypeID { ObjectType.identity }
