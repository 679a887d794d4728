package import KSKeyValueStore
package import KSKeyValues
internal import SyncEngine

// The key-value stores, on the device's queue.
extension KeychainOwner {
    /// The entries of a store.
    package func keyValues(of store: StoreIdentifier) throws -> [StoredEntry] {
        try keyValueStore.entries(of: store)
    }

    /// The entries of all stores.
    package func keyValues() throws -> [StoredEntry] {
        try keyValueStore.all()
    }

    package func unreadableKeyValues() throws -> Int {
        try keyValueStore.unreadableRows()
    }

    /// Carries out writes of one store; gives why some of them were refused, by their places.
    package func writeKeyValues(
        _ writes: [KeyWrite],
        to store: StoreIdentifier
    ) throws -> [Int: KeyValueError] {
        try keyValueStore.write(writes, to: store)
    }

    /// Notes every change of an entry for the account from now on; nil for no account.
    func recordKeyValues(for device: EnrolledDevice?) throws {
        keyValueStore.recorder = device.map { device in
            KeyValueOutbox(
                keys: device.keys,
                clock: { DeviceFiles.milliseconds() },
                whenCommitted: { device.news.raise() }
            )
        }
        if device != nil { try keyValueStore.clearUnsent() }
    }
}
