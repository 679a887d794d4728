internal import KSCOpenSSL

/// Certificates alone in a PKCS#7 file (RFC 2315 §9.1): a chain, usually called `.p7b`.
///
/// It is a signed message without a signature; a signature is ignored.
package enum CertificateBundle {
    /// Reads a file in DER.
    ///
    /// - Throws: ``OpenSSLError/malformed`` or ``OpenSSLError/tooLarge``.
    package static func certificates(der: [UInt8]) throws(OpenSSLError) -> [ParsedCertificate] {
        guard der.count <= PEMBlock.textBytesMax else { throw .tooLarge }
        let decoded = try unsafe DER.decode(der) { unsafe d2i_PKCS7(nil, $0, $1) }
        return try unsafe certificates(MessageHandle(decoded.value))
    }

    /// Reads a block of PEM: PKCS7 or CMS.
    ///
    /// - Throws: ``OpenSSLError/malformed``.
    package static func certificates(
        pem block: PEMBlock
    ) throws(OpenSSLError) -> [ParsedCertificate] {
        let pointer = try unsafe TextInput.read(block.text) { input in
            unsafe PEM_read_bio_PKCS7(input, nil, nil, nil)
        }
        return try unsafe certificates(MessageHandle(pointer))
    }

    private static func certificates(
        _ message: borrowing MessageHandle
    ) throws(OpenSSLError) -> [ParsedCertificate] {
        guard let stack = unsafe keychain_sync_pkcs7_certificates(message.pointer) else {
            return []
        }
        var found: [ParsedCertificate] = []
        for index in 0..<max(0, unsafe OPENSSL_sk_num(stack)) {
            guard let value = unsafe OPENSSL_sk_value(stack, index) else { throw .malformed }
            let certificate = OpaquePointer(value)
            found.append(
                try ParsedCertificate(der: unsafe DER.encode { unsafe i2d_X509(certificate, $0) })
            )
        }
        return found
    }

    /// The certificates as a file in DER.
    package static func der(_ certificates: [ParsedCertificate]) throws(OpenSSLError) -> [UInt8] {
        let message = try MessageHandle.holding(certificates)
        return try unsafe DER.encode { unsafe i2d_PKCS7(message.pointer, $0) }
    }

    /// The certificates as a file in PEM.
    package static func pem(_ certificates: [ParsedCertificate]) throws(OpenSSLError) -> String {
        let message = try MessageHandle.holding(certificates)
        return try unsafe Output.text { unsafe PEM_write_bio_PKCS7($0, message.pointer) }
    }
}

/// OpenSSL's message, freed with its owner.
@safe
private struct MessageHandle: ~Copyable {
    let pointer: UnsafeMutablePointer<PKCS7>

    /// Takes ownership of a message.
    init(_ pointer: UnsafeMutablePointer<PKCS7>) {
        unsafe self.pointer = pointer
    }

    /// A message of these certificates.
    static func holding(_ certificates: [ParsedCertificate]) throws(OpenSSLError) -> MessageHandle {
        guard let pointer = unsafe keychain_sync_pkcs7_without_content() else { throw .newest() }
        let message = unsafe MessageHandle(pointer)
        for certificate in certificates {
            let handle = try CertificateHandle(der: certificate.der)
            // The message takes a reference of its own.
            guard unsafe PKCS7_add_certificate(pointer, handle.pointer) == 1 else {
                throw .newest()
            }
        }
        return message
    }

    deinit {
        unsafe PKCS7_free(pointer)
    }
}
