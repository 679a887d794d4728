internal import KSCOpenSSL
package import KSCertificates

extension KeyBundle {
    /// A PKCS#12 file: keys and certificates encrypted with AES-256-CBC, checked by HMAC-SHA-256.
    ///
    /// A key and the certificates for it carry the same identifier, by which readers match them.
    package func pkcs12(passphrase: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        let writer = BundleWriter(words: try CPassphrase(passphrase))
        var safes: OpaquePointer?
        defer { unsafe Self.freeParts(safes) }
        try unsafe writer.addCertificates(certificates, to: &safes)
        try unsafe writer.addKeys(keys, to: &safes)
        return try unsafe writer.finish(safes)
    }
}

@safe
private struct BundleWriter: ~Copyable {
    let words: CPassphrase

    borrowing func addCertificates(
        _ certificates: [ParsedCertificate],
        to safes: inout OpaquePointer?
    ) throws(OpenSSLError) {
        guard !certificates.isEmpty else { return }
        var bags: OpaquePointer?
        defer { unsafe KeyBundle.freeBags(bags) }
        for certificate in certificates {
            let handle = try CertificateHandle(der: certificate.der)
            guard let bag = unsafe PKCS12_add_cert(&bags, handle.pointer) else { throw .newest() }
            try unsafe name(bag, certificate.publicKeyHash)
        }
        let isAdded = unsafe PKCS12_add_safe(
            &safes,
            bags,
            NID_aes_256_cbc,
            Passphrase.iterations,
            words.pointer
        )
        guard isAdded == 1 else { throw .newest() }
    }

    borrowing func addKeys(
        _ keys: [PrivateKey],
        to safes: inout OpaquePointer?
    ) throws(OpenSSLError) {
        guard !keys.isEmpty else { return }
        var bags: OpaquePointer?
        defer { unsafe KeyBundle.freeBags(bags) }
        for key in keys {
            let handle = try key.handle()
            let bag = unsafe PKCS12_add_key(
                &bags,
                handle.pointer,
                0,
                Passphrase.iterations,
                NID_aes_256_cbc,
                words.pointer
            )
            guard let bag = unsafe bag else { throw .newest() }
            try unsafe name(bag, key.publicKeyHash)
        }
        // Each key is encrypted already.
        guard unsafe PKCS12_add_safe(&safes, bags, -1, 0, nil) == 1 else { throw .newest() }
    }

    private borrowing func name(_ bag: OpaquePointer, _ identifier: [UInt8]) throws(OpenSSLError) {
        var identifier = identifier
        let count = Int32(identifier.count)
        guard unsafe PKCS12_add_localkeyid(bag, &identifier, count) == 1 else { throw .newest() }
    }

    borrowing func finish(_ safes: OpaquePointer?) throws(OpenSSLError) -> [UInt8] {
        guard unsafe safes != nil else { throw .malformed }
        guard let file = unsafe PKCS12_add_safes(safes, 0) else { throw .newest() }
        defer { unsafe PKCS12_free(file) }
        let isChecked = unsafe PKCS12_set_mac(
            file,
            words.pointer,
            Int32(words.count),
            nil,
            0,
            Passphrase.iterations,
            EVP_sha256()
        )
        guard isChecked == 1 else { throw .newest() }
        return try unsafe Output.bytes(isSecret: true) { unsafe i2d_PKCS12_bio($0, file) }
    }
}
