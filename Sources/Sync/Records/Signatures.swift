internal import KSDigests

/// A statement that a member signs as the bytes of its fields.
package protocol SignedStatement {
    var encoded: [UInt8] { get }
}

extension SignedStatement {
    /// Whether the holder of this key signed it.
    package func isSigned(by publicKey: [UInt8], signature: [UInt8]) -> Bool {
        Ed25519Verification.isValid(signature: signature, of: encoded, publicKey: publicKey)
    }
}

extension Batch {
    /// Whether the device with this key signed the header; check this before ``checkedHeader()``.
    package func isSigned(by publicKey: [UInt8]) -> Bool {
        Ed25519Verification.isValid(signature: signature, of: signedHeader, publicKey: publicKey)
    }
}
