internal import KSAgent
internal import KSKeychain
internal import KSKeychainFiles
internal import SyncEngine

extension BackUp: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> BackedUp {
        // Gives the memory of the key derivation back, also after an error.
        defer { ProcessProtection.giveMemoryBack() }
        let path = try OwnFolder(path: daemon.shelf.places.homePath).outside(path)
        let counts = try await daemon.owner.backUp(to: path, passphrase: passphrase)
        return BackedUp(items: counts.items, entries: counts.entries)
    }
}

extension Restore: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> Restored {
        defer { ProcessProtection.giveMemoryBack() }
        let status = try await daemon.accounts.started()?.engine.status()
        let counts = try await daemon.owner.restore(
            from: path,
            passphrase: passphrase,
            isFirstSyncDue: status.map { $0.state.lastSuccessMilliseconds == nil } ?? false
        )
        return Restored(counts.items, keyValues: RestoredCounts(counts.entries))
    }
}

extension Restored {
    fileprivate init(_ counts: RestoreCounts, keyValues: RestoredCounts) {
        self.init(
            added: counts.added,
            replaced: counts.replaced,
            kept: counts.kept,
            unchanged: counts.unchanged,
            keyValues: keyValues
        )
    }
}

extension RestoredCounts {
    fileprivate init(_ counts: RestoreCounts) {
        self.init(
            added: counts.added,
            replaced: counts.replaced,
            kept: counts.kept,
            unchanged: counts.unchanged
        )
    }
}
