internal import KSCOpenSSL

/// Algorithms fetched once: a fetch by name costs more than the operation itself.
@safe
enum Algorithm {
    static let aes256GCM = Algorithm.Cipher()

    @safe
    final class Cipher: @unchecked Sendable {
        // Safety: never changed after `init`; OpenSSL allows sharing of fetched algorithms.
        let pointer: OpaquePointer

        init() {
            guard let pointer = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else {
                preconditionFailure("OpenSSL has no AES-256-GCM")
            }
            unsafe self.pointer = pointer
        }
    }
}

extension PrimitivesError {
    /// The newest error of this thread's queue; empties the queue.
    static func newest() -> PrimitivesError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        return .library(code: code)
    }
}
