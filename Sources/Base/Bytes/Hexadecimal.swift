extension String {
    /// Bytes in hexadecimal: two lower-case digits each.
    package init(hexadecimal bytes: some Collection<UInt8>) {
        func digit(_ half: UInt8) -> UInt8 { half < 10 ? 0x30 + half : 0x57 + half }
        unsafe self.init(unsafeUninitializedCapacity: 2 * bytes.count) { digits in
            var end = 0
            for byte in bytes {
                unsafe digits[end] = digit(byte >> 4)
                unsafe digits[end + 1] = digit(byte & 15)
                end += 2
            }
            return end
        }
    }
}

extension [UInt8] {
    /// The bytes that hexadecimal digits in ASCII stand for, in either case.
    ///
    /// Nil for any other character, and for an odd number of digits.
    package init?(hexadecimal digits: some Collection<UInt8>) {
        let halves = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard halves.count == digits.count, halves.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: halves.count, by: 2).map {
            UInt8(halves[$0] << 4 | halves[$0 + 1])
        }
    }
}
