// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import KSAgent
internal import KSCertificates
public import Foundation

/// A certificate.
public final class SecCertificate: NSObject, KeychainObject, @unchecked Sendable {
    // Safety: it has only constants.
    static let referenceKind = "cert"

    let parsed: ParsedCertificate

    init?(der: [UInt8]) {
        // The reason is lost, since Apple's function gives none.
        guard let parsed = try? ParsedCertificate(der: der) else { return nil }
        self.parsed = parsed
    }

    convenience init?(_ reference: AgentDictionary) {
        guard let der = reference["certificate"]?.data else { return nil }
        self.init(der: der)
    }

    var reference: AgentDictionary {
        [AgentValue.referenceKey: .string(Self.referenceKind), "certificate": .data(parsed.der)]
    }

    /// Whether another object is the same certificate.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecCertificate)?.parsed.der == parsed.der
    }

    /// Equal for equal certificates.
    public override var hash: Int { parsed.der.hashValue }

    /// The class and the summary of the subject.
    public override var description: String { "<SecCertificate \(parsed.summary)>" }
}

/// Reads a certificate in DER.
///
/// - Parameters:
///   - allocator: nil or `kCFAllocatorDefault`.
///   - data: the certificate.
/// - Returns: the certificate; nil if the data is not one.
public func SecCertificateCreateWithData(
    _ allocator: CFAllocator?,
    _ data: CFData
) -> SecCertificate? {
    SecCertificate(der: data.copiedBytes)
}

/// The certificate in DER.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    Data(certificate.parsed.der) as NSData
}

/// The summary of the certificate's subject; nil if that is empty.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    let summary = certificate.parsed.summary
    return summary.isEmpty ? nil : summary as NSString
}

/// The common name in a certificate's subject, the last of several.
///
/// - Parameters:
///   - certificate: the certificate.
///   - commonName: where to put the name.
/// - Returns: `errSecSuccess`; `errSecInternal` if there is no common name.
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate,
    _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    guard let name = certificate.parsed.commonName else { return errSecInternal }
    unsafe commonName.initialize(to: name as NSString)
    return errSecSuccess
}

/// The subject in DER, unchanged from the certificate.
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    Data(certificate.parsed.subject) as NSData
}

/// The issuer in DER, unchanged from the certificate.
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    Data(certificate.parsed.issuer) as NSData
}

/// The date from which the certificate is valid.
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
    NSDate(timeIntervalSince1970: TimeInterval(certificate.parsed.notBefore))
}

/// The date until which the certificate is valid.
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
    NSDate(timeIntervalSince1970: TimeInterval(certificate.parsed.notAfter))
}

/// The certificate's public key; nil if its algorithm is not supported.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    certificate.parsed.publicKey.map { SecKey($0) }
}

/// The certificate's public key: the older name of `SecCertificateCopyKey`.
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate) -> SecKey? {
    SecCertificateCopyKey(certificate)
}

/// The bytes of the serial number, the most significant first.
///
/// - Parameters:
///   - certificate: the certificate.
///   - error: never used.
/// - Returns: the bytes.
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    Data(certificate.parsed.serialNumber) as NSData
}

/// The e-mail addresses in a certificate.
///
/// - Parameters:
///   - certificate: the certificate.
///   - addresses: where to put the addresses.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecCertificateCopyEmailAddresses(
    _ certificate: SecCertificate,
    _ addresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    unsafe addresses.initialize(to: certificate.parsed.emailAddresses as NSArray)
    return errSecSuccess
}

/// The type identifier of certificates.
public func SecCertificateGetTypeID() -> CFTypeID { ObjectType.certificate }
