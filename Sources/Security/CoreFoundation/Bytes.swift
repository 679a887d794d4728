// swift-format-ignore-file: AlwaysUseLowerCamelCase, NeverUseImplicitlyUnwrappedOptionals
public import Foundation

// Bytes and text as Core Foundation has them.

/// A place and a length.
public struct CFRange: Equatable, Sendable {
    /// Where it begins.
    public var location: CFIndex
    /// How long it is.
    public var length: CFIndex

    /// A place and a length.
    public init(location: CFIndex, length: CFIndex) {
        self.location = location
        self.length = length
    }

    /// Nothing, at the beginning.
    public init() { self.init(location: 0, length: 0) }
}

/// A place and a length.
public func CFRangeMake(_ loc: CFIndex, _ len: CFIndex) -> CFRange {
    CFRange(location: loc, length: len)
}

/// A copy of bytes.
public func CFDataCreate(
    _ allocator: CFAllocator!,
    _ bytes: UnsafePointer<UInt8>!,
    _ length: CFIndex
) -> CFData! {
    guard length > 0, let bytes = unsafe bytes else { return NSData() }
    return unsafe NSData(bytes: bytes, length: length)
}

/// Bytes that are somebody else's, or that are freed when they are no longer needed.
///
/// - Parameters:
///   - allocator: nil or `kCFAllocatorDefault`.
///   - bytes: where they are.
///   - length: how many.
///   - bytesDeallocator: `kCFAllocatorNull` for bytes that stay whose they are. They are copied
///     then, so that it does not matter how long they live. Anything else: they are `free`d.
/// - Returns: the bytes.
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

/// How many bytes there are.
public func CFDataGetLength(_ theData: CFData!) -> CFIndex { theData?.length ?? 0 }

/// Where the bytes are, as long as the object lives and is not changed.
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! {
    unsafe theData?.bytes.assumingMemoryBound(to: UInt8.self)
}

/// Copies bytes; the range lies inside.
public func CFDataGetBytes(
    _ theData: CFData!,
    _ range: CFRange,
    _ buffer: UnsafeMutablePointer<UInt8>!
) {
    guard range.length > 0, let buffer = unsafe buffer else { return }
    unsafe theData?.getBytes(
        buffer,
        range: NSRange(location: range.location, length: range.length)
    )
}

/// How text is written as bytes.
public typealias CFStringEncoding = UInt32

/// Ways to write text as bytes.
public enum CFStringBuiltInEncodings: CFStringEncoding, Sendable {
    /// ISO 8859-1.
    case isoLatin1 = 0x0201
    /// Seven bits.
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

/// Text of bytes up to a zero.
///
/// - Parameters:
///   - alloc: nil or `kCFAllocatorDefault`.
///   - cStr: the bytes.
///   - encoding: one of ``CFStringBuiltInEncodings``.
/// - Returns: nil for bytes that are no such text.
public func CFStringCreateWithCString(
    _ alloc: CFAllocator!,
    _ cStr: UnsafePointer<CChar>!,
    _ encoding: CFStringEncoding
) -> CFString! {
    guard let cStr = unsafe cStr, let encoding = CFStringBuiltInEncodings(rawValue: encoding)
    else { return nil }
    // What takes a C string replaces what it cannot read.
    let bytes = unsafe Data(bytes: cStr, count: strlen(cStr))
    return String(data: bytes, encoding: encoding.encoding) as NSString?
}

/// How many units of UTF-16 a string has.
public func CFStringGetLength(_ theString: CFString!) -> CFIndex { theString?.length ?? 0 }

/// Writes a string as bytes with a zero behind.
///
/// - Parameters:
///   - theString: the string.
///   - buffer: where to.
///   - bufferSize: how much room there is.
///   - encoding: one of ``CFStringBuiltInEncodings``.
/// - Returns: false when it does not fit, or cannot be written so.
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
