internal import KSDigests
internal import KSFileCiphers

/// The blocks of version 4: encrypted bytes, each block with a tag of its own.
struct TaggedBlocks {
    private static let tagByteCount = 32
    static let blockBytes = 1 << 20

    private let key: [UInt8]

    /// `key`: the hash of seed, derived key and a one.
    init(key: [UInt8]) { self.key = key }

    /// The key of a block; the header has that of the highest number.
    private func key(of number: UInt64) -> [UInt8] {
        FileDigest.sha512(number.littleEndianBytes[...], key[...])
    }

    func tag(ofHeader header: ArraySlice<UInt8>) -> [UInt8] {
        FileDigest.hmac(key: key(of: .max), header)
    }

    private func tag(of block: ArraySlice<UInt8>, number: UInt64) -> [UInt8] {
        FileDigest.hmac(
            key: key(of: number),
            number.littleEndianBytes[...],
            UInt32(block.count).littleEndianBytes[...],
            block
        )
    }

    /// Checks all blocks of a file before anything of them is used.
    ///
    /// - Returns: where their bytes are.
    func check(_ file: [UInt8], from start: Int) throws(KeePassError) -> [Range<Int>] {
        var reader = ByteReader(file, at: start)
        var ranges: [Range<Int>] = []
        while true {
            let tag = Array(try reader.take(Self.tagByteCount))
            let block = try reader.counted()
            guard
                ConstantTime.areEqual(tag, self.tag(of: block, number: UInt64(ranges.count)))
            else { throw .damaged }
            if block.isEmpty { return ranges }
            ranges.append(block.startIndex..<block.endIndex)
        }
    }

    /// The block with its tag and its length, as files have it; an empty one is the last.
    func written(_ block: ArraySlice<UInt8>, number: UInt64) -> [UInt8] {
        tag(of: block, number: number) + UInt32(block.count).littleEndianBytes + block
    }
}

/// The blocks of version 3: bytes that are decrypted, each block with its hash.
struct HashedBlocks {
    private static let hashByteCount = 32
    private static let headByteCount = 4 + hashByteCount + 4

    private var pending: [UInt8] = []
    private var number: UInt32 = 0
    private(set) var isEnded = false

    /// Gives `take` each block that is complete.
    mutating func feed(
        _ bytes: ArraySlice<UInt8>,
        _ take: (ArraySlice<UInt8>) throws(KeePassError) -> Void
    ) throws(KeePassError) {
        guard !isEnded else { return }
        pending += bytes
        var index = 0
        while !isEnded, pending.count - index >= Self.headByteCount {
            let head = pending[index..<index + Self.headByteCount]
            guard UInt32(littleEndian: head.prefix(4)) == number else { throw .damaged }
            let hash = Array(head.dropFirst(4).prefix(Self.hashByteCount))
            let count = Int(UInt32(littleEndian: head.suffix(4)))
            let start = index + Self.headByteCount
            guard pending.count - start >= count else { break }
            let block = pending[start..<start + count]
            number &+= 1
            index = start + count
            if count == 0 {
                guard hash.allSatisfy({ $0 == 0 }) else { throw .damaged }
                isEnded = true
            } else {
                guard FileDigest.sha256(block) == hash else { throw .damaged }
                try take(block)
            }
        }
        pending.removeFirst(index)
    }
}
