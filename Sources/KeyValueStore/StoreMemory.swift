package import KSKeyValues

/// A key, by its bytes: `String` equates different spellings of a letter.
package struct Key: Hashable, Sendable {
    let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: Key, right: Key) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// An entry that the daemon reported.
package struct ConfirmedEntry: Equatable {
    var entry: EntryPreview
    package var changedMilliseconds: UInt64
    /// The name of the device that changed it last.
    var device: String?
    /// Whether that was another device.
    var isExternal = false

    package init(
        entry: EntryPreview,
        changedMilliseconds: UInt64,
        device: String? = nil,
        isExternal: Bool = false
    ) {
        self.entry = entry
        self.changedMilliseconds = changedMilliseconds
        self.device = device
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
    private struct Pending {
        let key: Key
        let action: KeyWrite.Action
        /// Numbers the writes of a process.
        let number: UInt64
        /// Writes with the same number are carried out together or not at all.
        let transaction: UInt64?
    }

    private(set) var isLoaded = false
    package var limits = KeyValueLimits()
    private var confirmed: [Key: ConfirmedEntry] = [:]
    /// What programs see.
    private var shown: [Key: (entry: EntryPreview, bytes: Int)] = [:]
    private var shownBytes = 0
    private var pending: [Pending] = []
    private var sentCount = 0
    private var lastNumber: UInt64 = 0
    /// Keys that this process has written: a report of them may be older than the write, which is
    /// not reported.
    private var written: Set<Key> = []
    private let random: @Sendable (Int) -> [UInt8]

    package init(random: @escaping @Sendable (Int) -> [UInt8]) {
        self.random = random
    }

    // MARK: Reading

    package func entry(_ key: Key) -> EntryPreview? { shown[key]?.entry }

    /// What the daemon has of the key; nil for one whose first change is on its way.
    package func confirmed(_ key: Key) -> ConfirmedEntry? { confirmed[key] }

    package var keys: [String] { shown.keys.map(\.text) }

    var entries: [(key: String, entry: EntryPreview)] {
        shown.map { ($0.key.text, $0.value.entry) }
    }

    // MARK: Writing

    /// The number of the newest write.
    var newestWrite: UInt64 { lastNumber }

    /// The number up to which all writes are confirmed or refused.
    package var settledWrite: UInt64 { pending.first.map { $0.number - 1 } ?? lastNumber }

    package var hasUnsentWrites: Bool { pending.count > sentCount }

    /// Whether writes are neither confirmed nor refused.
    var hasUnsettledWrites: Bool { !pending.isEmpty }

    /// Shows writes at once, and queues them; refuses all of them if one is refused.
    package mutating func write(_ writes: [KeyWrite]) throws(RefusedWrite) {
        var changed: [(key: Key, entry: EntryPreview?)] = []
        var seen: [Key: EntryPreview?] = [:]
        for write in writes {
            let key = Key(write.key)
            do throws(KeyValueError) {
                let before = seen[key] ?? shown[key]?.entry
                if before == nil, write.action != .delete { try limits.check(key: write.key) }
                let after = try write.action.preview(over: before, random: random)
                try KeyValueLimits.check(depthOf: after?.value)
                seen[key] = .some(after)
                changed.append((key, after))
            } catch {
                throw RefusedWrite(key: write.key, error: error)
            }
        }
        try check(seen, inOrder: changed.map(\.key))
        let transaction = writes.count > 1 ? lastNumber + 1 : nil
        for (write, change) in zip(writes, changed) {
            lastNumber += 1
            pending.append(
                Pending(
                    key: change.key,
                    action: write.action,
                    number: lastNumber,
                    transaction: transaction
                )
            )
            show(change.entry, for: change.key)
            written.insert(change.key)
        }
    }

    /// Checks the store as it is after all changes.
    private func check(
        _ changed: [Key: EntryPreview?],
        inOrder order: [Key]
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
    package mutating func takeWrites(atMost countMax: Int) -> (writes: [KeyWrite], isAtomic: Bool) {
        var taken: [KeyWrite] = []
        let first = pending.first?.transaction
        for write in pending {
            guard write.transaction == first, first != nil || taken.count < countMax else { break }
            taken.append(KeyWrite(key: write.key.text, write.action))
        }
        sentCount = taken.count
        return (taken, first != nil)
    }

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
        merged: [Key: ConfirmedEntry],
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
    func hasNotWritten(_ keys: Set<Key>) -> Bool { written.isDisjoint(with: keys) }

    /// Replaces the confirmed entries by these, which are all entries of the store.
    ///
    /// - Returns: the keys that look different now.
    package mutating func load(_ entries: [Key: ConfirmedEntry]) -> [String] {
        let before = shown
        confirmed = entries
        isLoaded = true
        showAgain(Set(before.keys).union(confirmed.keys))
        return Set(before.keys).union(shown.keys)
            .filter { before[$0]?.entry != shown[$0]?.entry }.map(\.text)
    }

    /// Replaces the confirmed entries of some keys.
    ///
    /// - Parameters:
    ///   - keys: those that were read.
    ///   - entries: those of them that have an entry.
    /// - Returns: the keys that look different now.
    package mutating func update(
        _ keys: Set<Key>,
        _ entries: [Key: ConfirmedEntry]
    ) -> [String] {
        let before = Dictionary(uniqueKeysWithValues: keys.map { ($0, shown[$0]?.entry) })
        for key in keys { confirmed[key] = entries[key] }
        showAgain(keys)
        return keys.filter { before[$0] != shown[$0]?.entry }.map(\.text)
    }

    /// Shows what is confirmed of some keys, with the writes that are on their way.
    private mutating func showAgain(_ keys: Set<Key>) {
        // In one pass: thousands of writes may wait for as many keys.
        var writes: [Key: [KeyWrite.Action]] = [:]
        for write in pending where keys.contains(write.key) {
            writes[write.key, default: []].append(write.action)
        }
        for key in keys {
            var entry = confirmed[key]?.entry
            for action in writes[key] ?? [] { entry = result(of: action, over: entry) }
            show(entry, for: key)
        }
    }

    /// A write that no longer fits is refused by the device too, and changes nothing here.
    private func result(
        of action: KeyWrite.Action,
        over entry: EntryPreview?
    ) -> EntryPreview? {
        do throws(KeyValueError) {
            return try action.preview(over: entry, random: random)
        } catch {
            return entry
        }
    }

    private mutating func show(_ entry: EntryPreview?, for key: Key) {
        shownBytes -= shown[key]?.bytes ?? 0
        guard let entry else {
            shown[key] = nil
            return
        }
        let bytes = entry.value?.encoded.count ?? 0
        shown[key] = (entry, bytes)
        shownBytes += bytes
    }
}
