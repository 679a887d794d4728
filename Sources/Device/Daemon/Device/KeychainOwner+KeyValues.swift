internal import KSAgent
internal import KSKeyValueCalls
package import KSKeyValueRecords
internal import KSQueues
internal import KSRecords
internal import KSSealing
internal import KSSyncEngine

// The key-value stores, on the device's queue.
extension KeychainOwner {
    /// Runs `body` with the key-value stores, on the device's queue.
    package func withKeyValues<Result: Sendable>(
        _ body: @Sendable (KeyValueStores) throws -> Result
    ) throws -> Result {
        try body(keyValueStore)
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

    /// Records every further change of an entry for the account; nil for no account.
    func recordKeyValues(for device: EnrolledDevice?) {
        keyValueStore.recorder = device.map { device in
            KeyValueOutbox(
                keys: device.keys,
                deviceName: device.names.device,
                clock: { DeviceFiles.milliseconds() },
                whenCommitted: { device.news.raise() }
            )
        }
        if device != nil {
            // An entry that cannot be rebuilt yet stays damaged, and the doctor reports it.
            _ = try? keyValueStore.repair()
        }
    }

    /// Which account the device belongs to, for programs; nil for none.
    func accountToken() throws -> [UInt8]? {
        try files.account().flatMap { AccountToken(of: $0).token }
    }
}
