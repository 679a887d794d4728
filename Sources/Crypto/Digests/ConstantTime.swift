internal import KSCOpenSSL

/// Comparison whose time says nothing about where two byte strings differ.
package enum ConstantTime {
    /// Whether both are the same bytes; only their lengths may show in the time it takes.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        unsafe areEqual(left.span.bytes, right.span.bytes)
    }

    /// Whether both are the same bytes; only their lengths may show in the time it takes.
    package static func areEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
        guard left.byteCount == right.byteCount else { return false }
        return unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in
                unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
            }
        }
    }
}
