package import KSKeyValueRecords
package import KSKeyValues
internal import KSSealing
internal import SyncEngine

// The key-value stores, on the device's queue.
extension KeychainOwner {
    /// The entries of a store, or those of them that have these names.
    package func keyValues(
        of store: StoreIdentifier,
        named names: Set<EntryName>? = nil
    ) throws -> [StoredEntry] {
        guard let names else { return try keyValueStore.entries(of: store) }
        return try keyValueStore.entries(named: names)
    }

    package func keyValueLimits(of store: StoreIdentifier) throws -> KeyValueLimits {
        try keyValueStore.limits(of: store)
    }

    /// How many keys a store has, and the bytes of all its encoded values.
    package func keyValueSize(of store: StoreIdentifier) throws -> (keys: Int, bytes: Int) {
        try keyValueStore.size(of: store)
    }

    package func conflictingKeyValues(of name: EntryName) throws -> [PropertyValue] {
        try keyValueStore.conflictingValues(of: name)
    }

    /// The entries of all stores.
    package func keyValues() throws -> [StoredEntry] {
        try keyValueStore.all()
    }

    package func unreadableKeyValues() throws -> Int {
        try keyValueStore.unreadableRows()
    }

    /// Rebuilds entries whose rows are damaged, if there is an account that can be read.
    ///
    /// - Returns: how many were rebuilt.
    package func repairKeyValues() throws -> Int {
        guard keys != nil else { return 0 }
        do {
            return try keyValueStore.repair()
        } catch SealingError.classLocked {
            return 0
        }
    }

    /// Carries out writes of one store, and reads entries afterwards.
    ///
    /// - Returns: why some writes were refused, by their places; and the entries.
    package func writeKeyValues(
        _ writes: [KeyWrite],
        to store: StoreIdentifier,
        batch: WriteBatchID?,
        isAtomic: Bool,
        reading names: Set<EntryName>
    ) throws -> (refusals: [Int: KeyValueError], entries: [StoredEntry]) {
        let refusals = try keyValueStore.write(
            writes,
            to: store,
            batch: batch,
            isAtomic: isAtomic
        )
        return (refusals, try keyValueStore.entries(named: names))
    }

    /// Notes every change of an entry for the account from now on; nil for no account.
    func recordKeyValues(for device: EnrolledDevice?) throws {
        keyValueStore.recorder = device.map { device in
            KeyValueOutbox(
                keys: device.keys,
                deviceName: device.names.device,
                clock: { DeviceFiles.milliseconds() },
                whenCommitted: { device.news.raise() }
            )
        }
        if device != nil {
            try keyValueStore.clearUnsent()
            // What cannot be rebuilt yet stays damaged, and the doctor says so.
            _ = try? keyValueStore.repair()
            watchers.reportAccount()
        }
    }
}
