package import KSDigests
internal import KSRedaction

/// The half of an account's credentials that no server receives and nobody can guess: 128 random
/// bits.
///
/// It is written as `K1-XXXXX-…`: six groups of five letters and digits. ``AccountKeyText`` says
/// which typing slips are found.
package struct AccountKey: Hashable, Sendable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// - Parameter bytes: exactly ``byteCount`` of them.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    private init(validated bytes: [UInt8]) {
        self.bytes = bytes
    }

    package static func random(from random: any RandomSource) -> AccountKey {
        AccountKey(validated: random.bytes(byteCount))
    }

    /// Reads what a person typed: case, spaces, dashes do not matter; I and L are 1, O is 0.
    ///
    /// - Throws: ``SealingError/accountKeyMistyped(groups:)`` or
    /// ``SealingError/accountKeyVersionUnknown``.
    package init(parsing text: String) throws(SealingError) {
        bytes = try AccountKeyText.parse(text)
    }

    /// The written form, as it is shown and printed.
    package var text: String { AccountKeyText.format(bytes) }
}

extension AccountKey: Redacted {}
