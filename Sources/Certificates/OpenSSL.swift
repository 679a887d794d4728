internal import KSCOpenSSL

extension CertificatesError {
    /// The newest error of this thread's queue; empties the queue.
    static func newest() -> CertificatesError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        return .library(code: code)
    }
}

/// OpenSSL's certificate, freed with its owner.
@safe
struct CertificateHandle: ~Copyable {
    let pointer: OpaquePointer

    init() throws(CertificatesError) {
        guard let pointer = unsafe X509_new() else { throw .newest() }
        unsafe self.pointer = pointer
    }

    /// Reads the first certificate of the text.
    init(pem: String) throws(CertificatesError) {
        let pointer = try unsafe TextInput.read(pem) { input in
            unsafe PEM_read_bio_X509(input, nil, nil, nil)
        }
        unsafe self.pointer = pointer
    }

    /// Reads one certificate, and nothing else.
    init(der: [UInt8]) throws(CertificatesError) {
        guard let decoded = unsafe DER.decode(der, { unsafe d2i_X509(nil, $0, $1) }) else {
            throw .malformed
        }
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

/// Text that OpenSSL reads piece by piece.
enum TextInput {
    /// Passes the text to OpenSSL's `read`, and returns its result.
    ///
    /// `BIO_new_mem_buf` copies nothing, so the address has to stay valid until the last read: that
    /// of an array passed as an argument is valid for one call only.
    ///
    /// - Throws: ``CertificatesError/malformed`` when `read` returns nil.
    static func read<Pointer>(
        _ text: some StringProtocol,
        by read: (_ input: OpaquePointer) -> Pointer?
    ) throws(CertificatesError) -> Pointer {
        let bytes = Array(text.utf8)
        guard let size = Int32(exactly: bytes.count) else { throw .tooLarge }
        let result = unsafe bytes.withUnsafeBytes { buffer -> Pointer? in
            guard let input = unsafe BIO_new_mem_buf(buffer.baseAddress, size) else { return nil }
            defer { unsafe BIO_free_all(input) }
            return unsafe read(input)
        }
        guard let result else {
            ERR_clear_error()
            throw .malformed
        }
        return result
    }
}

/// Text that OpenSSL writes piece by piece.
@safe
package struct TextOutput: ~Copyable {
    let pointer: OpaquePointer

    init() throws(CertificatesError) {
        guard let pointer = unsafe BIO_new(BIO_s_mem()) else { throw .newest() }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe BIO_free_all(pointer)
    }

    /// The text that was written and not yet read.
    borrowing func text() -> String {
        unsafe String(decoding: Self.bytes(of: pointer), as: UTF8.self)
    }

    /// The bytes that were written to a BIO and not yet read.
    package static func bytes(of output: OpaquePointer) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe BIO_read(output, &piece, Int32(piece.count))
            guard count > 0 else { return bytes }
            bytes += piece.prefix(Int(count))
        }
    }
}
