internal import KSCOpenSSL
internal import KSCertificates

/// OpenSSL's private key, freed and overwritten with its owner.
@safe
struct KeyHandle: ~Copyable {
    let pointer: OpaquePointer

    init(taking pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }
}

extension PrivateKeysError {
    /// The newest error of this thread's queue; empties the queue.
    static func newest() -> PrivateKeysError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        return .library(code: code)
    }

    /// Reads or writes a certificate or a public key.
    static func rethrowing<Result: ~Copyable>(
        _ body: () throws(CertificatesError) -> Result
    ) throws(PrivateKeysError) -> Result {
        do throws(CertificatesError) {
            return try body()
        } catch .library(let code) {
            throw .library(code: code)
        } catch {
            throw .malformed
        }
    }

    /// Returns `error` in place of the library's error; empties the library's queue.
    static func forgetting(_ error: PrivateKeysError) -> PrivateKeysError {
        ERR_clear_error()
        return error
    }
}

/// Bytes that OpenSSL writes piece by piece, in memory that is overwritten afterwards.
@safe
struct SecretOutput: ~Copyable {
    let pointer: OpaquePointer

    init() throws(PrivateKeysError) {
        guard let pointer = unsafe BIO_new(BIO_s_secmem()) else { throw .newest() }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe BIO_free_all(pointer)
    }

    /// The bytes that were written and not yet read.
    borrowing func bytes() -> [UInt8] {
        unsafe TextOutput.bytes(of: pointer)
    }
}

/// Bytes that OpenSSL reads piece by piece; they have to outlive it.
@safe
struct Input: ~Copyable {
    let pointer: OpaquePointer
    private let bytes: UnsafeMutableRawBufferPointer

    init(_ contents: [UInt8]) throws(PrivateKeysError) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(contents.count, 1),
            alignment: 1
        )
        unsafe bytes.copyBytes(from: contents)
        guard let count = Int32(exactly: contents.count),
            let pointer = unsafe BIO_new_mem_buf(bytes.baseAddress, count)
        else {
            unsafe bytes.deallocate()
            throw .newest()
        }
        unsafe self.pointer = pointer
        unsafe self.bytes = bytes
    }

    deinit {
        unsafe BIO_free_all(pointer)
        unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count)
        unsafe bytes.deallocate()
    }
}
