// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals
public import Foundation

// Data and strings as in Core Foundation.

/// A location and a length.
public struct CFRange: Equatable, Sendable {
    /// The start.
    public var location: CFIndex
    /// The length.
    public var length: CFIndex

    /// Makes a range.
    public init(location: CFIndex, length: CFIndex) {
        self.location = location
        self.length = length
    }

    /// Makes an empty range at 0.
    public init() { self.init(location: 0, length: 0) }
}

/// Makes a range.
public func CFRangeMake(_ loc: CFIndex, _ len: CFIndex) -> CFRange {
    CFRange(location: loc, length: len)
}

/// Makes data from a copy of bytes.
public func CFDataCreate(
    _ allocator: CFAllocator!,
    _ bytes: UnsafePointer<UInt8>!,
    _ length: CFIndex
) -> CFData! {
    guard length > 0, let bytes = unsafe bytes else { return NSData() }
    return unsafe NSData(bytes: bytes, length: length)
}

/// Makes data from the caller's bytes, and frees these bytes with it.
///
/// - Parameters:
///   - allocator: nil or `kCFAllocatorDefault`.
///   - bytes: the bytes.
///   - length: their number.
///   - bytesDeallocator: `kCFAllocatorNull` for bytes that remain the caller's; they are copied, so
///     the data does not depend on their lifetime. With any other value they are `free`d.
/// - Returns: the data.
public func CFDataCreateWithBytesNoCopy(
    _ allocator: CFAllocator!,
    _ bytes: UnsafePointer<UInt8>!,
    _ length: CFIndex,
    _ bytesDeallocator: CFAllocator!
) -> CFData! {
    guard bytesDeallocator !== kCFAllocatorNull, let bytes = unsafe bytes else {
        return unsafe CFDataCreate(allocator, bytes, length)
    }
    let memory = unsafe UnsafeMutableRawPointer(mutating: bytes)
    return unsafe NSData(bytesNoCopy: memory, length: length, freeWhenDone: true)
}

/// The number of bytes.
public func CFDataGetLength(_ theData: CFData!) -> CFIndex { theData?.length ?? 0 }

/// The address of the bytes, valid until the object is changed or freed.
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! {
    unsafe theData?.bytes.assumingMemoryBound(to: UInt8.self)
}

/// Copies a range of bytes; a range out of bounds ends the program.
public func CFDataGetBytes(
    _ theData: CFData!,
    _ range: CFRange,
    _ buffer: UnsafeMutablePointer<UInt8>!
) {
    guard range.length > 0, let buffer = unsafe buffer else { return }
    unsafe theData?.getBytes(buffer, range: NSRange(location: range.location, length: range.length))
}

/// A text encoding.
public typealias CFStringEncoding = UInt32

/// The text encodings.
public enum CFStringBuiltInEncodings: CFStringEncoding, Sendable {
    /// ISO 8859-1.
    case isoLatin1 = 0x0201
    /// ASCII.
    case ASCII = 0x0600
    /// UTF-8.
    case UTF8 = 0x0800_0100

    fileprivate var encoding: String.Encoding {
        switch self {
        case .isoLatin1: .isoLatin1
        case .ASCII: .ascii
        case .UTF8: .utf8
        }
    }
}

/// Makes a string from a C string.
///
/// - Parameters:
///   - alloc: nil or `kCFAllocatorDefault`.
///   - cStr: the C string.
///   - encoding: one of ``CFStringBuiltInEncodings``.
/// - Returns: the string; nil if the bytes are not valid in this encoding.
public func CFStringCreateWithCString(
    _ alloc: CFAllocator!,
    _ cStr: UnsafePointer<CChar>!,
    _ encoding: CFStringEncoding
) -> CFString! {
    guard let cStr = unsafe cStr, let encoding = CFStringBuiltInEncodings(rawValue: encoding)
    else { return nil }
    // Initializers that take a C string would replace invalid bytes.
    let bytes = unsafe Data(bytes: cStr, count: strlen(cStr))
    return String(data: bytes, encoding: encoding.encoding) as NSString?
}

/// The length of a string in UTF-16 units.
public func CFStringGetLength(_ theString: CFString!) -> CFIndex { theString?.length ?? 0 }

/// Writes a string as a C string.
///
/// - Parameters:
///   - theString: the string.
///   - buffer: where to write.
///   - bufferSize: the size of the buffer.
///   - encoding: one of ``CFStringBuiltInEncodings``.
/// - Returns: false if the string does not fit, or has no form in this encoding.
public func CFStringGetCString(
    _ theString: CFString!,
    _ buffer: UnsafeMutablePointer<CChar>!,
    _ bufferSize: CFIndex,
    _ encoding: CFStringEncoding
) -> Bool {
    guard let theString, let buffer = unsafe buffer,
        let encoding = CFStringBuiltInEncodings(rawValue: encoding),
        let bytes = (theString as String).data(using: encoding.encoding),
        bytes.count < bufferSize
    else { return false }
    let memory = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: bufferSize)
    unsafe memory.copyBytes(from: bytes)
    unsafe memory[bytes.count] = 0
    return true
}
