/// The value of an attribute, in the type its caller gave it.
///
/// Two values are equal if their types and bytes are: unlike Swift's strings, two spellings of one
/// character differ.
package enum AttributeValue: Sendable {
    case string(String)
    case data([UInt8])
    /// Numbers; booleans are 0 and 1.
    case integer(Int64)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
}

extension AttributeValue: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.data(let left), .data(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.date(let left), .date(let right)): left.bitPattern == right.bitPattern
        case (.string, _), (.data, _), (.integer, _), (.date, _): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(tag)
        hasher.combine(content)
    }
}

extension AttributeValue {
    package static func boolean(_ value: Bool) -> Self { .integer(value ? 1 : 0) }

    /// The one byte that says which case an encoding is of; never reused.
    var tag: UInt8 {
        switch self {
        case .string: 1
        case .data: 2
        case .integer: 3
        case .date: 4
        }
    }

    /// The value without its type: text as UTF-8, numbers and dates as 8 bytes big-endian.
    var content: [UInt8] {
        switch self {
        case .string(let text): Array(text.utf8)
        case .data(let bytes): bytes
        case .integer(let number): bigEndian(UInt64(bitPattern: number))
        case .date(let seconds): bigEndian(seconds.bitPattern)
        }
    }

    init(tag: UInt8, content: ArraySlice<UInt8>) throws(ItemStoreError) {
        switch tag {
        case 1:
            guard let text = String(validating: content, as: UTF8.self) else { throw .decode }
            self = .string(text)
        case 2:
            self = .data(Array(content))
        case 3:
            self = .integer(Int64(bitPattern: try Self.integer(content)))
        case 4:
            let seconds = Double(bitPattern: try Self.integer(content))
            guard seconds.isFinite else { throw .decode }
            self = .date(seconds)
        default:
            throw .decode
        }
    }

    /// The type and the value, as they are sealed and synced: equal values give equal bytes.
    package var encoded: [UInt8] { [tag] + content }

    /// Reads what ``encoded`` wrote.
    ///
    /// - Throws: ``KeychainError/decode`` for anything else.
    package init(decoding encoded: [UInt8]) throws(ItemStoreError) {
        guard let tag = encoded.first else { throw .decode }
        try self.init(tag: tag, content: encoded.dropFirst())
    }

    private static func integer(_ content: ArraySlice<UInt8>) throws(ItemStoreError) -> UInt64 {
        guard content.count == 8 else { throw .decode }
        return content.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The form in which an attribute is compared: the same for the string "abc" and the data abc.
struct ComparableForm: Hashable, Sendable {
    /// 1 bytes, 2 number, 3 date; never reused, since digests and record ids are made of it.
    let type: UInt64
    let bytes: [UInt8]
}

extension AttributeValue {
    /// The form by which this value is found and by which it makes a key.
    ///
    /// A number in a blob attribute becomes 4 bytes little-endian (8 if it does not fit), as in
    /// Apple's hashed columns: there the number 5 does not equal the text "5".
    func comparableForm(as kind: AttributeKind) -> ComparableForm {
        switch self {
        case .string, .data:
            return ComparableForm(type: 1, bytes: content)
        case .integer(let number):
            guard kind == .blob else { return ComparableForm(type: 2, bytes: content) }
            return ComparableForm(type: 1, bytes: littleEndian(number))
        case .date(let seconds):
            // 0.0 and -0.0 are the same date.
            return ComparableForm(type: 3, bytes: bigEndian((seconds + 0).bitPattern))
        }
    }
}

func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe Array($0) }
}

/// 4 bytes if they suffice, else 8.
func littleEndian(_ number: Int64) -> [UInt8] {
    let count = Int32(exactly: number) == nil ? 8 : 4
    return (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * Int64($0))) }
}
