/// Base64 (RFC 4648, section 4).
package enum Base64Text {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )
    private static let padding = UInt8(ascii: "=")
    /// The value of each byte of the alphabet; 64 for every other.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 64, count: 256)
        for (value, byte) in alphabet.enumerated() { values[Int(byte)] = UInt8(value) }
        return values
    }()

    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            bits <<= 8 * UInt32(3 - group.count)
            for place in 0..<4 {
                text.append(
                    place <= group.count
                        ? alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)] : padding
                )
            }
        }
        return text
    }

    /// Nil for what no encoder writes.
    package static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)) }

    /// The bytes of a text that may have blanks and line breaks anywhere, as in XML.
    package static func decode(withBlanks text: [UInt8]) -> [UInt8]? {
        let blanks = Array(" \t\r\n".utf8)
        return decode(
            text.contains { blanks.contains($0) } ? text.filter { !blanks.contains($0) } : text
        )
    }

    /// Nil for what no encoder writes.
    package static func decode(_ text: [UInt8]) -> [UInt8]? { decode(of: text[...]) }

    /// Nil for what no encoder writes; a long text is not copied.
    package static func decode(_ text: Substring.UTF8View) -> [UInt8]? { decode(of: text) }

    private static func decode<Text: BidirectionalCollection<UInt8>>(of text: Text) -> [UInt8]?
    where Text.SubSequence == Text {
        var text = text
        guard text.count % 4 == 0 else { return nil }
        for _ in 0..<2 where text.last == padding { text = text.dropLast() }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for byte in text {
            let value = values[Int(byte)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        // The bits that are left over are zero, or two texts would be one value.
        guard bits & (1 << UInt32(count) - 1) == 0 else { return nil }
        return bytes
    }
}
