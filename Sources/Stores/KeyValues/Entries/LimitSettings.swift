/// The limits that the account's owner has set for one store, or for all.
///
/// They are entries of a reserved store, so they sync like all others: each limit is a field of a
/// map, and the last of concurrent settings of one limit wins on every device.
package enum LimitSettings {
    /// A limit that the owner can set.
    package enum Field: String, CaseIterable, Sendable {
        case keys
        case totalBytes = "total"
        case valueBytes = "value"
        case keyUnits = "key"

        /// The values that may be set.
        package var bounds: ClosedRange<Int> {
            switch self {
            case .keys: 1...65_536
            // A program holds its store in memory, and reads it in one message.
            case .totalBytes: 1...16 << 20
            // A record holds this value, one concurrent value, and 128 KiB of history.
            case .valueBytes: 1...7 << 18
            // As long as a store's name may be; each change contains its key.
            case .keyUnits: 1...2 * StoreIdentifier.bytesMax
            }
        }

        fileprivate var path: WritableKeyPath<KeyValueLimits, Int> {
            switch self {
            case .keys: \.keysMax
            case .totalBytes: \.storeBytesMax
            case .valueBytes: \.valueBytesMax
            case .keyUnits: \.keyUnitsMax
            }
        }
    }

    private static let prefix = "store:"

    /// The key of a store's settings; nil for those of all stores.
    package static func key(of store: StoreIdentifier?) -> String {
        store.map { prefix + $0.text } ?? "all"
    }

    /// The store that a key is about; nil for the key of all stores.
    package static func store(ofKey key: String) -> StoreIdentifier? {
        guard key.hasPrefix(prefix) else { return nil }
        return StoreIdentifier(String(key.dropFirst(prefix.count)))
    }

    /// The writes that set these limits, or remove all settings without one.
    ///
    /// - Throws: ``KeyValueError/limitOutOfBounds(_:bounds:)``.
    package static func writes(
        of store: StoreIdentifier?,
        _ values: [Field: Int]
    ) throws(KeyValueError) -> [KeyWrite] {
        let key = key(of: store)
        guard !values.isEmpty else { return [KeyWrite(key: key, .delete)] }
        var writes: [KeyWrite] = []
        for field in Field.allCases {
            guard let value = values[field] else { continue }
            guard field.bounds.contains(value) else {
                throw .limitOutOfBounds(value, bounds: field.bounds)
            }
            let edit = EntryWrite.setField(field.rawValue, .integer(Int64(value)))
            writes.append(KeyWrite(key: key, .write(edit)))
        }
        return writes
    }
}

extension KeyValueLimits {
    /// The limits of a store: its own settings, else those of all stores, else the default ones.
    ///
    /// A value that is not a number is ignored, and one out of bounds becomes the nearest bound:
    /// every device does the same.
    /// - Parameters:
    ///   - store: the store; nil for the limits of all stores.
    ///   - setting: the value of a key of ``StoreIdentifier/limitSettings``.
    package init(of store: StoreIdentifier?, setting: (String) -> PropertyValue?) {
        self.init()
        guard store != .limitSettings else {
            // The name of a store is longer than other keys.
            (keysMax, keyUnitsMax) = (4096, 2 * StoreIdentifier.bytesMax)
            return
        }
        for key in [nil, store].map(LimitSettings.key(of:)) {
            guard case .dictionary(let fields)? = setting(key) else { continue }
            for field in LimitSettings.Field.allCases {
                guard case .integer(let number)? = fields[field.rawValue] else { continue }
                let bounds = field.bounds
                let value = Int(clamping: number)
                self[keyPath: field.path] = min(max(value, bounds.lowerBound), bounds.upperBound)
            }
        }
    }
}

extension StoreIdentifier {
    /// The store with the owner's limits, which only `sync-client kv limits` writes.
    package static let limitSettings: StoreIdentifier = {
        guard let store = StoreIdentifier("sync-client:limits") else {
            preconditionFailure("a store's name")
        }
        return store
    }()
}
