// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A source of random bytes; there is only one.
public struct SecRandomRef: Sendable {}

/// The system's random number generator.
public let kSecRandomDefault: SecRandomRef? = nil

/// Fills memory with cryptographically secure random bytes.
///
/// - Parameters:
///   - generator: `kSecRandomDefault`.
///   - count: the number of bytes.
///   - bytes: where to put them.
/// - Returns: `errSecSuccess`; `errSecParam` for a negative count.
@discardableResult
public func SecRandomCopyBytes(
    _ generator: SecRandomRef?,
    _ count: Int,
    _ bytes: UnsafeMutableRawPointer
) -> Int32 {
    guard count >= 0 else { return errSecParam }
    var random = SystemRandomNumberGenerator()
    let memory = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count)
    for index in memory.indices {
        unsafe memory[index] = UInt8.random(in: .min ... .max, using: &random)
    }
    return errSecSuccess
}
