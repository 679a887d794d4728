internal import KSCOpenSSL
package import KSSecrets

/// A key to which texts are sealed (RFC 7748 §5, X25519).
package final class X25519PrivateKey: Sendable {
    /// The key's 32 bytes.
    package let bytes: SharedSecret
    package let publicKey: [UInt8]

    /// Takes 32 uniform bytes.
    package init(_ bytes: SharedSecret) {
        self.bytes = bytes
        publicKey = PrivateKeyHandle(kind: EVP_PKEY_X25519, bytes: bytes).publicKey
    }
}
