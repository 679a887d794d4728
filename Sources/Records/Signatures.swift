internal import KSDigests

extension SessionStatement {
    /// Whether the holder of this key signed it.
    package func isSigned(by publicKey: [UInt8], signature: [UInt8]) -> Bool {
        Ed25519Verification.isValid(signature: signature, of: encoded, publicKey: publicKey)
    }
}

extension HistoryStatement {
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
