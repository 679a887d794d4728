/// The error correction of QR codes (§7.5 and annex A): remainders of polynomials over GF(256).
struct ReedSolomon {
    /// The powers of 2 modulo x^8 + x^4 + x^3 + x^2 + 1, twice, so that no sum needs a remainder.
    private static let powers: [UInt8] = {
        var powers: [UInt8] = []
        var value = 1
        for _ in 0..<510 {
            powers.append(UInt8(value))
            value <<= 1
            if value > 255 { value ^= 0x11D }
        }
        return powers
    }()

    private static let logarithms: [Int] = {
        var logarithms = [Int](repeating: 0, count: 256)
        for power in 0..<255 { logarithms[Int(powers[power])] = power }
        return logarithms
    }()

    /// The product of x - 2^i, without the leading 1.
    private let generator: [UInt8]

    /// - Parameter count: The number of codewords of error correction.
    init(count: Int) {
        var product: [UInt8] = [1]
        for power in 0..<count {
            var next = product + [0]
            for index in product.indices {
                next[index + 1] ^= Self.multiply(product[index], Self.powers[power])
            }
            product = next
        }
        generator = Array(product.dropFirst())
    }

    private static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
        left == 0 || right == 0 ? 0 : powers[logarithms[Int(left)] + logarithms[Int(right)]]
    }

    /// The codewords of error correction of a block of data.
    func check(_ data: [UInt8]) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ remainder[0]
            remainder = remainder.dropFirst() + [0]
            for index in generator.indices {
                remainder[index] ^= Self.multiply(generator[index], factor)
            }
        }
        return remainder
    }
}
