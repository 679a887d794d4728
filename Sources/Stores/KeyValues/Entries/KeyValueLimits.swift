/// How much a store may hold; Apple's limits unless the account's owner sets others.
package struct KeyValueLimits: Equatable, Sendable {
    /// Keys of one store.
    package var keysMax = 1024
    /// UTF-16 units of one key.
    package var keyUnitsMax = 128
    /// Bytes of one encoded value.
    package var valueBytesMax = 1 << 20
    /// Bytes of all encoded values of one store.
    package var storeBytesMax = 1 << 20

    package init() {}

    /// Checks a key before it is set.
    package func check(key: String) throws(KeyValueError) {
        guard !key.isEmpty else { throw .keyEmpty }
        guard key.utf16.count <= keyUnitsMax else {
            throw .limitExceeded(.keyUnits, wanted: key.utf16.count, max: keyUnitsMax)
        }
    }

    /// Checks how deeply a value is nested: a deeper one could not be decoded again.
    package static func check(depthOf value: PropertyValue?) throws(KeyValueError) {
        try check(depth: value?.depth ?? 0)
    }

    /// The same for an encoded value.
    package static func check(depthOf value: EncodedValue?) throws(KeyValueError) {
        try check(depth: value?.depth ?? 0)
    }

    private static func check(depth: Int) throws(KeyValueError) {
        guard depth <= PropertyValue.depthMax else {
            throw .limitExceeded(.depth, wanted: depth, max: PropertyValue.depthMax)
        }
    }

    /// Checks a store after a key was set.
    ///
    /// - Parameters:
    ///   - valueBytes: the encoded size of its value.
    ///   - keys: how many keys the store has now.
    ///   - storeBytes: the encoded size of all its values now.
    ///   - bytesBefore: the encoded size that the value had; nil for a new key. A value that does
    ///     not grow is never refused, whatever the limits are now.
    /// - Throws: ``KeyValueError/limitExceeded(_:wanted:max:)``.
    package func check(
        valueBytes: Int,
        keys: Int,
        storeBytes: Int,
        bytesBefore: Int? = nil
    ) throws(KeyValueError) {
        if let bytesBefore, valueBytes <= bytesBefore { return }
        for (limit, wanted, max) in [
            (KeyValueError.Limit.valueBytes, valueBytes, valueBytesMax),
            (.keys, keys, keysMax), (.storeBytes, storeBytes, storeBytesMax),
        ] where wanted > max {
            throw .limitExceeded(limit, wanted: wanted, max: max)
        }
    }
}

/// Why a write to a key-value store is refused; nothing was changed.
///
/// No case carries keys or values, so an error is safe to log.
package enum KeyValueError: Error, Equatable {
    package enum Limit: String, Sendable {
        case keyUnits = "UTF-16 units in a key"
        case valueBytes = "bytes in a value"
        case depth = "levels of nesting in a value"
        case keys = "keys in a store"
        case storeBytes = "bytes in a store"
        case elements = "elements in a value"
        case stateBytes = "bytes in a merged value"
        case counterActors = "devices that change one counter"
        case writers = "devices that write one key"
        case positionBytes = "bytes in a place of a list"

        /// Whether the account's owner can set it.
        var isSettable: Bool {
            switch self {
            case .keyUnits, .valueBytes, .keys, .storeBytes: true
            case .depth, .elements, .stateBytes, .counterActors, .writers, .positionBytes: false
            }
        }
    }

    case keyEmpty
    case limitExceeded(Limit, wanted: Int, max: Int)
    /// The owner wants a limit that no device can keep.
    case limitOutOfBounds(Int, bounds: ClosedRange<Int>)
    /// The key has another merge type.
    case typeMismatch(declared: MergeType, wanted: MergeType)
    /// The value cannot be one of this merge type.
    case wrongValue(MergeType, typeName: String)
    /// A newer program wrote the entry: this one keeps its value and cannot change it.
    case newerType
    /// The unsent increments of a counter have reached their maximum.
    case counterFull
    /// The list has no such place.
    case noSuchPlace(Int, count: Int)

    /// What happened and what to do, for people.
    package var sentence: String {
        switch self {
        case .keyEmpty: "A key must not be empty."
        case .limitExceeded(.counterActors, let wanted, let max):
            "The limit is \(max) \(Limit.counterActors.rawValue); this one would be number"
                + " \(wanted). Count with a new key."
        case .limitExceeded(.writers, let wanted, let max):
            "The limit is \(max) \(Limit.writers.rawValue), each of their sign-ins counted; this"
                + " would be number \(wanted). Use a new key."
        case .limitExceeded(let limit, let wanted, let max):
            "The limit is \(max) \(limit.rawValue); this write needs \(wanted)."
                + (limit.isSettable ? " To change it: sync-client kv limits." : "")
        case .limitOutOfBounds(let wanted, let bounds):
            "\(wanted) is not a possible limit: use \(bounds.lowerBound) to \(bounds.upperBound)."
        case .typeMismatch(let declared, let wanted):
            "The key is a \(declared.name), not a \(wanted.name)."
        case .wrongValue(.counter, "integer"):
            "The number is too large: a counter holds what fits into 64 bits with a sign."
        case .wrongValue(let type, let typeName):
            "A value of the type \(typeName) cannot be a \(type.name)."
        case .newerType:
            "A newer version of this program wrote this key's value: update this device."
        case .counterFull:
            "The counter has no room for so large a change: sync first, or delete the key."
        case .noSuchPlace(let place, let count):
            "The list has no place \(place); it has \(count) elements."
        }
    }
}
