internal import KSBytes
package import KSRecords

/// The 8 letters and digits by which people name a synchronized item or a device of the account:
/// the same on every device.
///
/// They are the first 40 bits of the record's or member's id in RFC 4648's base 32, in lower case.
package struct ItemCode: Equatable, Sendable {
    package static let byteCount = 5
    package static let letterCount = 8
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    package let bytes: [UInt8]

    package init(_ id: RecordID) {
        bytes = Array(id.bytes.prefix(Self.byteCount))
    }

    package init(_ id: MemberID) {
        bytes = Array(id.bytes.prefix(Self.byteCount))
    }

    /// The code of a deleted item, by 16 random bytes that name the deletion on this device.
    package init(deletion id: [UInt8]) {
        bytes = Array(id.prefix(Self.byteCount))
    }

    /// All letters of a device's id, for the case that two devices have the same code.
    static func longText(of id: MemberID) -> String { String(base32: id.bytes) }

    /// Reads what a person typed, in either case.
    package init?(parsing text: String) {
        let letters = Array(text.lowercased().utf8)
        guard letters.count == Self.letterCount else { return nil }
        var bits: UInt64 = 0
        for letter in letters {
            guard let value = Self.alphabet.firstIndex(of: letter) else { return nil }
            bits = bits << 5 | UInt64(value)
        }
        bytes = (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: bits >> (32 - 8 * $0)) }
    }

    package var text: String { String(base32: bytes) }
}
