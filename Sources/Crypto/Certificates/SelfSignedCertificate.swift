internal import KSCOpenSSL

/// A server's self-signed certificate, for servers without an authority.
///
/// The key is P-256, which every TLS library of clients and servers accepts; clients trust it by
/// its ``CertificatePin``.
package enum SelfSignedCertificate {
    /// The longest time that all clients accept for one certificate.
    package static let validDaysMax = 825
    /// How far a client's clock may be behind the server's for a new certificate.
    private static let clockLagSecondsMax = 3_600
    /// Below 160 bits, which RFC 5280 §4.1.2.2 allows, with enough of them random to be unique.
    private static let serialBits: Int32 = 127

    /// Makes a new key and a certificate for it.
    ///
    /// - Parameters:
    ///   - hostNames: the server's DNS names; the first one is the common name too.
    ///   - addresses: the server's IPv4 and IPv6 addresses.
    ///   - validDays: 1 to ``validDaysMax``.
    ///   - seconds: now, in seconds since 1970-01-01 00:00 UTC.
    /// - Returns: the certificate, and its private key as PKCS #8, not encrypted.
    /// - Throws: ``OpenSSLError`` when a name or the time is refused.
    package static func make(
        hostNames: [String],
        addresses: [String],
        validDays: Int,
        now seconds: UInt64
    ) throws(OpenSSLError) -> (certificatePEM: String, keyPEM: String) {
        guard let generated = unsafe keychain_sync_generate_p256() else { throw .newest() }
        let key = unsafe KeyHandle(taking: generated)
        let certificate = try certificate(
            key,
            hostNames: hostNames,
            addresses: addresses,
            validDays: validDays,
            now: seconds
        )
        return (certificate, try makeKeyPEM(key))
    }

    /// Makes a key alone, as PKCS #8, not encrypted.
    package static func makeKey() throws(OpenSSLError) -> String {
        guard let generated = unsafe keychain_sync_generate_p256() else { throw .newest() }
        return try makeKeyPEM(unsafe KeyHandle(taking: generated))
    }

    /// Makes another certificate for a key, whose pin stays the same.
    ///
    /// The parameters are those of ``make(hostNames:addresses:validDays:now:)``.
    /// - Throws: ``OpenSSLError/malformed`` if the text holds no private key without a passphrase;
    ///   else as `make` does.
    package static func renew(
        keyPEM: String,
        hostNames: [String],
        addresses: [String],
        validDays: Int,
        now seconds: UInt64
    ) throws(OpenSSLError) -> String {
        try certificate(
            KeyHandle(unencryptedPEM: keyPEM),
            hostNames: hostNames,
            addresses: addresses,
            validDays: validDays,
            now: seconds
        )
    }

    /// Whether the text's first certificate is signed by its own key.
    ///
    /// - Throws: ``OpenSSLError/malformed`` if the text holds no certificate.
    package static func isSelfSigned(certificatePEM: String) throws(OpenSSLError) -> Bool {
        let certificate = try CertificateHandle(pem: certificatePEM)
        defer { ERR_clear_error() }
        return unsafe X509_self_signed(certificate.pointer, 1) == 1
    }

    private static func makeKeyPEM(_ key: borrowing KeyHandle) throws(OpenSSLError) -> String {
        let pointer = unsafe key.pointer
        return try unsafe Output.text {
            unsafe PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil)
        }
    }

    private static func certificate(
        _ key: borrowing KeyHandle,
        hostNames: [String],
        addresses: [String],
        validDays: Int,
        now seconds: UInt64
    ) throws(OpenSSLError) -> String {
        guard (1...validDaysMax).contains(validDays), let now = Int(exactly: seconds) else {
            throw .validityRefused
        }
        let names = try alternativeNames(hostNames: hostNames, addresses: addresses)
        let certificate = try CertificateHandle()
        try setNumberAndTime(certificate, now: now, validDays: validDays)
        try setName(certificate, hostNames.first ?? "Keychain Sync")
        guard unsafe X509_set_pubkey(certificate.pointer, key.pointer) == 1 else {
            throw .newest()
        }
        try add(certificate, NID_basic_constraints, "critical,CA:FALSE")
        try add(certificate, NID_key_usage, "critical,digitalSignature")
        try add(certificate, NID_ext_key_usage, "serverAuth")
        try add(certificate, NID_subject_key_identifier, "hash")
        try add(certificate, NID_subject_alt_name, names)
        guard unsafe X509_sign(certificate.pointer, key.pointer, EVP_sha256()) > 0 else {
            throw .newest()
        }
        return try unsafe Output.text { unsafe PEM_write_bio_X509($0, certificate.pointer) }
    }

    /// The names in OpenSSL's notation; a name with a separator is refused.
    private static func alternativeNames(
        hostNames: [String],
        addresses: [String]
    ) throws(OpenSSLError) -> String {
        let areFine =
            hostNames.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9._*\-]{1,253}/) != nil }
            && addresses.allSatisfy { $0.wholeMatch(of: /[A-Za-z0-9.:]+/) != nil }
        guard areFine, !(hostNames.isEmpty && addresses.isEmpty) else { throw .nameRefused }
        return (hostNames.map { "DNS:" + $0 } + addresses.map { "IP:" + $0 }).joined(separator: ",")
    }

    private static func setNumberAndTime(
        _ certificate: borrowing CertificateHandle,
        now: Int,
        validDays: Int
    ) throws(OpenSSLError) {
        guard let serial = unsafe BN_new() else { throw .newest() }
        defer { unsafe BN_free(serial) }
        let start = now - min(now, clockLagSecondsMax)
        let pointer = unsafe certificate.pointer
        guard unsafe X509_set_version(pointer, 2) == 1,
            unsafe BN_rand(serial, serialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1,
            unsafe BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(pointer)) != nil,
            unsafe ASN1_TIME_set(X509_getm_notBefore(pointer), start) != nil,
            // The hour before now is part of the days.
            unsafe ASN1_TIME_adj(X509_getm_notAfter(pointer), start, Int32(validDays), 0) != nil
        else { throw .newest() }
    }

    private static func setName(
        _ certificate: borrowing CertificateHandle,
        _ name: String
    ) throws(OpenSSLError) {
        // A common name has at most 64 characters (RFC 5280, ub-common-name); clients read the
        // alternative names.
        let bytes = Array(name.utf8.prefix(64))
        let subject = unsafe X509_get_subject_name(certificate.pointer)
        guard
            unsafe X509_NAME_add_entry_by_NID(
                subject,
                NID_commonName,
                MBSTRING_UTF8,
                bytes,
                Int32(bytes.count),
                -1,
                0
            ) == 1,
            unsafe X509_set_issuer_name(certificate.pointer, subject) == 1
        else { throw .newest() }
    }

    private static func add(
        _ certificate: borrowing CertificateHandle,
        _ kind: Int32,
        _ value: String
    ) throws(OpenSSLError) {
        guard let part = unsafe keychain_sync_extension(certificate.pointer, kind, value) else {
            throw .forgetting(.nameRefused)
        }
        defer { unsafe X509_EXTENSION_free(part) }
        guard unsafe X509_add_ext(certificate.pointer, part, -1) == 1 else { throw .newest() }
    }
}
