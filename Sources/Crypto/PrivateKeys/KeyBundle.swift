internal import KSCOpenSSL
package import KSCertificates

/// The contents of a PKCS#12 file (RFC 7292): keys and certificates under one passphrase.
package struct KeyBundle: Equatable, Sendable {
    /// Enough for a few hundred identities.
    package static let bytesMax = 4 << 20

    package var keys: [PrivateKey]
    package var certificates: [ParsedCertificate]

    package init(keys: [PrivateKey], certificates: [ParsedCertificate]) {
        self.keys = keys
        self.certificates = certificates
    }

    /// Reads a PKCS#12 file, after it has checked the passphrase.
    package init(pkcs12 bytes: [UInt8], passphrase: [UInt8]) throws(OpenSSLError) {
        guard bytes.count <= Self.bytesMax else { throw .tooLarge }
        let reader = try BundleReader(bytes, CPassphrase(passphrase))
        try reader.checkPassphrase()
        self.init(keys: [], certificates: [])
        try reader.read(into: &self)
    }

    /// Whether the bytes begin like a PKCS#12 file: SEQUENCE { INTEGER 3, SEQUENCE … }.
    package static func isPKCS12(_ bytes: [UInt8]) -> Bool {
        guard let outer = DER.contents(of: bytes[...]), outer.tag == 0x30,
            let version = DER.contents(of: outer.contents), version.tag == 0x02,
            Array(version.contents) == [3], DER.contents(of: version.rest)?.tag == 0x30
        else { return false }
        return true
    }
}

// The parts of a file, and the bags in a part, as OpenSSL's stacks.
extension KeyBundle {
    static func freeParts(_ parts: OpaquePointer?) {
        let free: @convention(c) (UnsafeMutableRawPointer?) -> Void = { part in
            unsafe PKCS7_free(part?.assumingMemoryBound(to: PKCS7.self))
        }
        unsafe OPENSSL_sk_pop_free(parts, free)
    }

    static func freeBags(_ bags: OpaquePointer?) {
        let free: @convention(c) (UnsafeMutableRawPointer?) -> Void = { bag in
            unsafe PKCS12_SAFEBAG_free(bag.map { OpaquePointer($0) })
        }
        unsafe OPENSSL_sk_pop_free(bags, free)
    }
}

/// Reads the parts of a PKCS#12 file.
@safe
private struct BundleReader: ~Copyable {
    private let pointer: OpaquePointer
    private let words: CPassphrase

    /// Bags may be nested; deeper nesting could exhaust the stack.
    private static let depthMax = 8

    init(_ bytes: [UInt8], _ words: consuming CPassphrase) throws(OpenSSLError) {
        let decoded = try unsafe DER.decode(bytes) { unsafe d2i_PKCS12(nil, $0, $1) }
        unsafe pointer = decoded.value
        self.words = words
        Passphrase.allowOldCiphers()
    }

    deinit {
        unsafe PKCS12_free(pointer)
    }

    /// Refuses a file without a MAC: a wrong passphrase or a change could not be detected.
    borrowing func checkPassphrase() throws(OpenSSLError) {
        guard unsafe PKCS12_mac_present(pointer) == 1 else { throw .unsupported }
        var count: UnsafePointer<ASN1_INTEGER>?
        unsafe PKCS12_get0_mac(nil, nil, nil, &count, pointer)
        // The default is 1.
        var iterations: Int64 = 1
        if let count = unsafe count {
            guard unsafe ASN1_INTEGER_get_int64(&iterations, count) == 1 else {
                throw .forgetting(.malformed)
            }
        }
        guard iterations <= Passphrase.iterationsMax else { throw .tooLarge }
        guard unsafe PKCS12_verify_mac(pointer, words.pointer, Int32(words.count)) == 1 else {
            throw .forgetting(.wrongPassphrase)
        }
    }

    borrowing func read(into bundle: inout KeyBundle) throws(OpenSSLError) {
        guard let parts = unsafe PKCS12_unpack_authsafes(pointer) else {
            throw .forgetting(.malformed)
        }
        defer { unsafe KeyBundle.freeParts(parts) }
        for index in 0..<max(0, unsafe OPENSSL_sk_num(parts)) {
            guard let value = unsafe OPENSSL_sk_value(parts, index) else { continue }
            let part = unsafe value.assumingMemoryBound(to: PKCS7.self)
            let bags: OpaquePointer?
            if unsafe keychain_sync_pkcs7_is_data(part) != 0 {
                unsafe bags = PKCS12_unpack_p7data(part)
            } else if let algorithm = unsafe keychain_sync_pkcs7_algorithm(part) {
                try unsafe Passphrase.check(algorithm)
                unsafe bags = PKCS12_unpack_p7encdata(part, words.pointer, Int32(words.count))
            } else {
                // Encrypted to a public key, so a passphrase cannot open it.
                throw .unsupported
            }
            guard let bags = unsafe bags else { throw .forgetting(.wrongPassphrase) }
            defer { unsafe KeyBundle.freeBags(bags) }
            try unsafe read(bags: bags, depth: 0, into: &bundle)
        }
    }

    private borrowing func read(
        bags: OpaquePointer,
        depth: Int,
        into bundle: inout KeyBundle
    ) throws(OpenSSLError) {
        guard depth <= Self.depthMax else { throw .tooLarge }
        for index in 0..<max(0, unsafe OPENSSL_sk_num(bags)) {
            guard let value = unsafe OPENSSL_sk_value(bags, index) else { continue }
            let bag = OpaquePointer(value)
            switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
            case NID_keyBag:
                guard let info = unsafe PKCS12_SAFEBAG_get0_p8inf(bag) else { throw .malformed }
                bundle.keys.append(try unsafe key(info))
            case NID_pkcs8ShroudedKeyBag:
                bundle.keys.append(try unsafe encryptedKey(bag))
            case NID_certBag:
                if let certificate = try unsafe certificate(bag) {
                    bundle.certificates.append(certificate)
                }
            case NID_safeContentsBag:
                guard let inner = unsafe PKCS12_SAFEBAG_get0_safes(bag) else { throw .malformed }
                try unsafe read(bags: inner, depth: depth + 1, into: &bundle)
            default:
                // Revocation lists and other contents are not keychain items.
                continue
            }
        }
    }

    private borrowing func encryptedKey(_ bag: OpaquePointer) throws(OpenSSLError) -> PrivateKey {
        guard let box = unsafe PKCS12_SAFEBAG_get0_pkcs8(bag) else { throw .malformed }
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(box, &algorithm, nil)
        try unsafe Passphrase.check(algorithm)
        let info = unsafe PKCS12_decrypt_skey(bag, words.pointer, Int32(words.count))
        guard let info = unsafe info else { throw .forgetting(.wrongPassphrase) }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        return try unsafe key(info)
    }

    private borrowing func key(_ info: OpaquePointer) throws(OpenSSLError) -> PrivateKey {
        guard let pointer = unsafe EVP_PKCS82PKEY(info) else { throw .forgetting(.unsupported) }
        return try PrivateKey(unsafe KeyHandle(taking: pointer))
    }

    /// Nil for a certificate that is not X.509.
    private borrowing func certificate(
        _ bag: OpaquePointer
    ) throws(OpenSSLError) -> ParsedCertificate? {
        guard unsafe PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate else { return nil }
        guard let pointer = unsafe PKCS12_SAFEBAG_get1_cert(bag) else {
            throw .forgetting(.malformed)
        }
        return try ParsedCertificate(unsafe CertificateHandle(taking: pointer))
    }
}
