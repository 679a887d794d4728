internal import KSCOpenSSL
internal import KSDigests

/// The fields of a certificate that keychain items and queries use.
///
/// Nothing is verified.
package struct ParsedCertificate: Equatable, Sendable {
    /// Larger than any certificate in use.
    package static let bytesMax = 64 << 10

    package let der: [UInt8]
    /// The names in DER, unchanged; Apple compares a normalized form.
    package let subject: [UInt8]
    package let issuer: [UInt8]
    /// The number's contents in DER: big-endian, with a leading zero where the first bit is set.
    package let serialNumber: [UInt8]
    /// The extension's key identifier (RFC 5280 §4.2.1.2); nil without one.
    package let subjectKeyID: [UInt8]?
    /// SHA-1 of the public key's bits.
    package let publicKeyHash: [UInt8]
    /// The certificate's version, from 1 on: `ctyp`.
    package let certificateType: Int64
    /// `cenc`: 3 stands for DER.
    package let encoding: Int64 = 3
    /// A short name of the subject: the default of `labl`.
    package let summary: String
    /// The last one, if there are several.
    package let commonName: String?
    package let emailAddresses: [String]
    /// Seconds since 1970-01-01 00:00 UTC.
    package let notBefore: Int64
    package let notAfter: Int64
    /// Nil if keychain items do not support its algorithm.
    package let publicKey: PublicKeyInfo?

    /// Reads one certificate in DER.
    ///
    /// - Throws: ``OpenSSLError/malformed`` or ``OpenSSLError/tooLarge``.
    package init(der: [UInt8]) throws(OpenSSLError) {
        guard der.count <= Self.bytesMax else { throw .tooLarge }
        try self.init(CertificateHandle(der: der))
    }

    /// Reads the first certificate of a PEM text.
    package init(pem: String) throws(OpenSSLError) {
        guard pem.utf8.count <= PEMBlock.textBytesMax else { throw .tooLarge }
        try self.init(CertificateHandle(pem: pem))
    }

    package init(_ certificate: borrowing CertificateHandle) throws(OpenSSLError) {
        let pointer = unsafe certificate.pointer
        der = try unsafe DER.encode { unsafe i2d_X509(pointer, $0) }
        guard der.count <= Self.bytesMax else { throw .tooLarge }
        guard let subjectName = unsafe X509_get_subject_name(pointer),
            let issuerName = unsafe X509_get_issuer_name(pointer),
            let bits = unsafe X509_get0_pubkey_bitstr(pointer),
            let number = unsafe X509_get0_serialNumber(pointer)
        else { throw .malformed }
        subject = try unsafe DER.encode { unsafe i2d_X509_NAME(subjectName, $0) }
        issuer = try unsafe DER.encode { unsafe i2d_X509_NAME(issuerName, $0) }
        let encodedNumber = try unsafe DER.encode { unsafe i2d_ASN1_INTEGER(number, $0) }
        guard let contents = DER.contents(of: encodedNumber[...])?.contents else {
            throw .malformed
        }
        serialNumber = Array(contents)
        subjectKeyID = unsafe X509_get0_subject_key_id(pointer).map { unsafe Self.bytes(of: $0) }
        let key = unsafe Self.bytes(of: bits)
        publicKeyHash = SHA1.hash(key)
        // A certificate with an unknown key algorithm is accepted.
        if let handle = unsafe X509_get0_pubkey(pointer),
            let type = unsafe PublicKeyInfo.type(of: handle)
        {
            publicKey = PublicKeyInfo(
                type: type,
                bits: Int(unsafe EVP_PKEY_get_bits(handle)),
                external: key
            )
        } else {
            publicKey = nil
        }
        ERR_clear_error()
        certificateType = Int64(unsafe X509_get_version(pointer)) + 1
        emailAddresses = unsafe Self.emailAddresses(pointer)
        commonName = unsafe Self.last(NID_commonName, of: subjectName)
        summary = unsafe Self.summary(subjectName) ?? emailAddresses.first ?? ""
        notBefore = try unsafe Self.seconds(X509_get0_notBefore(pointer))
        notAfter = try unsafe Self.seconds(X509_get0_notAfter(pointer))
    }

    /// The certificate as PEM.
    package func pem() throws(OpenSSLError) -> String {
        let certificate = try CertificateHandle(der: der)
        return try unsafe Output.text { unsafe PEM_write_bio_X509($0, certificate.pointer) }
    }

    /// Seconds since 1970-01-01 00:00 UTC.
    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) throws(OpenSSLError) -> Int64 {
        guard let time = unsafe time, let epoch = unsafe ASN1_TIME_set(nil, 0) else {
            throw .malformed
        }
        defer { unsafe ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
            throw .forgetting(.malformed)
        }
        return Int64(days) * 86_400 + Int64(seconds)
    }

    private static func bytes(of string: UnsafePointer<ASN1_STRING>) -> [UInt8] {
        let count = Int(unsafe ASN1_STRING_length(string))
        guard let start = unsafe ASN1_STRING_get0_data(string), count > 0 else { return [] }
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// The common name, else the most specific part of an organization; the last of several.
    private static func summary(_ name: OpaquePointer) -> String? {
        for kind in [NID_commonName, NID_organizationalUnitName, NID_organizationName] {
            if let last = unsafe last(kind, of: name), !last.isEmpty { return last }
        }
        return nil
    }

    /// The last part of a kind.
    private static func last(_ kind: Int32, of name: OpaquePointer) -> String? {
        var last: String?
        var index = unsafe X509_NAME_get_index_by_NID(name, kind, -1)
        while index >= 0 {
            let text = unsafe X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index))
            if let text = unsafe text { last = unsafe self.text(of: text) ?? last }
            index = unsafe X509_NAME_get_index_by_NID(name, kind, index)
        }
        return last
    }

    /// The string converted to UTF-8; nil if it is not text.
    private static func text(of string: UnsafePointer<ASN1_STRING>) -> String? {
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe ASN1_STRING_to_UTF8(&start, string)
        guard count >= 0, let start = unsafe start else {
            ERR_clear_error()
            return nil
        }
        defer { unsafe CRYPTO_free(start, #file, #line) }
        let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
        return String(validating: bytes, as: UTF8.self)
    }

    /// The addresses of the subject and of the alternative names.
    private static func emailAddresses(_ certificate: OpaquePointer) -> [String] {
        guard let found = unsafe X509_get1_email(certificate) else { return [] }
        defer { unsafe X509_email_free(found) }
        return (0..<max(0, unsafe OPENSSL_sk_num(found))).compactMap { index in
            guard let text = unsafe OPENSSL_sk_value(found, index) else { return nil }
            return unsafe String(validatingCString: text.assumingMemoryBound(to: CChar.self))
        }
    }
}
