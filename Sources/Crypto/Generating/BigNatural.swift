internal import Glibc
internal import KSDigests

/// A natural number of any size: the exact number of passwords of a recipe.
struct BigNatural: Equatable, Sendable {
    /// Least significant first, without zeros at the end.
    private(set) var limbs: [UInt32]

    init(_ value: UInt32) {
        limbs = value == 0 ? [] : [value]
    }

    var isZero: Bool { limbs.isEmpty }

    var bitWidth: Int {
        limbs.count * 32 - (limbs.last?.leadingZeroBitCount ?? 0)
    }

    /// The binary logarithm, exact to the precision of a `Double`; 0 for the number 0.
    var log2: Double {
        let top = limbs.suffix(3)
        let value = top.reversed().reduce(0.0) { $0 * 4_294_967_296 + Double($1) }
        return isZero ? 0 : Glibc.log2(value) + Double(32 * (limbs.count - top.count))
    }

    /// Adds `other` times `factor`.
    mutating func add(_ other: BigNatural, times factor: UInt32 = 1) {
        var carry: UInt64 = 0
        var index = 0
        while index < other.limbs.count || carry > 0 {
            if index == limbs.count { limbs.append(0) }
            let product = index < other.limbs.count ? UInt64(other.limbs[index]) : 0
            // At most (2^32 - 1)^2 + 2 (2^32 - 1), which is 2^64 - 1.
            let sum = product * UInt64(factor) + UInt64(limbs[index]) + carry
            limbs[index] = UInt32(truncatingIfNeeded: sum)
            carry = sum >> 32
            index += 1
        }
        trim()
    }

    /// Subtracts a number that is not greater.
    mutating func subtract(_ other: BigNatural) {
        var borrow: Int64 = 0
        for index in limbs.indices {
            let taken = index < other.limbs.count ? Int64(other.limbs[index]) : 0
            let difference = Int64(limbs[index]) - taken - borrow
            limbs[index] = UInt32(truncatingIfNeeded: difference)
            borrow = difference < 0 ? 1 : 0
        }
        precondition(borrow == 0, "a natural number is never below zero")
        trim()
    }

    private mutating func trim() {
        while limbs.last == 0 { limbs.removeLast() }
    }

    /// A number from 0 up to but not including `bound`, each as likely as the others.
    ///
    /// Draws as many bits as `bound` has and starts over when they are too many: a remainder would
    /// make small numbers more likely.
    static func random(below bound: BigNatural, with source: some RandomSource) -> BigNatural {
        precondition(!bound.isZero, "no number is below zero")
        var result = BigNatural(0)
        repeat {
            let bytes = source.bytes(4 * bound.limbs.count)
            result.limbs = bound.limbs.indices.map { index in
                bytes[4 * index..<4 * index + 4].reduce(0) { $0 << 8 | UInt32($1) }
            }
            let excess = 32 * bound.limbs.count - bound.bitWidth
            result.limbs[bound.limbs.count - 1] &= .max >> UInt32(excess)
            result.trim()
        } while !(result < bound)
        return result
    }
}

extension BigNatural: Comparable {
    static func < (left: BigNatural, right: BigNatural) -> Bool {
        guard left.limbs.count == right.limbs.count else {
            return left.limbs.count < right.limbs.count
        }
        return left.limbs.reversed().lexicographicallyPrecedes(right.limbs.reversed())
    }
}
