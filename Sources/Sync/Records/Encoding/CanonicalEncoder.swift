/// Writes fields in the encoding that is hashed, signed and authenticated.
///
/// Integers are 8 bytes big-endian; strings and byte strings are led by their length; lists are led
/// by their count. The same fields always give the same bytes.
package struct CanonicalEncoder: Sendable {
    /// The beginning of every label, so that no other program's signature passes for ours.
    package static let labelPrefix = "keychain-sync/1 "

    package private(set) var encoded: [UInt8] = []

    /// Starts without a label, for a structure inside another.
    package init() {}

    /// Starts without a label, with room for so many bytes.
    package init(capacity: Int) {
        encoded.reserveCapacity(capacity)
    }

    /// Starts with a label, written without ``labelPrefix``.
    package init(label: String) {
        string(Self.labelPrefix + label)
    }

    package mutating func integer(_ value: UInt64) {
        unsafe withUnsafeBytes(of: value.bigEndian) { unsafe encoded.append(contentsOf: $0) }
    }

    package mutating func boolean(_ value: Bool) {
        integer(value ? 1 : 0)
    }

    package mutating func bytes(_ value: [UInt8]) {
        integer(UInt64(value.count))
        encoded.append(contentsOf: value)
    }

    package mutating func string(_ value: String) {
        integer(UInt64(value.utf8.count))
        encoded.append(contentsOf: value.utf8)
    }

    /// Writes an integer in as few bytes as it needs: seven bits each, lowest first, the high bit
    /// saying that more follow.
    package mutating func compactInteger(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            encoded.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        encoded.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes bytes without a length, which the reader must know.
    package mutating func rawBytes(_ value: [UInt8]) {
        encoded.append(contentsOf: value)
    }

    /// Writes a byte string led by its compact length.
    package mutating func compactBytes(_ value: [UInt8]) {
        compactInteger(UInt64(value.count))
        encoded.append(contentsOf: value)
    }

    /// Writes a list led by its compact count.
    package mutating func compactList<Element>(
        _ elements: some Collection<Element>,
        write: (inout CanonicalEncoder, Element) -> Void
    ) {
        compactInteger(UInt64(elements.count))
        for element in elements { write(&self, element) }
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
