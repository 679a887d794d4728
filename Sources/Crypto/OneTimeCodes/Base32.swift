/// Base32 (RFC 4648 §6), as sites show secrets to people.
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// The bytes, of letters in any case, with blanks, hyphens and padding ignored.
    static func bytes(_ text: some StringProtocol) throws(OneTimeCodeError) -> [UInt8] {
        var result: [UInt8] = []
        var (bits, bitCount, digits) = (UInt32(0), 0, 0)
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace || scalar.properties.isDash || scalar == "=" {
                continue
            }
            let upper = scalar.value & ~(scalar.properties.isLowercase ? 0x20 : 0)
            guard let byte = UInt8(exactly: upper), let value = alphabet.firstIndex(of: byte) else {
                throw .noBase32
            }
            bits = bits << 5 | UInt32(value)
            bitCount += 5
            digits += 1
            if bitCount >= 8 {
                bitCount -= 8
                result.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        guard digits > 0 else { throw .empty }
        // Of each eight digits, one, three or six cannot be the last ones.
        guard bitCount < 5 else { throw .truncated }
        return result
    }

    /// Without padding.
    static func text(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        var (bits, bitCount) = (UInt32(0), 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                digits.append(alphabet[Int(bits >> UInt32(bitCount) & 31)])
            }
        }
        if bitCount > 0 { digits.append(alphabet[Int(bits << UInt32(5 - bitCount) & 31)]) }
        return String(decoding: digits, as: UTF8.self)
    }
}
