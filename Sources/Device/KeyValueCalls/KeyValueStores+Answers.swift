package import KSAgent
internal import KSDigests
package import KSKeyValueRecords
package import KSKeyValues
package import KSRecords
internal import KSResolution
package import KSSyncEngine

// What the calls of programs read and change in a device's key-value stores, whatever owns them:
// the daemon, or a simulated device.

extension KeyValueStores {
    /// The entries that a call reads.
    package func answer(
        _ call: ReadKeyValues,
        of store: StoreIdentifier
    ) throws -> [KeyValueEntry] {
        let names = call.keys.map { Set($0.map { EntryName(store: store, key: $0) }) }
        let wantsConflicts = call.wantsConflicts == true
        let wantsHistory = call.wantsHistory == true
        let entries = try names.map { try self.entries(named: $0) } ?? self.entries(of: store)
        return try entries.map { stored in
            var entry = KeyValueEntry(stored)
            guard wantsConflicts || wantsHistory else { return entry }
            entry.hidden = try HiddenKeyValues(
                of: state(of: stored.name),
                conflicts: wantsConflicts,
                history: wantsHistory
            )
            return entry
        }
    }

    /// Carries out the writes of a call.
    package func answer(
        _ call: WriteKeyValues,
        of store: StoreIdentifier
    ) throws -> WrittenKeyValues {
        guard store != .limitSettings else {
            throw KeyValueCallError.limitsAreNotWritten(store: store.text)
        }
        let (encoded, bytesMax) = (call.writes, WriteKeyValues.writeBytesMax)
        guard encoded.allSatisfy({ $0.count <= bytesMax }) else {
            throw KeyValueCallError.writeTooLarge(bytesMax: bytesMax)
        }
        let isLarge = encoded.reduce(0) { $0 + $1.count } > WriteKeyValues.decodedBytesMax
        let names: Set<EntryName>
        let decoded: [KeyWrite]
        do {
            decoded = isLarge ? [] : try encoded.map { try KeyWrite(decoding: $0) }
            let keys =
                isLarge ? try encoded.map { try KeyWrite(decoding: $0).key } : decoded.map(\.key)
            names = Set(keys.map { EntryName(store: store, key: $0) })
        } catch is RecordsError {
            throw KeyValueCallError.malformed
        }
        let batch = call.writer.flatMap { WriteBatchID(writer: $0, number: call.number ?? 0) }
        let isAtomic = call.isAtomic ?? false
        let refusals =
            isLarge
            ? try write(EncodedWrites(encoded), to: store, batch: batch, isAtomic: isAtomic)
            : try write(decoded, to: store, batch: batch, isAtomic: isAtomic)
        let entries = try self.entries(named: names)
        return WrittenKeyValues(
            refusals: refusals.sorted { $0.key < $1.key }.map {
                KeyValueRefusal(place: $0.key, sentence: $0.value.sentence)
            },
            merged: entries.filter { $0.type != .register }.map { KeyValueEntry($0) },
            device: recorder?.deviceName
        )
    }

    /// The status of a store on a device without an account.
    package func status(of store: StoreIdentifier) throws -> KeyValueStatus {
        let limits = try limits(of: store)
        var status = KeyValueStatus(store: store.text)
        (status.keys, status.bytes) = try size(of: store)
        status.keysMax = limits.keysMax
        status.keyUnitsMax = limits.keyUnitsMax
        status.valueBytesMax = limits.valueBytesMax
        status.storeBytesMax = limits.storeBytesMax
        status.setLimits(.standard)
        return status
    }
}

extension StoreIdentifier {
    /// The store of this name.
    package init(ofProgram name: String) throws(KeyValueCallError) {
        guard let store = StoreIdentifier(name) else {
            throw .wrongName(bytesMax: StoreIdentifier.bytesMax)
        }
        self = store
    }
}

extension AccountToken {
    /// Programs need not know the account's name or id.
    package init(of account: AccountID) {
        self.init(token: Array(SHA256.hash(account.bytes).prefix(16)))
    }
}

extension KeyValueStatus {
    /// Adds the state of the account's sync; `problem`: why that is paused or has failed.
    package mutating func set(_ sync: SyncState, unsent: Int, problem: String?) {
        lastSync = sync.lastSuccessMilliseconds.map(AgentDate.init(milliseconds:))
        isFirstSyncComplete = lastSync != nil
        self.unsent = unsent
        self.problem = problem
    }

    fileprivate mutating func setLimits(_ limits: MergeLimits) {
        elementsMax = limits.elementsMax
        mergedBytesMax = limits.stateBytesMax
        counterActorsMax = limits.counterActorsMax
        positionBytesMax = limits.positionBytesMax
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

extension WriteKeyValues {
    /// One write: the largest value that a limit allows, and what the program had read.
    fileprivate static var writeBytesMax: Int { 8 << 20 }
    /// Up to this size all writes of a call are decoded at once; a decoded value may take 24 times
    /// the memory.
    fileprivate static var decodedBytesMax: Int { 1 << 20 }
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
