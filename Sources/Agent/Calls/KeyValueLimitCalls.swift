/// Reads the limits of key-value stores.
package struct GetKeyValueLimits: AgentCall, Codable {
    package typealias Answer = [KeyValueStoreLimits]
    package static let name = "kv.limits"
    package static let permission = AgentPermission.seesAll
    package var mayRepeat: Bool { true }

    /// Nil for those of all stores, followed by those of each store that has its own.
    package var store: String?

    package init(store: String?) { self.store = store }
}

/// Sets limits of key-value stores for the whole account; what is nil stays as it is.
package struct SetKeyValueLimits: AgentCall, Codable {
    package static let name = "kv.limits.set"
    package static let permission = AgentPermission.seesAll

    /// Nil for all stores that have no settings of their own.
    package var store: String?
    package var keys: Int?
    package var totalBytes: Int?
    package var valueBytes: Int?

    /// Without a limit all settings are removed.
    package init(store: String?, keys: Int? = nil, totalBytes: Int? = nil, valueBytes: Int? = nil) {
        self.store = store
        self.keys = keys
        self.totalBytes = totalBytes
        self.valueBytes = valueBytes
    }
}

/// The limits of a key-value store.
package struct KeyValueStoreLimits: AgentCoded, Codable {
    /// Nil for all stores that have no settings of their own.
    package var store: String?
    package var keysMax: Int
    package var keyUnitsMax: Int
    package var valueBytesMax: Int
    package var storeBytesMax: Int

    package init(
        store: String?,
        keysMax: Int,
        keyUnitsMax: Int,
        valueBytesMax: Int,
        storeBytesMax: Int
    ) {
        self.store = store
        self.keysMax = keysMax
        self.keyUnitsMax = keyUnitsMax
        self.valueBytesMax = valueBytesMax
        self.storeBytesMax = storeBytesMax
    }
}
