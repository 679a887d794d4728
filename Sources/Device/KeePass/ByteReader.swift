/// Reads numbers and bytes from the front, each with the lowest byte first.
struct ByteReader {
    private let bytes: [UInt8]
    private(set) var index: Int

    init(_ bytes: [UInt8], at index: Int = 0) { (self.bytes, self.index) = (bytes, index) }

    var isAtEnd: Bool { index >= bytes.count }

    mutating func take(_ count: Int) throws(KeePassError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count - index else { throw .damaged }
        defer { index += count }
        return bytes[index..<index + count]
    }

    mutating func number<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self
    ) throws(KeePassError) -> Number {
        Number(littleEndian: try take(Number.bitWidth / 8))
    }

    /// As much as a number of four bytes before it says.
    mutating func counted() throws(KeePassError) -> ArraySlice<UInt8> {
        try take(Int(try number(UInt32.self)))
    }
}

extension FixedWidthInteger {
    init(littleEndian bytes: some Collection<UInt8>) {
        self = 0
        for (index, byte) in bytes.enumerated() {
            self |= Self(truncatingIfNeeded: byte) << (8 * index)
        }
    }

    var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}
