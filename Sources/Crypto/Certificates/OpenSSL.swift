internal import KSCOpenSSL

/// OpenSSL's certificate, freed with its owner.
@safe
package struct CertificateHandle: ~Copyable {
    package let pointer: OpaquePointer

    package init(taking pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    init() throws(OpenSSLError) {
        guard let pointer = unsafe X509_new() else { throw .newest() }
        unsafe self.pointer = pointer
    }

    /// Reads the first certificate of the text.
    init(pem: String) throws(OpenSSLError) {
        let pointer = try unsafe TextInput.read(pem) { input in
            unsafe PEM_read_bio_X509(input, nil, nil, nil)
        }
        unsafe self.pointer = pointer
    }

    /// Reads one certificate, and nothing else.
    package init(der: [UInt8]) throws(OpenSSLError) {
        let decoded = try unsafe DER.decode(der) { unsafe d2i_X509(nil, $0, $1) }
        guard unsafe decoded.isWhole else {
            unsafe X509_free(decoded.value)
            throw .malformed
        }
        unsafe pointer = decoded.value
    }

    deinit {
        unsafe X509_free(pointer)
    }
}

/// OpenSSL's key, freed with its owner; the bytes of a private one are overwritten then.
@safe
package struct KeyHandle: ~Copyable {
    package let pointer: OpaquePointer

    package init(taking pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    /// Reads a private key without a passphrase; an encrypted one is malformed here.
    init(unencryptedPEM text: String) throws(OpenSSLError) {
        let pointer = try unsafe TextInput.read(text) { input in
            // OpenSSL's own callback would ask for the passphrase on the terminal.
            unsafe PEM_read_bio_PrivateKey(input, nil, { _, _, _, _ in -1 }, nil)
        }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }
}

/// Text that OpenSSL reads piece by piece.
package enum TextInput {
    /// Passes the text to OpenSSL's `read`, and returns its result.
    ///
    /// `BIO_new_mem_buf` copies nothing, so the address has to stay valid until the last read: that
    /// of an array passed as an argument is valid for one call only.
    ///
    /// - Throws: ``OpenSSLError/malformed`` when `read` returns nil.
    package static func read<Pointer>(
        _ text: some StringProtocol,
        by read: (_ input: OpaquePointer) -> Pointer?
    ) throws(OpenSSLError) -> Pointer {
        let bytes = Array(text.utf8)
        guard let size = Int32(exactly: bytes.count) else { throw .tooLarge }
        let result = unsafe bytes.withUnsafeBytes { buffer -> Pointer? in
            guard let input = unsafe BIO_new_mem_buf(buffer.baseAddress, size) else { return nil }
            defer { unsafe BIO_free_all(input) }
            return unsafe read(input)
        }
        guard let result else { throw .forgetting(.malformed) }
        return result
    }
}

/// What OpenSSL writes piece by piece.
package enum Output {
    /// The bytes that `write` writes.
    ///
    /// `isSecret`: whether the memory is overwritten afterwards.
    /// - Throws: the library's error unless `write` returns 1.
    package static func bytes(
        isSecret: Bool = false,
        _ write: (_ output: OpaquePointer) -> Int32
    ) throws(OpenSSLError) -> [UInt8] {
        guard let output = unsafe BIO_new(isSecret ? BIO_s_secmem() : BIO_s_mem()) else {
            throw .newest()
        }
        defer { unsafe BIO_free_all(output) }
        guard unsafe write(output) == 1 else { throw .newest() }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe BIO_read(output, &piece, Int32(piece.count))
            guard count > 0 else { return bytes }
            bytes += piece.prefix(Int(count))
        }
    }

    /// The text that `write` writes, as ``bytes(isSecret:_:)``.
    package static func text(
        isSecret: Bool = false,
        _ write: (_ output: OpaquePointer) -> Int32
    ) throws(OpenSSLError) -> String {
        try unsafe String(decoding: bytes(isSecret: isSecret, write), as: UTF8.self)
    }
}
