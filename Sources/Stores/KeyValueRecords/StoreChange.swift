package import KSKeyValues

/// Where a change of an entry came from.
package enum ChangeOrigin: Sendable {
    case device
    /// Another device.
    case account
    /// Another device, during the first download after this one joined.
    case firstSync
}

/// Which keys of a store changed in one transaction.
package struct StoreChange: Equatable, Sendable {
    package let store: StoreIdentifier
    package let origin: ChangeOrigin
    /// The writer, if it is known.
    package let writer: [UInt8]?
    package var keys: [String]
    /// Those of the keys that have a value; nil if their values are larger than
    /// ``entriesBytesMax`` together.
    package var entries: [StoredEntry]?

    static let entriesBytesMax = 64 << 10

    func isOf(_ other: StoreChange) -> Bool {
        store == other.store && origin == other.origin && writer == other.writer
    }
}
