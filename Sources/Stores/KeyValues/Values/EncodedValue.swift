package import KSRecords
internal import KSRedaction

/// A value in its canonical encoding.
///
/// A decoded value takes many times the memory of its bytes: four million booleans take 4 MiB, and
/// more than 60 MiB decoded. So a device keeps the bytes, and decodes them only when a program
/// reads the value.
package struct EncodedValue: Hashable, Sendable {
    package let bytes: [UInt8]

    package init(_ value: PropertyValue) { bytes = value.encoded }

    /// Checks that these bytes are one value, without decoding it.
    ///
    /// - Throws: ``RecordsError/malformed`` for all that `PropertyValue(decoding:)` refuses.
    package init(checking bytes: [UInt8]) throws(RecordsError) {
        _ = try Self.depth(of: bytes, max: PropertyValue.depthMax)
        self.bytes = bytes
    }

    /// Takes bytes that were checked before and that nobody else could change since.
    package init(checkedBefore bytes: [UInt8]) { self.bytes = bytes }

    /// The array of these values.
    package init(arrayOf elements: [EncodedValue]) {
        var encoder = CanonicalEncoder(capacity: 16 + elements.reduce(0) { $0 + $1.bytes.count })
        encoder.compactInteger(PropertyValue.Tag.array)
        encoder.compactList(elements) { $0.rawBytes($1.bytes) }
        bytes = encoder.encoded
    }

    /// The dictionary of these fields, each of which is there once.
    package init(dictionaryOf fields: [(key: [UInt8], value: EncodedValue)]) {
        var encoder = CanonicalEncoder()
        encoder.compactInteger(PropertyValue.Tag.dictionary)
        encoder.compactList(fields.sorted { $0.key.lexicographicallyPrecedes($1.key) }) {
            encoder,
            field in
            encoder.compactBytes(field.key)
            encoder.rawBytes(field.value.bytes)
        }
        bytes = encoder.encoded
    }

    /// The value, decoded.
    ///
    /// An array of the deepest allowed elements is too deep for a record, but the error that
    /// refuses it shows it, so twice the depth is decoded.
    package var value: PropertyValue {
        // The bytes were checked, so this does not fail.
        (try? PropertyValue(decoding: bytes, depthMax: 2 * PropertyValue.depthMax)) ?? .data(bytes)
    }

    /// How many arrays and dictionaries enclose the innermost value.
    package var depth: Int {
        // The bytes were checked, so this does not fail.
        (try? Self.depth(of: bytes, max: 2 * PropertyValue.depthMax)) ?? .max
    }

    private static func depth(of bytes: [UInt8], max: Int) throws(RecordsError) -> Int {
        var decoder = CanonicalDecoder(bytes)
        let depth = try decoder.skipValue(depthMax: max)
        try decoder.end()
        return depth
    }
}

extension CanonicalDecoder {
    /// Passes over an encoded value, and checks it as `PropertyValue(from:)` does.
    ///
    /// It allocates nothing, however many elements the value has.
    /// - Returns: how many arrays and dictionaries enclose the innermost value.
    mutating func skipValue(depthMax: Int) throws(RecordsError) -> Int {
        guard depthMax >= 0 else { throw .malformed }
        switch try compactInteger() {
        case PropertyValue.Tag.no, PropertyValue.Tag.yes: return 0
        case PropertyValue.Tag.integer, PropertyValue.Tag.real, PropertyValue.Tag.date:
            _ = try integer()
            return 0
        case PropertyValue.Tag.unsigned:
            guard try integer() > UInt64(Int64.max) else { throw .malformed }
            return 0
        case PropertyValue.Tag.string:
            _ = try skipText()
            return 0
        case PropertyValue.Tag.data:
            _ = try skipBytes()
            return 0
        case PropertyValue.Tag.array:
            var depth = 0
            for _ in 0..<(try elementCount(bytesMin: 1)) {
                depth = max(depth, try skipValue(depthMax: depthMax - 1) + 1)
            }
            return depth
        case PropertyValue.Tag.dictionary: return try skipDictionary(depthMax: depthMax)
        default: throw .malformed
        }
    }

    private mutating func skipDictionary(depthMax: Int) throws(RecordsError) -> Int {
        var depth = 0
        var last: Range<Int>?
        for _ in 0..<(try elementCount(bytesMin: 2)) {
            let key = try skipText()
            if let last, !precedes(last, key) { throw .malformed }
            last = key
            depth = max(depth, try skipValue(depthMax: depthMax - 1) + 1)
        }
        return depth
    }
}

extension EncodedValue: Redacted {
    package var shownPart: String { "\(bytes.count) bytes" }
}
