package import KSRecords

/// The canonical encoding of a value, which is sealed, and by which values are compared.
///
/// A byte for the type; then an integer as 8 bytes, big-endian; a real or a date as the bits of its
/// IEEE 754 double, so that every NaN and −0 stay what they are; text and data led by their length;
/// an array led by its count; a dictionary too, with its keys in rising order of their bytes.
extension PropertyValue {
    /// How deeply arrays and dictionaries may be nested.
    package static let depthMax = 64

    /// How many arrays and dictionaries enclose the innermost value.
    package var depth: Int {
        switch self {
        case .bool, .integer, .unsigned, .real, .date, .string, .data: 0
        case .array(let elements): elements.map { $0.depth + 1 }.max() ?? 0
        case .dictionary(let dictionary):
            dictionary.entries.map { $0.value.depth + 1 }.max() ?? 0
        }
    }

    /// The types; a number is never reused.
    enum Tag {
        static let no: UInt64 = 1
        static let yes: UInt64 = 2
        static let integer: UInt64 = 3
        static let unsigned: UInt64 = 4
        static let real: UInt64 = 5
        static let string: UInt64 = 6
        static let data: UInt64 = 7
        static let date: UInt64 = 8
        static let array: UInt64 = 9
        static let dictionary: UInt64 = 10
    }

    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encode(into: &encoder)
        return encoder.encoded
    }

    package func encode(into encoder: inout CanonicalEncoder) {
        switch self {
        case .bool(let value): encoder.compactInteger(value ? Tag.yes : Tag.no)
        case .integer(let value): encoder.tagged(Tag.integer, UInt64(bitPattern: value))
        case .unsigned(let value): encoder.tagged(Tag.unsigned, value)
        case .real(let value): encoder.tagged(Tag.real, value.bitPattern)
        case .date(let value): encoder.tagged(Tag.date, value.bitPattern)
        case .string(let value):
            encoder.compactInteger(Tag.string)
            encoder.compactBytes(Array(value.utf8))
        case .data(let value):
            encoder.compactInteger(Tag.data)
            encoder.compactBytes(value)
        case .array(let elements):
            encoder.compactInteger(Tag.array)
            encoder.compactList(elements) { $1.encode(into: &$0) }
        case .dictionary(let dictionary):
            encoder.compactInteger(Tag.dictionary)
            encoder.compactList(dictionary.entries) { encoder, entry in
                encoder.compactBytes(Array(entry.key.utf8))
                entry.value.encode(into: &encoder)
            }
        }
    }

    /// Decodes a whole encoded value.
    ///
    /// - Throws: ``RecordsError/malformed`` for other bytes, and for a non-canonical encoding.
    package init(
        decoding encoded: [UInt8],
        depthMax: Int = Self.depthMax
    ) throws(RecordsError) {
        var decoder = CanonicalDecoder(encoded)
        try self.init(from: &decoder, depthMax: depthMax)
        try decoder.end()
    }

    package init(
        from decoder: inout CanonicalDecoder,
        depthMax: Int = Self.depthMax
    ) throws(RecordsError) {
        guard depthMax >= 0 else { throw .malformed }
        switch try decoder.compactInteger() {
        case Tag.no: self = .bool(false)
        case Tag.yes: self = .bool(true)
        case Tag.integer: self = .integer(Int64(bitPattern: try decoder.integer()))
        case Tag.unsigned:
            let value = try decoder.integer()
            guard value > UInt64(Int64.max) else { throw .malformed }
            self = .unsigned(value)
        case Tag.real: self = .real(Double(bitPattern: try decoder.integer()))
        case Tag.date: self = .date(Double(bitPattern: try decoder.integer()))
        case Tag.string: self = .string(try decoder.text())
        case Tag.data: self = .data(try decoder.compactBytes())
        case Tag.array:
            self = .array(
                try decoder.compactList(elementBytesMin: 1) { decoder throws(RecordsError) in
                    try PropertyValue(from: &decoder, depthMax: depthMax - 1)
                }
            )
        case Tag.dictionary:
            var dictionary = PropertyDictionary()
            let entries = try decoder.compactList(elementBytesMin: 2) {
                decoder throws(RecordsError) in
                let key = try decoder.text()
                return (key, try PropertyValue(from: &decoder, depthMax: depthMax - 1))
            }
            for (key, value) in entries {
                guard dictionary.append(key, value) else { throw .malformed }
            }
            self = .dictionary(dictionary)
        default: throw .malformed
        }
    }
}

extension CanonicalEncoder {
    fileprivate mutating func tagged(_ tag: UInt64, _ bits: UInt64) {
        compactInteger(tag)
        integer(bits)
    }
}

extension CanonicalDecoder {
    /// Reads a compact string of valid UTF-8.
    mutating func text() throws(RecordsError) -> String {
        guard let text = String(validating: try compactBytes(), as: UTF8.self) else {
            throw .malformed
        }
        return text
    }
}
