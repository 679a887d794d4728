/// Writes fields as the one encoding that is hashed, signed and authenticated.
///
/// Integers are 8 bytes big-endian; strings and byte strings are led by their length; lists are led by
/// their count. The same fields always give the same bytes.
package struct CanonicalEncoder: Sendable {
    /// What every label starts with, so that no other program's signature can be taken for ours.
    package static let labelPrefix = "keychain-sync/1 "

    package private(set) var encoded: [UInt8] = []

    /// Starts without a label, for a structure inside another.
    package init() {}

    /// Starts with a label, written without ``labelPrefix``.
    package init(label: String) {
        string(Self.labelPrefix + label)
    }

    package mutating func integer(_ value: UInt64) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            encoded.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    package mutating func boolean(_ value: Bool) {
        integer(value ? 1 : 0)
    }

    package mutating func bytes(_ value: [UInt8]) {
        integer(UInt64(value.count))
        encoded.append(contentsOf: value)
    }

    package mutating func string(_ value: String) {
        bytes(Array(value.utf8))
    }

    /// Writes a list: its count, then each element as `write` puts it.
    package mutating func list<Element>(
        _ elements: some Collection<Element>,
        write: (inout CanonicalEncoder, Element) -> Void
    ) {
        integer(UInt64(elements.count))
        for element in elements { write(&self, element) }
    }
}
