/// Which public keys are refused before any arithmetic is done with them.
///
/// A point of small order makes signatures that are valid for many messages, and key agreements
/// whose result everyone knows. Source: the eight points of order 1, 2, 4 and 8 of Curve25519 and
/// edwards25519 with all their encodings, as in Cremers and Jackson, "Prime, Order Please!" (2019),
/// appendix, and Chalkias et al., "Taming the Many EdDSAs" (2020), table 1.
package enum PublicKeyRules {
    package static let byteCount = 32

    /// Whether the bytes may be an Ed25519 public key: canonical (RFC 8032 §5.1.3), not of small
    /// order.
    package static func isUsableForSigning(_ publicKey: [UInt8]) -> Bool {
        guard let coordinate = coordinate(publicKey) else { return false }
        return isCanonical(coordinate) && !smallOrderEdwards.contains(coordinate)
    }

    /// Whether the bytes may be an X25519 public key: not of small order.
    ///
    /// RFC 7748 §5 wants encodings of 2^255 - 19 and above accepted and the highest bit ignored.
    package static func isUsableForAgreement(_ publicKey: [UInt8]) -> Bool {
        guard let coordinate = coordinate(publicKey) else { return false }
        return !smallOrderMontgomery.contains(coordinate)
    }

    /// The 255 bits of the coordinate, without the bit that is a sign or to be ignored.
    private static func coordinate(_ publicKey: [UInt8]) -> [UInt8]? {
        guard publicKey.count == byteCount else { return nil }
        var coordinate = publicKey
        coordinate[byteCount - 1] &= 0x7F
        return coordinate
    }

    /// Whether a little-endian coordinate is below the prime 2^255 - 19.
    private static func isCanonical(_ coordinate: [UInt8]) -> Bool {
        coordinate.reversed().lexicographicallyPrecedes(prime(plus: 0).reversed())
    }

    /// y of the points of order 1, 2, 4, 8; public keys are no secrets, so plain comparison is
    /// enough.
    private static let smallOrderEdwards: [[UInt8]] = [
        small(0), small(1), prime(plus: -1), prime(plus: 0), prime(plus: 1),
        [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef,
            0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88,
            0x6d, 0x53, 0xfc, 0x05,
        ],
        [
            0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10,
            0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77,
            0x92, 0xac, 0x03, 0x7a,
        ],
    ]

    /// u of the points of order 1, 2, 4, 8 of the curve and its twist.
    private static let smallOrderMontgomery: [[UInt8]] = [
        small(0), small(1), prime(plus: -1), prime(plus: 0), prime(plus: 1),
        [
            0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f,
            0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16,
            0x5f, 0x49, 0xb8, 0x00,
        ],
        [
            0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83,
            0xef, 0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd,
            0xd0, 0x9f, 0x11, 0x57,
        ],
    ]

    private static func small(_ value: UInt8) -> [UInt8] {
        [value] + [UInt8](repeating: 0, count: byteCount - 1)
    }

    /// 2^255 - 19 + `offset`, little-endian; the lowest byte does not overflow for -1, 0 and 1.
    private static func prime(plus offset: Int) -> [UInt8] {
        [UInt8(0xED + offset)] + [UInt8](repeating: 0xFF, count: byteCount - 2) + [0x7F]
    }
}
