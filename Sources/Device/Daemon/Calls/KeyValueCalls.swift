internal import KSAgent
internal import KSKeychain
internal import KSKeyValueRecords
internal import KSKeyValues
internal import KSRecords
internal import KSResolution
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
        guard let store = StoreIdentifier(named ?? program.keyValueStore ?? own) else {
            throw CommandFailure.usage(
                "A store's name has 1 to \(StoreIdentifier.bytesMax) bytes, and no control"
                    + " characters."
            )
        }
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

extension KeyValueEntry {
    init(_ entry: StoredEntry) {
        self.init(
            store: entry.name.store.text,
            key: entry.name.key,
            type: entry.type?.name,
            value: entry.encodedValue?.bytes,
            overflows: entry.overflows,
            changed: AgentDate(milliseconds: entry.changedMilliseconds),
            device: entry.device,
            isExternal: entry.isExternal
        )
    }
}

extension HiddenKeyValues {
    fileprivate init(of state: RecordState, conflicts: Bool, history: Bool) {
        self.init()
        if conflicts {
            self.conflicts = EntryReading.encodedConflicts(of: state).map(\.bytes)
            losers = EntryReading.conflictingParts(of: state).map { part in
                let value = part.encodedValue.bytes
                return switch part.place {
                case .field(let name): KeyValueLoser(field: name, value: value)
                case .element(let index): KeyValueLoser(index: index, value: value)
                }
            }
        }
        guard history else { return }
        self.history = EntryReading.history(of: state).map { past in
            PastKeyValue(
                value: past.encodedValue.bytes,
                changed: AgentDate(milliseconds: past.milliseconds)
            )
        }
    }
}

extension ReadKeyValues: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [KeyValueEntry] {
        let store = try caller.store(store)
        let names = keys.map { Set($0.map { EntryName(store: store, key: $0) }) }
        let (wantsConflicts, wantsHistory) = (wantsConflicts == true, wantsHistory == true)
        let shown = try await daemon.owner.withKeyValues { stores in
            let entries =
                try names.map { try stores.entries(named: $0) } ?? stores.entries(of: store)
            return try entries.map { stored in
                var entry = KeyValueEntry(stored)
                guard wantsConflicts || wantsHistory else { return entry }
                entry.hidden = try HiddenKeyValues(
                    of: stores.state(of: stored.name),
                    conflicts: wantsConflicts,
                    history: wantsHistory
                )
                return entry
            }
        }
        if marksConflicts == true, let names {
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
        let store = try caller.store(store)
        guard store != .limitSettings else {
            throw CommandFailure.refused(
                "Only sync-client kv limits writes the store \(store.text)."
            )
        }
        let encoded = writes
        guard encoded.allSatisfy({ $0.count <= Self.writeBytesMax }) else {
            throw CommandFailure.refused(
                "A write is too large: one key's has at most \(Self.writeBytesMax >> 20) MiB."
            )
        }
        let isLarge = encoded.reduce(0) { $0 + $1.count } > Self.decodedBytesMax
        let names: Set<EntryName>
        let decoded: [KeyWrite]
        do {
            decoded = isLarge ? [] : try encoded.map { try KeyWrite(decoding: $0) }
            let keys =
                isLarge ? try encoded.map { try KeyWrite(decoding: $0).key } : decoded.map(\.key)
            names = Set(keys.map { EntryName(store: store, key: $0) })
        } catch is RecordsError {
            throw CommandFailure.malformedCall
        }
        let batch = writer.flatMap { WriteBatchID(writer: $0, number: number ?? 0) }
        let stores = owner.keyValueStore
        let isAtomic = isAtomic ?? false
        let refusals =
            isLarge
            ? try stores.write(
                EncodedWrites(encoded),
                to: store,
                batch: batch,
                isAtomic: isAtomic
            )
            : try stores.write(decoded, to: store, batch: batch, isAtomic: isAtomic)
        let entries = try stores.entries(named: names)
        return WrittenKeyValues(
            refusals: refusals.sorted { $0.key < $1.key }.map {
                KeyValueRefusal(place: $0.key, sentence: $0.value.sentence)
            },
            merged: entries.filter { $0.type != .register }.map { KeyValueEntry($0) },
            device: stores.recorder?.deviceName
        )
    }
}

extension WriteKeyValues {
    /// One write: the largest value that a limit allows, and what the program had read.
    private static var writeBytesMax: Int { 8 << 20 }
    /// Up to this size all writes of a call are decoded at once; a decoded value may take 24 times
    /// the memory.
    private static var decodedBytesMax: Int { 1 << 20 }
}

/// Writes that were checked, each of which is decoded when it is carried out.
private struct EncodedWrites: RandomAccessCollection {
    private let encoded: [[UInt8]]

    init(_ encoded: [[UInt8]]) { self.encoded = encoded }

    var startIndex: Int { encoded.startIndex }
    var endIndex: Int { encoded.endIndex }

    subscript(index: Int) -> KeyWrite {
        // The bytes were checked, so this does not fail; no entry has such a key.
        (try? KeyWrite(decoding: encoded[index])) ?? KeyWrite(key: "", .delete)
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
        let (size, limits) = try await daemon.owner.withKeyValues { stores in
            (try stores.size(of: store), try stores.limits(of: store))
        }
        var status = KeyValueStatus(store: store.text)
        (status.keys, status.bytes) = size
        status.keysMax = limits.keysMax
        status.keyUnitsMax = limits.keyUnitsMax
        status.valueBytesMax = limits.valueBytesMax
        status.storeBytesMax = limits.storeBytesMax
        status.setLimits(.standard)
        status.account = try await daemon.owner.accountToken()
        guard let running = await daemon.accounts.started() else { return status }
        let sync = try await running.engine.status()
        status.lastSync = sync.state.lastSuccessMilliseconds.map(AgentDate.init(milliseconds:))
        status.isFirstSyncComplete = status.lastSync != nil
        status.unsent = sync.counts.unsent
        status.problem =
            sync.state.hold.map { CommandFailure($0).sentence } ?? sync.problem?.sentence
        return status
    }
}

extension KeyValueStatus {
    fileprivate mutating func setLimits(_ limits: MergeLimits) {
        elementsMax = limits.elementsMax
        mergedBytesMax = limits.stateBytesMax
        counterActorsMax = limits.counterActorsMax
        positionBytesMax = limits.positionBytesMax
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
