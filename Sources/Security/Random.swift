// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// Where random bytes come from; there is only one such place.
public struct SecRandomRef: Sendable {}

/// The system's generator.
public let kSecRandomDefault: SecRandomRef? = nil

/// Fills memory with random bytes that nobody can guess.
///
/// - Parameters:
///   - generator: `kSecRandomDefault`.
///   - count: how many.
///   - bytes: where to.
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
