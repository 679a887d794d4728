/// Base64 (RFC 4648, section 4) in XML, with blanks and line breaks anywhere.
enum Base64 {
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

    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var bits: UInt32 = 0
            for offset in 0..<3 {
                bits = bits << 8 | (offset < count ? UInt32(bytes[start + offset]) : 0)
            }
            for place in 0..<4 {
                let digit = alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)]
                text.append(place <= count ? digit : padding)
            }
        }
        return text
    }

    /// Nil for what no encoder writes.
    static func decode(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var (bits, count, digits, isEnded) = (UInt32(0), 0, 0, false)
        for byte in text {
            if " \t\r\n".utf8.contains(byte) { continue }
            if byte == padding {
                isEnded = true
                digits += 1
                continue
            }
            let value = values[Int(byte)]
            guard value < 64, !isEnded else { return nil }
            digits += 1
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return digits.isMultiple(of: 4) ? bytes : nil
    }
}
