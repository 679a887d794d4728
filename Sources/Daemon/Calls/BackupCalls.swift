internal import KSAgent
internal import KSKeychain
internal import KSKeychainFiles

extension BackUp: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> BackedUp {
        // Gives the memory of the key derivation back, also after an error.
        defer { ProcessProtection.giveMemoryBack() }
        let path = try OwnFolder(path: daemon.shelf.places.homePath).outside(path)
        return BackedUp(items: try await daemon.owner.backUp(to: path, passphrase: passphrase))
    }
}

extension Restore: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> Restored {
        defer { ProcessProtection.giveMemoryBack() }
        let counts = try await daemon.owner.restore(from: path, passphrase: passphrase)
        return Restored(
            added: counts.added,
            replaced: counts.replaced,
            kept: counts.kept,
            unchanged: counts.unchanged
        )
    }
}
