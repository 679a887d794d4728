internal import KSRecords

/// Makes a text 256, 512, 1024 … bytes long, so that a box's size says little about what is in it.
///
/// The text's length as 8 bytes big-endian, the text, zeros up to the next power of two.
enum Padding {
    static let smallestByteCount = 256
    private static let lengthByteCount = 8

    static func pad(_ text: [UInt8]) -> [UInt8] {
        let count = paddedByteCount(textByteCount: text.count)
        var encoder = CanonicalEncoder(capacity: count)
        encoder.bytes(text)
        encoder.rawBytes([UInt8](repeating: 0, count: count - lengthByteCount - text.count))
        return encoder.encoded
    }

    /// The text, or nil when ``pad(_:)`` would not have made exactly these bytes of it.
    static func unpad(_ padded: [UInt8]) -> [UInt8]? {
        var decoder = CanonicalDecoder(padded)
        // If the length does not fit the bytes, they are not a padded text.
        guard let text = try? decoder.bytes(),
            paddedByteCount(textByteCount: text.count) == padded.count,
            padded[(lengthByteCount + text.count)...].allSatisfy({ $0 == 0 })
        else { return nil }
        return text
    }

    private static func paddedByteCount(textByteCount: Int) -> Int {
        var count = smallestByteCount
        while count < textByteCount + lengthByteCount { count *= 2 }
        return count
    }
}
