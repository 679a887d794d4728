internal import KSCOpenSSL
internal import KSDigests
package import KSSecrets

/// A key that agrees on secrets with X25519 (RFC 7748 §5).
package final class X25519PrivateKey: Sendable {
    /// The key's 32 bytes.
    package let bytes: SharedSecret
    private let handle: PrivateKeyHandle

    package var publicKey: [UInt8] { handle.publicKey }

    /// Takes 32 uniform bytes.
    package init(_ bytes: SharedSecret) {
        self.bytes = bytes
        handle = PrivateKeyHandle(kind: EVP_PKEY_X25519, bytes: bytes)
    }

    /// The shared point, which is not uniform: derive a key from it.
    ///
    /// Public keys of small order are refused, and so is a result of zeros (RFC 7748 §6.1).
    package func sharedSecret(with publicKey: [UInt8]) throws(PrimitivesError) -> SharedSecret {
        guard PublicKeyRules.isUsableForAgreement(publicKey),
            let other = unsafe EVP_PKEY_new_raw_public_key(
                EVP_PKEY_X25519,
                nil,
                publicKey,
                publicKey.count
            )
        else { throw .publicKeyRefused }
        defer { unsafe EVP_PKEY_free(other) }
        guard let context = unsafe EVP_PKEY_CTX_new(handle.pointer, nil) else { throw .newest() }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_derive_init(context) == 1,
            unsafe EVP_PKEY_derive_set_peer(context, other) == 1
        else { throw .newest() }
        let secret = try SharedSecret(count: 32) {
            (target: inout MutableRawSpan) throws(PrimitivesError) in
            let isDerived = unsafe target.withUnsafeMutableBytes { target in
                var count = target.count
                let start = unsafe target.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe EVP_PKEY_derive(context, start, &count) == 1 && count == 32
            }
            guard isDerived else { throw .newest() }
        }
        guard !secret.isEqual(to: SharedSecret(bytes: [UInt8](repeating: 0, count: 32))) else {
            throw .publicKeyRefused
        }
        return secret
    }
}
