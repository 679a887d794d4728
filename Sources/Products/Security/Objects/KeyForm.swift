internal import KSCertificates
internal import KSDigests

/// The size and the public half of a key, read from its bytes.
struct KeyForm {
    let bits: Int
    /// Nil for a symmetric key, and for a private key without its public half.
    let publicBytes: [UInt8]?

    /// The hash by which a private key, its public half and a certificate are matched.
    var hash: [UInt8]? { publicBytes.map(SHA1.hash) }

    /// Nil if the bytes are not such a key.
    init?(type: String, keyClass: SecKey.KeyClass, bytes: [UInt8]) {
        switch (type, keyClass) {
        case (_, .symmetric):
            guard !bytes.isEmpty else { return nil }
            bits = bytes.count * 8
            publicBytes = nil
        case ("42", _):
            guard let numbers = Self.rsaNumbers(bytes, isPrivate: keyClass == .privateKey)
            else { return nil }
            bits = Self.bitCount(numbers.modulus)
            publicBytes = DER.encode(
                tag: 0x30,
                DER.encode(tag: 0x02, numbers.modulus) + DER.encode(tag: 0x02, numbers.exponent)
            )
        case ("73", _):
            let parts = keyClass == .privateKey ? 3 : 2
            guard bytes.first == 4, let size = Self.curve(bytes.count - 1, parts: parts) else {
                return nil
            }
            bits = size.bits
            publicBytes = Array(bytes.prefix(1 + 2 * size.bytes))
        case ("105", _), ("106", _):
            guard bytes.count == 32 else { return nil }
            bits = 256
            publicBytes = keyClass == .publicKey ? bytes : nil
        default: return nil
        }
    }

    /// PKCS #1 (RFC 8017, A.1): modulus and exponent, after a version in a private key.
    private static func rsaNumbers(
        _ bytes: [UInt8],
        isPrivate: Bool
    ) -> (modulus: [UInt8], exponent: [UInt8])? {
        guard let outer = DER.contents(of: bytes[...]), outer.tag == 0x30, outer.rest.isEmpty else {
            return nil
        }
        var numbers: [[UInt8]] = []
        var rest = outer.contents
        while !rest.isEmpty {
            guard let number = DER.contents(of: rest), number.tag == 0x02 else { return nil }
            numbers.append(Array(number.contents))
            rest = number.rest
        }
        guard numbers.count == (isPrivate ? 9 : 2) else { return nil }
        let first = isPrivate ? 1 : 0
        guard bitCount(numbers[first]) >= 512 else { return nil }
        return (numbers[first], numbers[first + 1])
    }

    private static func bitCount(_ number: [UInt8]) -> Int {
        let digits = number.drop { $0 == 0 }
        return digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
    }

    /// The curve of a key whose `parts` numbers take `count` bytes together.
    private static func curve(_ count: Int, parts: Int) -> (bits: Int, bytes: Int)? {
        let sizes = [(192, 24), (256, 32), (384, 48), (521, 66)]
        return sizes.first { $0.1 * parts == count }.map { (bits: $0.0, bytes: $0.1) }
    }
}
