import KSPrimitives
import KSSecrets

/// A ciphertext with a tag that AES-GCM accepts under two keys, nonce zero.
///
/// All blocks are zero but the last, X; then the tag under a key is X·H² ⊕ L·H ⊕ S, with H and S
/// that key's hash key and tag mask and L the block of lengths. Both tags are equal for one X.
enum TwoKeyCiphertext {
    static func make(_ first: SharedSecret, _ second: SharedSecret, blocks: Int) -> [UInt8] {
        let one = parts(of: first)
        let two = parts(of: second)
        let lengths = FieldElement(low: UInt64(blocks * 128))
        let right = (one.hash + two.hash) * lengths + one.mask + two.mask
        let squares = one.hash * one.hash + two.hash * two.hash
        let last = right * squares.inverse
        let tag = last * one.hash * one.hash + lengths * one.hash + one.mask
        return [UInt8](repeating: 0, count: (blocks - 1) * 16) + last.bytes + tag.bytes
    }

    /// H and S of a key, found by sealing nothing: the tag of nothing is S, and that of 16 zero
    /// bytes that are only authenticated is S + L·H.
    private static func parts(of key: SharedSecret) -> (hash: FieldElement, mask: FieldElement) {
        let nonce = [UInt8](repeating: 0, count: 12)
        let zeros = [UInt8](repeating: 0, count: 16)
        let mask = FieldElement(
            AES256GCM.seal([], key: key, nonce: nonce, associatedData: [])
        )
        let tag = FieldElement(
            AES256GCM.seal([], key: key, nonce: nonce, associatedData: zeros)
        )
        let lengths = FieldElement(high: 128)
        return ((tag + mask) * lengths.inverse, mask)
    }
}

/// An element of GF(2^128) as GCM writes it (NIST SP 800-38D, section 6.3): the first bit is x⁰.
private struct FieldElement {
    var high: UInt64
    var low: UInt64

    init(high: UInt64 = 0, low: UInt64 = 0) {
        self.high = high
        self.low = low
    }

    init(_ bytes: [UInt8]) {
        high = bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
    }

    var bytes: [UInt8] {
        [high, low].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    static func + (left: FieldElement, right: FieldElement) -> FieldElement {
        FieldElement(high: left.high ^ right.high, low: left.low ^ right.low)
    }

    static func * (left: FieldElement, right: FieldElement) -> FieldElement {
        var product = FieldElement()
        var shifted = right
        for bit in 0..<128 {
            let word = bit < 64 ? left.high : left.low
            if word >> (63 - UInt64(bit % 64)) & 1 == 1 { product = product + shifted }
            let carry = shifted.low & 1
            shifted.low = shifted.low >> 1 | shifted.high << 63
            shifted.high >>= 1
            if carry == 1 { shifted.high ^= 0xE1 << 56 }
        }
        return product
    }

    /// To the power 2^128 − 2.
    var inverse: FieldElement {
        var result = FieldElement(high: 1 << 63)
        var square = self
        for _ in 1..<128 {
            square = square * square
            result = result * square
        }
        return result
    }
}
