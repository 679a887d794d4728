package import KSCausality
internal import KSPrimitives
package import KSRecords

/// D(V): a digest of all the writes that an account's records hold, whatever their order.
///
/// It is the sum, modulo 2^256, of HMAC(digest key, E(record id, dot, hash of the box)) over the
/// siblings that are no tombstones. Devices that hold the same writes have the same digest, and
/// nobody without the key can make a difference vanish.
package struct RecordDigest {
    private let key: HMACKey
    /// The sum, lowest word first.
    private var words: [UInt64] = [0, 0, 0, 0]

    /// An empty digest under the key of one generation; nil if the ring does not have it.
    package init?(keyRing: KeyRing, generation: UInt64) {
        guard let key = keyRing.digestKey(generation: generation) else { return nil }
        self.key = HMACKey(key)
    }

    /// Adds one write.
    package mutating func add(_ record: RecordID, _ dot: Dot, boxHash: Hash) {
        var encoder = CanonicalEncoder()
        encoder.fixed(record)
        encoder.dot(dot)
        encoder.fixed(boxHash)
        let bytes = key.authenticate(encoder.encoded)
        var carry: UInt64 = 0
        for index in words.indices {
            // The last eight bytes are the lowest word.
            let end = bytes.count - 8 * index
            let word = bytes[end - 8..<end].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            let (sum, isOver) = words[index].addingReportingOverflow(word)
            let (total, isOverAgain) = sum.addingReportingOverflow(carry)
            words[index] = total
            carry = isOver || isOverAgain ? 1 : 0
        }
    }

    /// The sum as 32 bytes, the highest first.
    package var value: Hash {
        Hash(
            validated: words.reversed().flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
            }
        )
    }
}
