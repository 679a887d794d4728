/// Bytes of a message in the little-endian order, which clients of X11 may choose.
struct LittleEndianBytes {
    private(set) var bytes: [UInt8] = []

    mutating func put8(_ value: UInt8) { bytes.append(value) }

    mutating func put16(_ value: Int) {
        bytes += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }

    mutating func put32(_ value: UInt32) {
        for shift in [0, 8, 16, 24] as [UInt32] {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Adds the bytes and as many zeros as make them end at a multiple of four.
    mutating func putPadded(_ added: some Collection<UInt8>) {
        bytes += added
        bytes += [UInt8](repeating: 0, count: (4 - added.count % 4) % 4)
    }

    static func read16(_ bytes: [UInt8], at offset: Int) -> Int {
        Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
    }

    static func read32(_ bytes: [UInt8], at offset: Int) -> UInt32 {
        UInt32(read16(bytes, at: offset)) | UInt32(read16(bytes, at: offset + 2)) << 16
    }
}
