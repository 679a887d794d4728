// swift-format-ignore-file: AlwaysUseLowerCamelCase
internal import KSCertificates
public import Foundation
internal import KSPrivateKeys

/// Reads the identities of a PKCS #12 file; nothing is added to the keychain.
///
/// - Parameters:
///   - pkcs12_data: the file.
///   - options: `kSecImportExportPassphrase`.
///   - items: where to put an array with a dictionary for each identity: `kSecImportItemIdentity`,
///     `kSecImportItemLabel`, `kSecImportItemKeyID` and `kSecImportItemCertChain`, the identity's
///     own certificate first.
/// - Returns: `errSecSuccess`, `errSecAuthFailed` for a wrong passphrase, `errSecDecode` if the
///   data is not such a file, or `errSecParam` without a passphrase.
@discardableResult
public func SecPKCS12Import(
    _ pkcs12_data: CFData,
    _ options: CFDictionary,
    _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    guard let passphrase = options[kSecImportExportPassphrase] as? String else {
        return errSecParam
    }
    let bundle: KeyBundle
    do throws(OpenSSLError) {
        bundle = try KeyBundle(pkcs12: pkcs12_data.copiedBytes, passphrase: Array(passphrase.utf8))
    } catch {
        return error == .wrongPassphrase ? errSecAuthFailed : errSecDecode
    }
    unsafe items.initialize(to: bundle.keys.compactMap { bundle.entry(of: $0) } as NSArray)
    return errSecSuccess
}

extension KeyBundle {
    /// The entry for the identity of a key; nil for a key without a certificate.
    fileprivate func entry(of key: PrivateKey) -> NSDictionary? {
        guard let own = certificates.first(where: { $0.publicKeyHash == key.publicKeyHash }),
            let certificate = SecCertificate(der: own.der)
        else { return nil }
        let identity = SecIdentity(certificate: certificate, key: SecKey(key, .privateKey, [:]))
        let chain = chain(from: own).compactMap { SecCertificate(der: $0.der) }
        return [
            kSecImportItemIdentity: identity,
            kSecImportItemLabel: own.summary,
            kSecImportItemKeyID: Data(key.publicKeyHash),
            kSecImportItemCertChain: chain,
        ]
    }

    /// The certificate and its issuers, as far as the file has them.
    private func chain(from certificate: ParsedCertificate) -> [ParsedCertificate] {
        var chain = [certificate]
        while let last = chain.last, last.issuer != last.subject,
            let issuer = certificates.first(where: { $0.subject == last.issuer }),
            !chain.contains(issuer)
        {
            chain.append(issuer)
        }
        return chain
    }
}
