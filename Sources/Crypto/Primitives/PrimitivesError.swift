internal import KSCOpenSSL

/// Why a cryptographic operation failed.
///
/// No case carries contents or key bytes, so an error is always safe to log.
package enum PrimitivesError: Error, Equatable {
    /// The tag did not match: the bytes were changed, or sealed with another key.
    case notAuthentic
    /// A public key has the wrong length or is of small order.
    case publicKeyRefused
    /// OpenSSL refused: too little memory, or something that cannot fail with valid arguments.
    case library(code: UInt)

    /// The newest error of this thread's queue; empties the queue.
    static func newest() -> PrimitivesError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        return .library(code: code)
    }
}
