package import KSAgent
internal import KSKeyValueRecords
internal import KSKeyValues
internal import KSRedaction

/// Reads the limits of key-value stores.
package struct GetKeyValueLimits: HandledCall, Codable {
    package typealias Answer = [KeyValueStoreLimits]
    package static let name = "kv.limits"
    package static let permission = AgentPermission.seesAll
    package var mayRepeat: Bool { true }

    /// Nil for those of all stores, followed by those of each store that has its own.
    package var store: String?

    package init(store: String?) { self.store = store }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [KeyValueStoreLimits] {
        let settings = try await daemon.owner.withKeyValues {
            try $0.entries(of: .limitSettings)
        }
        let values = settings.map { (key: $0.name.key, value: $0.value) }
        func limits(of store: StoreIdentifier?) -> KeyValueStoreLimits {
            // Without settings of its own a store has those of all stores.
            let limits = KeyValueLimits(of: store) { key in
                values.first { $0.key == key }?.value
            }
            return KeyValueStoreLimits(limits, of: store)
        }
        if let store = try caller.limitedStore(store) { return [limits(of: store)] }
        let stores = values.compactMap { LimitSettings.store(ofKey: $0.key) }
        return [limits(of: nil)] + stores.map { limits(of: $0) }
    }
}

/// Sets limits of key-value stores for the whole account; what is nil stays as it is.
package struct SetKeyValueLimits: HandledCommand, Codable {
    package static let name = "kv.limits.set"
    package static let permission = AgentPermission.seesAll

    /// Nil for all stores that have no settings of their own.
    package var store: String?
    package var keys: Int?
    package var totalBytes: Int?
    package var valueBytes: Int?
    package var keyUnits: Int?

    /// Without a limit all settings are removed.
    package init(store: String?) { self.store = store }

    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        var values: [LimitSettings.Field: Int] = [:]
        values[.keys] = keys
        values[.totalBytes] = totalBytes
        values[.valueBytes] = valueBytes
        values[.keyUnits] = keyUnits
        let store = try caller.limitedStore(store)
        let writes: [KeyWrite]
        do throws(KeyValueError) {
            writes = try LimitSettings.writes(of: store, values)
        } catch {
            throw CommandFailure.usage(error.sentence)
        }
        let refusals = try await daemon.owner.withKeyValues { [writes] stores in
            try stores.write(writes, to: .limitSettings, batch: nil, isAtomic: true)
        }
        if let refusal = refusals.first { throw CommandFailure.refused(refusal.value.sentence) }
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

    fileprivate init(_ limits: KeyValueLimits, of store: StoreIdentifier?) {
        self.store = store?.text
        keysMax = limits.keysMax
        keyUnitsMax = limits.keyUnitsMax
        valueBytesMax = limits.valueBytesMax
        storeBytesMax = limits.storeBytesMax
    }
}

extension Caller {
    /// A store that has limits; nil for all stores.
    fileprivate func limitedStore(_ named: String?) throws -> StoreIdentifier? {
        let store = try named.map { try self.store($0) }
        guard store != .limitSettings else {
            throw CommandFailure.refused("The limits of this store cannot be changed.")
        }
        return store
    }
}
