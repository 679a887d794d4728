/// A value that is a fixed number of bytes.
package protocol FixedBytes: Hashable, Comparable, Sendable {
    static var byteCount: Int { get }
    var bytes: [UInt8] { get }
    /// - Parameter validated: exactly ``byteCount`` bytes.
    init(validated: [UInt8])
}

extension FixedBytes {
    /// The value of these bytes, or nil when their number is wrong.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(validated: bytes)
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension CanonicalEncoder {
    package mutating func fixed(_ value: some FixedBytes) {
        bytes(value.bytes)
    }
}

extension CanonicalDecoder {
    package mutating func fixed<Value: FixedBytes>(
        _ type: Value.Type = Value.self
    ) throws(RecordsError) -> Value {
        Value(validated: try bytes(count: Value.byteCount))
    }
}
