/// Makes a text 256, 512, 1024 … bytes long, so that a box's size says little about what is in it.
///
/// The text's length as 8 bytes big-endian, the text, zeros up to the next power of two.
enum Padding {
    static let smallestByteCount = 256
    private static let lengthByteCount = 8

    static func pad(_ text: [UInt8]) -> [UInt8] {
        let count = paddedByteCount(textByteCount: text.count)
        var padded: [UInt8] = []
        padded.reserveCapacity(count)
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: UInt64(text.count) >> shift))
        }
        padded.append(contentsOf: text)
        padded.append(contentsOf: repeatElement(0, count: count - padded.count))
        return padded
    }

    /// The text, or nil when ``pad(_:)`` would not have made exactly these bytes of it.
    static func unpad(_ padded: [UInt8]) -> [UInt8]? {
        guard padded.count >= smallestByteCount else { return nil }
        let length = padded.prefix(lengthByteCount).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length <= UInt64(padded.count - lengthByteCount) else { return nil }
        let end = lengthByteCount + Int(length)
        guard paddedByteCount(textByteCount: Int(length)) == padded.count,
            padded[end...].allSatisfy({ $0 == 0 })
        else { return nil }
        return Array(padded[lengthByteCount..<end])
    }

    private static func paddedByteCount(textByteCount: Int) -> Int {
        var count = smallestByteCount
        while count < textByteCount + lengthByteCount { count *= 2 }
        return count
    }
}
