package import KSKeyValues

/// An entry that the daemon reported.
package struct ConfirmedEntry: Equatable {
    package var entry: EntryPreview
    package var changedMilliseconds: UInt64
    /// The name of the device that changed it last.
    var device: String?
    /// Whether that was another device.
    package var isExternal = false

    package init(
        entry: EntryPreview,
        changedMilliseconds: UInt64,
        device: String? = nil,
        isExternal: Bool = false
    ) {
        (self.entry, self.changedMilliseconds, self.device) = (entry, changedMilliseconds, device)
        self.isExternal = isExternal
    }
}

/// A write that this process refuses.
package struct RefusedWrite: Error {
    package let key: String
    package let error: KeyValueError
}

/// A process's copy of one store: the entries that the daemon has confirmed, and on top of them the
/// writes that are on their way.
///
/// It is a pure state machine; ``StoreSession`` has the threads and the socket.
package struct StoreMemory {
    private struct Shown {
        let entry: EntryPreview
        let bytes: Int
        /// Whether the program has read it; of a register, whether it has read one.
        var isRead = false
    }

    private struct Pending {
        let key: StoreKey
        let action: KeyWrite.Action
        /// Numbers the writes of a process.
        let number: UInt64
        /// Writes with the same number are carried out together or not at all.
        let transaction: UInt64?
    }

    package private(set) var isLoaded = false
    package var limits = KeyValueLimits()
    private var confirmed: [StoreKey: ConfirmedEntry] = [:]
    /// What programs see.
    private var shown: [StoreKey: Shown] = [:]
    private var older = OlderViews()
    private var shownBytes = 0
    private var pending: [Pending] = []
    private var sentCount = 0
    private var lastNumber: UInt64 = 0
    /// Keys that this process has written: a report of them may be older than the write, which is
    /// not reported.
    private var written: Set<StoreKey> = []
    private let random: @Sendable (Int) -> [UInt8]

    package init(random: @escaping @Sendable (Int) -> [UInt8]) { self.random = random }

    // MARK: Reading

    /// What memory shows, without noting that the program has read it.
    package func entry(_ key: StoreKey) -> EntryPreview? { shown[key]?.entry }

    /// What the program reads: a later plain write means the difference from it.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - defaultValue: what the program gets for a key without a value.
    /// - Returns: nil for no entry.
    package mutating func read(
        _ key: StoreKey,
        default defaultValue: PropertyValue? = nil
    ) -> EntryPreview? {
        guard let found = shown[key] else {
            older.keep(defaultValue, ofAbsent: key, atMost: limits.keysMax)
            return nil
        }
        if !found.isRead {
            shown[key]?.isRead = true
            older.forget(key)
        }
        return found.entry
    }

    /// All entries; the program reads them.
    package mutating func readAll() -> [(key: String, entry: EntryPreview)] {
        for index in shown.values.indices { shown.values[index].isRead = true }
        older.forgetAll()
        return shown.map { ($0.key.text, $0.value.entry) }
    }

    /// What the daemon has of the key; nil for one whose first change is on its way.
    package func confirmed(_ key: StoreKey) -> ConfirmedEntry? { confirmed[key] }

    package var keys: [String] { shown.keys.map(\.text) }

    // MARK: Writing

    /// The number of the newest write.
    var newestWrite: UInt64 { lastNumber }

    /// The number up to which all writes are confirmed or refused.
    package var settledWrite: UInt64 { pending.first.map { $0.number - 1 } ?? lastNumber }

    package var hasUnsentWrites: Bool { pending.count > sentCount }

    /// How many writes are neither confirmed nor refused.
    var unsettledCount: Int { pending.count }

    /// Whether writes are neither confirmed nor refused.
    var hasUnsettledWrites: Bool { !pending.isEmpty }

    /// Shows writes at once, and queues them; refuses all of them if one is refused.
    ///
    /// Each gets what the program has read, and means that. A deletion is left out if memory is
    /// loaded and shows no value, or if a deletion of the key waits already.
    package mutating func write(_ writes: [KeyWrite]) throws(RefusedWrite) {
        var made: [(key: StoreKey, action: KeyWrite.Action)] = []
        var seen: [StoreKey: (entry: EntryPreview?, view: ProgramView)] = [:]
        for write in writes {
            let key = StoreKey(write.key)
            let (before, view) = seen[key] ?? (shown[key]?.entry, view(of: key))
            if before == nil, write.action == .delete, isLoaded || isDeleting(key) { continue }
            do throws(KeyValueError) {
                // No key that is too long has a value to delete.
                if before == nil, write.action != .delete { try limits.check(key: write.key) }
                let action = try completed(write.action, over: before, view)
                let after = try action.preview(over: before, random: random)
                try KeyValueLimits.check(depthOf: after?.value)
                seen[key] = (after, self.view(view, of: before, after: action, showing: after))
                made.append((key, action))
            } catch {
                throw RefusedWrite(key: write.key, error: error)
            }
        }
        try check(seen.mapValues(\.entry), inOrder: made.map(\.key))
        let transaction = made.count > 1 ? lastNumber + 1 : nil
        for (key, action) in made {
            lastNumber += 1
            let number = lastNumber
            pending.append(
                Pending(key: key, action: action, number: number, transaction: transaction)
            )
            written.insert(key)
        }
        for (key, (entry, view)) in seen { show(entry, for: key, view) }
    }

    /// Checks the store as it is after all changes.
    private func check(
        _ changed: [StoreKey: EntryPreview?],
        inOrder order: [StoreKey]
    ) throws(RefusedWrite) {
        let sizes = changed.mapValues { $0?.value?.encoded.count ?? 0 }
        var (keys, bytes) = (shown.count, shownBytes)
        for (key, entry) in changed {
            keys += (entry == nil ? 0 : 1) - (shown[key] == nil ? 0 : 1)
            bytes += (sizes[key] ?? 0) - (shown[key]?.bytes ?? 0)
        }
        for key in order {
            // A value that shrinks is never refused.
            guard let size = sizes[key], size > shown[key]?.bytes ?? -1 else { continue }
            do throws(KeyValueError) {
                try limits.check(valueBytes: size, keys: keys, storeBytes: bytes)
            } catch {
                throw RefusedWrite(key: key.text, error: error)
            }
        }
    }

    /// The writes to send next: either one transaction alone, or all queued writes before the next
    /// transaction.
    package mutating func takeWrites(atMost countMax: Int) -> TakenWrites {
        let first = pending.first?.transaction
        var taken = TakenWrites(isAtomic: first != nil)
        for write in pending {
            guard write.transaction == first, first != nil || taken.writes.count < countMax else {
                break
            }
            taken.writes.append(KeyWrite(key: write.key.text, write.action))
        }
        sentCount = taken.writes.count
        return taken
    }

    /// Only so many of the taken writes go in the call.
    package mutating func returnWrites(after count: Int) { sentCount = min(sentCount, count) }

    /// The taken writes have to be sent again.
    package mutating func returnWrites() { sentCount = 0 }

    /// Ends the writes that were taken.
    ///
    /// - Parameters:
    ///   - refused: by their places.
    ///   - isAtomic: whether all are refused when one is.
    ///   - merged: entries as they are now.
    ///   - device: the name of this device in its account.
    ///   - clock: milliseconds since 1970.
    /// - Returns: the keys of refused writes.
    package mutating func settle(
        refused: Set<Int>,
        isAtomic: Bool,
        merged: [StoreKey: ConfirmedEntry],
        device: String? = nil,
        atMilliseconds clock: UInt64
    ) -> [String] {
        let settled = pending.prefix(sentCount)
        pending.removeFirst(sentCount)
        sentCount = 0
        var refusedKeys: [String] = []
        for (place, write) in settled.enumerated() {
            guard !refused.contains(place), !isAtomic || refused.isEmpty else {
                refusedKeys.append(write.key.text)
                continue
            }
            confirmed[write.key] = result(of: write.action, over: confirmed[write.key]?.entry)
                .map { ConfirmedEntry(entry: $0, changedMilliseconds: clock, device: device) }
        }
        for (key, entry) in merged { confirmed[key] = entry }
        showAgain(Set(settled.map(\.key)))
        return refusedKeys
    }

    // MARK: What the daemon reports

    /// Whether this process has written none of these keys.
    func hasNotWritten(_ keys: Set<StoreKey>) -> Bool { written.isDisjoint(with: keys) }

    /// Replaces the confirmed entries by these, which are all entries of the store.
    ///
    /// - Returns: the keys that look different now.
    package mutating func load(_ entries: [StoreKey: ConfirmedEntry]) -> [String] {
        let before = shown
        confirmed = entries
        isLoaded = true
        // A program that starts waits for this, perhaps with thousands of entries.
        guard !before.isEmpty else {
            showFirst()
            return shown.keys.map(\.text)
        }
        showAgain(Set(before.keys).union(confirmed.keys))
        return Set(before.keys).union(shown.keys)
            .filter { before[$0]?.entry != shown[$0]?.entry }.map(\.text)
    }

    /// Shows what is confirmed where nothing is shown yet.
    private mutating func showFirst() {
        guard pending.isEmpty, older.isEmpty else { return showAgain(Set(confirmed.keys)) }
        shown = confirmed.mapValues { confirmed in
            Shown(entry: confirmed.entry, bytes: confirmed.entry.value?.encoded.count ?? 0)
        }
        shownBytes = shown.values.reduce(0) { $0 + $1.bytes }
    }

    /// Replaces the confirmed entries of some keys.
    ///
    /// - Parameters:
    ///   - keys: those that were read.
    ///   - entries: those of them that have an entry.
    /// - Returns: the keys that look different now.
    package mutating func update(
        _ keys: Set<StoreKey>,
        _ entries: [StoreKey: ConfirmedEntry]
    ) -> [String] {
        let before = Dictionary(uniqueKeysWithValues: keys.map { ($0, shown[$0]?.entry) })
        for key in keys { confirmed[key] = entries[key] }
        showAgain(keys)
        return keys.filter { before[$0] != shown[$0]?.entry }.map(\.text)
    }

    /// Shows what is confirmed of some keys, with the writes that are on their way.
    private mutating func showAgain(_ keys: Set<StoreKey>) {
        // In one pass: thousands of writes may wait for as many keys.
        var writes: [StoreKey: [KeyWrite.Action]] = [:]
        for write in pending where keys.contains(write.key) {
            writes[write.key, default: []].append(write.action)
        }
        for key in keys {
            var entry = confirmed[key]?.entry
            for action in writes[key] ?? [] { entry = result(of: action, over: entry) }
            replace(key, by: entry)
        }
    }

    /// A write that no longer fits is refused by the device too, and changes nothing here.
    private func result(of action: KeyWrite.Action, over entry: EntryPreview?) -> EntryPreview? {
        do throws(KeyValueError) {
            return try action.preview(over: entry, random: random)
        } catch {
            return entry
        }
    }

    /// Shows what came from the daemon: the program's view is still what it has read.
    private mutating func replace(_ key: StoreKey, by entry: EntryPreview?) {
        let before = shown[key]
        guard before?.entry != entry else { return }
        var view = view(of: key)
        if view == .current {
            switch (before?.entry.type, entry) {
            // A plain write to a register replaces it, whatever the program has read of it.
            case (.register, nil): view = .none
            case (.register, let entry?) where entry.type == .register: break
            default: view = .older(before?.entry.value)
            }
        }
        show(entry, for: key, view)
    }

    private mutating func show(_ entry: EntryPreview?, for key: StoreKey, _ view: ProgramView) {
        shownBytes -= shown[key]?.bytes ?? 0
        guard let entry else {
            shown[key] = nil
            switch view {
            case .none: older.forget(key)
            case .current: older.keep(nil, ofAbsent: key, atMost: limits.keysMax)
            case .older(let value): older.keep(value, ofAbsent: key, atMost: limits.keysMax)
            }
            return
        }
        let bytes = entry.value?.encoded.count ?? 0
        shown[key] = Shown(entry: entry, bytes: bytes, isRead: view == .current)
        shownBytes += bytes
        if case .older(let value) = view { older.keep(value, of: key) } else { older.forget(key) }
    }

    // MARK: What the program has read

    /// Whether the last write of the key that is under way deletes it.
    private func isDeleting(_ key: StoreKey) -> Bool {
        pending.last { $0.key == key }?.action == .delete
    }

    private func view(of key: StoreKey) -> ProgramView {
        guard let found = shown[key] else { return older.view(of: key, isShown: false) }
        return found.isRead ? .current : older.view(of: key, isShown: true)
    }

    /// The write with what the program has read; if it has read nothing, with what memory shows.
    private func completed(
        _ action: KeyWrite.Action,
        over entry: EntryPreview?,
        _ view: ProgramView
    ) throws(KeyValueError) -> KeyWrite.Action {
        guard case .write(let write) = action else { return action }
        var seen = entry?.value
        if case .older(let value) = view { seen = value }
        return .write(try write.completed(with: seen, over: entry))
    }

    /// What the program knows after a write: what it had read, with that write.
    private func view(
        _ view: ProgramView,
        of before: EntryPreview?,
        after action: KeyWrite.Action,
        showing after: EntryPreview?
    ) -> ProgramView {
        guard case .write(let write) = action else { return .current }
        switch view {
        case .current: return .current
        case .none:
            if case .set = write { return .current }
            return .none
        case .older(let value):
            let type = before?.type ?? after?.type
            let old = value.map { EntryPreview(type: type, value: $0) }
            let new = result(of: action, over: old)?.value
            return new == after?.value ? .current : .older(new)
        }
    }
}
