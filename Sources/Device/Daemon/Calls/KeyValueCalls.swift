internal import KSAgent
internal import KSKeychain
internal import KSKeyValueCalls
internal import KSKeyValueRecords
internal import KSKeyValues
internal import KSSecItem
internal import KSTransport
internal import KSSyncEngine

extension Caller {
    /// The store that a program means: its own, or one that its entitlements name.
    ///
    /// An access group allows the store of its name, but no program gets that store without naming
    /// it: programs that share items would share settings too. `sync-client` may use all stores.
    func store(_ named: String?) throws -> StoreIdentifier {
        guard let executable else {
            throw CommandFailure.refused(
                "This program has no key-value store: the daemon cannot see its executable."
            )
        }
        let own = StoreIdentifier.executablePrefix + executable
        let store = try StoreIdentifier(ofProgram: named ?? program.keyValueStore ?? own)
        if case .all = access { return store }
        let names = program.accessGroups + [program.keyValueStore ?? own, own]
        guard names.contains(where: { $0.hasSameBytes(as: store.text) }) else {
            throw CommandFailure.refused(
                "This program may not use the store \"\(store.text)\": entitlements.json does not"
                    + " name it for this program."
            )
        }
        return store
    }
}

extension ReadKeyValues: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [KeyValueEntry] {
        let store = try caller.store(store)
        let shown = try await daemon.owner.withKeyValues { try $0.answer(self, of: store) }
        if marksConflicts == true, let keys {
            let names = Set(keys.map { EntryName(store: store, key: $0) })
            // The values are still shown; the conflict is listed again later.
            try? await daemon.accounts.started()?.engine.withReplica {
                try $0.markLookedAt(names)
            }
        }
        return shown
    }
}

extension ListKeyValueStores: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [KeyValueStoreSize] {
        let entries = try await daemon.owner.withKeyValues { try $0.all() }
        let stores = Dictionary(grouping: entries) { $0.name.store.text }
            .filter { $0.key != StoreIdentifier.limitSettings.text }
        return stores.sorted { $0.key < $1.key }.map { store, entries in
            KeyValueStoreSize(
                store: store,
                keys: entries.count,
                bytes: entries.reduce(0) { $0 + $1.valueBytes }
            )
        }
    }
}

extension WriteKeyValues: HandledOnQueue {
    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> WrittenKeyValues {
        try owner.keyValueStore.answer(self, of: caller.store(store))
    }
}

extension WatchKeyValues: HandledWhileOpen {
    func start(on daemon: CallHandler, _ caller: Caller) throws -> AgentAnswer.Start {
        let (watchers, store, writer) = (daemon.owner.watchers, try caller.store(store), writer)
        return { reportProgress in
            // Each report is sent on the thread that made the change, before anything else is
            // done.
            let number = watchers.watch(store, except: writer) { reportProgress($0.progress) }
            return { watchers.end(number) }
        }
    }
}

extension GetAccountToken: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> AccountToken {
        AccountToken(token: try await daemon.owner.accountToken())
    }
}

extension GetKeyValueStatus: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> KeyValueStatus {
        let store = try caller.store(store)
        var status = try await daemon.owner.withKeyValues { try $0.status(of: store) }
        status.account = try await daemon.owner.accountToken()
        guard let running = await daemon.accounts.started() else { return status }
        let sync = try await running.engine.status()
        let pause = sync.state.hold.map { CommandFailure($0) }
        let problem = (pause ?? sync.problem)?.sentence
        status.set(sync.state, unsent: sync.counts.unsent, problem: problem)
        return status
    }
}

extension SyncKeyValues: HandledCommand {
    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        let outcome = try await daemon.accounts.engine().syncNow()
        // Records that stay open are reported by `status`.
        if case .open = outcome { return }
        if let failure = CommandFailure(outcome) { throw failure }
    }
}
