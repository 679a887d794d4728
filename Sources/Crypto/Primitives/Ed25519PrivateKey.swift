internal import KSCOpenSSL
package import KSSecrets

/// A key that signs with Ed25519 (RFC 8032 §5.1).
///
/// Signatures are checked by `Ed25519Verification`.
package final class Ed25519PrivateKey: Sendable {
    /// The key's 32 bytes.
    package let seed: SharedSecret
    private let handle: PrivateKeyHandle

    package var publicKey: [UInt8] { handle.publicKey }

    /// Takes 32 uniform bytes.
    package init(seed: SharedSecret) {
        self.seed = seed
        handle = PrivateKeyHandle(kind: EVP_PKEY_ED25519, bytes: seed)
    }

    /// The signature, 64 bytes; equal messages give equal signatures.
    package func sign(_ message: [UInt8]) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else {
            preconditionFailure("OpenSSL has no memory to sign")
        }
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 64)
        var count = signature.count
        guard unsafe EVP_DigestSignInit(context, nil, nil, nil, handle.pointer) == 1,
            unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1,
            count == 64
        else { preconditionFailure("OpenSSL did not sign") }
        return signature
    }
}
