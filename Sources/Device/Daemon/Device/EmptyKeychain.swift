internal import KSDeviceKeys
internal import KSQueues

/// A keychain in memory, which begins empty: what a dry run takes entries into where there is no
/// device.
package struct EmptyKeychain: Sendable {
    private let owner: KeychainOwner

    package init() throws {
        owner = try KeychainOwner(files: DeviceFiles(storage: MemoryKeyFiles()))
    }

    /// Takes entries as a new device without an account does; later calls find them.
    package func take(_ call: ImportEntries) throws(CommandFailure) -> TakenEntries {
        do {
            let taken = try owner.queue.borrowed {
                try owner.assumeIsolated { owner in try owner.take(call) }
            }
            guard let taken else { preconditionFailure("nothing else runs on the queue") }
            return taken
        } catch {
            throw CommandFailure(error)
        }
    }
}
