internal import KSAgent
internal import KSKeychain
internal import KSKeyValueStore
internal import KSKeyValues
internal import KSRecords
internal import KSSecItem

extension Caller {
    /// The store that a program means: its own, or one that its entitlements name.
    ///
    /// As with access groups, `sync-client` may use all.
    fileprivate func store(_ named: String?) throws -> StoreIdentifier {
        guard let named = named ?? program.accessGroups.first,
            let store = StoreIdentifier(named)
        else {
            throw CommandFailure.usage(
                "A store's name has 1 to \(StoreIdentifier.bytesMax) bytes, and no control"
                    + " characters."
            )
        }
        if case .all = access { return store }
        guard program.accessGroups.contains(named) else { throw KeychainError.missingEntitlement }
        return store
    }
}

extension ReadKeyValues: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [KeyValueEntry] {
        let store = try caller.store(store)
        let entries = try await daemon.owner.keyValues(of: store)
        return entries.filter { key == nil || $0.name.key == key }.map { entry in
            KeyValueEntry(
                store: entry.name.store.text,
                key: entry.name.key,
                type: entry.type?.name,
                value: entry.value?.encoded,
                overflows: entry.overflows,
                changed: AgentDate(milliseconds: entry.changedMilliseconds)
            )
        }
    }
}

extension ListKeyValueStores: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [KeyValueStoreSize] {
        let entries = try await daemon.owner.keyValues()
        let stores = Dictionary(grouping: entries) { $0.name.store.text }
        return stores.sorted { $0.key < $1.key }.map { store, entries in
            KeyValueStoreSize(
                store: store,
                keys: entries.count,
                bytes: entries.reduce(0) { $0 + $1.valueBytes }
            )
        }
    }
}

extension WriteKeyValues: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [KeyValueRefusal] {
        let store = try caller.store(store)
        let decoded: [KeyWrite]
        do {
            decoded = try writes.map { try KeyWrite(decoding: $0.data ?? []) }
        } catch is RecordsError {
            throw CommandFailure.malformedCall
        }
        let refusals = try await daemon.owner.writeKeyValues(decoded, to: store)
        return refusals.sorted { $0.key < $1.key }.map {
            KeyValueRefusal(place: $0.key, sentence: $0.value.sentence)
        }
    }
}

extension WatchKeyValues: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> AgentNothing {
        let changes = daemon.owner.watchers.changes(of: try caller.store(store))
        caller.reportProgress(AgentProgress(done: 0, total: 0, text: ""))
        for await change in changes {
            for key in change.keys {
                let isExternal: UInt64 = change.isExternal ? 1 : 0
                caller.reportProgress(AgentProgress(done: isExternal, total: 0, text: key))
            }
        }
        return AgentNothing()
    }
}
