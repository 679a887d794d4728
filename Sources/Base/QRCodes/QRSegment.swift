/// The bits of the contents (§7.4).
struct QRSegment {
    /// Each stands for its place.
    private static let alphanumerics = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

    private let bytes: [UInt8]
    /// The values of all bytes in the alphanumeric mode; nil where one has no such value.
    private let values: [Int]?
    /// Whether the bytes are said to be UTF-8 (§7.4.2).
    ///
    /// Without a word bytes are ISO 8859-1. Many readers guess UTF-8 all the same; zbar may take
    /// them for Chinese or Japanese.
    private let namesUTF8: Bool

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        namesUTF8 = bytes.contains { $0 >= 0x80 } && String(validating: bytes, as: UTF8.self) != nil
        let values = bytes.compactMap { Self.alphanumerics.firstIndex(of: $0) }
        self.values = values.count == bytes.count && !bytes.isEmpty ? values : nil
    }

    /// The bits that say how many bytes there are.
    private func lengthCount(_ version: QRVersion) -> Int {
        switch version.number {
        case ...9: values == nil ? 8 : 9
        case ...26: values == nil ? 16 : 11
        default: values == nil ? 16 : 13
        }
    }

    /// A mode has four bits, and the number of an encoding eight.
    private func headCount(_ version: QRVersion) -> Int {
        (namesUTF8 ? 12 : 0) + 4 + lengthCount(version)
    }

    func bitCount(_ version: QRVersion) -> Int {
        let count = bytes.count
        return headCount(version) + (values == nil ? 8 * count : 11 * (count / 2) + 6 * (count % 2))
    }

    /// The most bytes of this mode.
    func bytesMax(_ version: QRVersion) -> Int {
        let bits = 8 * version.dataCount - headCount(version)
        return values == nil ? bits / 8 : bits / 11 * 2 + (bits % 11 >= 6 ? 1 : 0)
    }

    /// All codewords of data of a version that holds the contents.
    func codewords(_ version: QRVersion) -> [UInt8] {
        var bits = BitString()
        if namesUTF8 {
            bits.append(0b0111, count: 4)
            bits.append(26, count: 8)
        }
        bits.append(values == nil ? 0b0100 : 0b0010, count: 4)
        bits.append(bytes.count, count: lengthCount(version))
        if let values {
            for start in stride(from: 0, to: values.count, by: 2) {
                if start + 1 < values.count {
                    bits.append(values[start] * 45 + values[start + 1], count: 11)
                } else {
                    bits.append(values[start], count: 6)
                }
            }
        } else {
            for byte in bytes { bits.append(Int(byte), count: 8) }
        }
        // The terminator has four bits, or as many as there is room for.
        bits.append(0, count: min(4, 8 * version.dataCount - bits.count))
        var codewords = bits.bytes
        var filling: UInt8 = 0xEC
        while codewords.count < version.dataCount {
            codewords.append(filling)
            filling ^= 0xEC ^ 0x11
        }
        return codewords
    }
}

/// Bits, the most significant one of each byte first.
private struct BitString {
    /// The last byte is filled up with zeros.
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    mutating func append(_ value: Int, count added: Int) {
        for bit in (0..<added).reversed() {
            if count.isMultiple(of: 8) { bytes.append(0) }
            if value >> bit & 1 == 1 { bytes[count / 8] |= 0x80 >> UInt8(count % 8) }
            count += 1
        }
    }
}
