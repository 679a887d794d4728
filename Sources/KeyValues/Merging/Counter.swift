internal import KSCausality
internal import KSRecords
internal import KSResolution

/// A counter: a base, and what each actor has added since and taken away.
///
/// Value = base + Σ (plus − plus seen by the base) − Σ (minus − minus seen by the base). A reset
/// sets the base together with the totals that it had seen, so an increment that was made at the
/// same time on another device still counts.
enum Counter {
    /// The value, clamped to what an `Int64` holds.
    struct Reading: Equatable {
        let value: Int64
        let overflows: Bool
    }

    /// - Returns: nil if the state has no such counter, or a field's counter was removed.
    static func read(_ counter: [UInt8], in state: ItemState) -> Reading? {
        let bases = state.live(.counterBase(counter)).compactMap { base in
            // A newer program's base is left to it.
            base.value.flatMap { try? CounterBase(decoding: $0) }
        }
        var sum = Int128(bases.last?.value ?? 0)
        var isTouched = false
        for (entry, actor) in entries(of: counter, in: state) {
            // What one removal had seen is gone, even if another base is shown.
            let seen = bases.enumerated().reduce(CounterTotals()) { seen, base in
                let isUsed = base.offset == bases.count - 1 || base.element.isRemoved
                guard isUsed, let totals = base.element.seen[actor], totals.start == entry.start
                else { return seen }
                return seen.joined(with: totals.totals)
            }
            // A total below what was seen is that of a batch that was refused.
            let added = Int128(entry.totals.plus) - Int128(min(seen.plus, entry.totals.plus))
            let taken = Int128(entry.totals.minus) - Int128(min(seen.minus, entry.totals.minus))
            isTouched = isTouched || added > 0 || taken > 0
            sum += added - taken
        }
        guard let base = bases.last, !base.isRemoved else { return isTouched ? reading(sum) : nil }
        return reading(sum)
    }

    private static func reading(_ sum: Int128) -> Reading {
        let value = Int64(clamping: sum)
        return Reading(value: value, overflows: Int128(value) != sum)
    }

    /// The base that sets the counter to a value, over all that the state holds.
    static func base(
        _ value: Int64,
        isRemoved: Bool = false,
        of counter: [UInt8],
        in state: ItemState?
    ) -> [UInt8] {
        var seen: [ActorID: CounterEntry] = [:]
        if let state {
            // Setting the base forgets what was added and not sealed yet.
            for (entry, actor) in entries(of: counter, in: state) where actor != .provisional {
                seen[actor] = entry
            }
        }
        return CounterBase(value: value, isRemoved: isRemoved, seen: seen).encoded
    }

    /// The entries of a counter that no delete covers.
    private static func entries(
        of counter: [UInt8],
        in state: ItemState
    ) -> [(entry: CounterEntry, actor: ActorID)] {
        state.names.compactMap { name in
            guard name.kind == ValueName.Kind.counterEntry, name.counter == counter,
                let entry = CounterEntry(state.live(name))
            else {
                return nil
            }
            let bits = name.nameBytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
            return (entry, ActorID(rawValue: bits))
        }
    }

    /// The counters of a state, by name.
    static func names(in state: ItemState) -> Set<[UInt8]> {
        Set(state.names.compactMap(\.counter))
    }
}

/// What a counter counts from, and the totals that were seen when it was set.
private struct CounterBase {
    let value: Int64
    /// Whether the counter was removed as a field; later increments bring it back.
    let isRemoved: Bool
    let seen: [ActorID: CounterEntry]

    var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.integer(UInt64(bitPattern: value))
        encoder.compactInteger(isRemoved ? 1 : 0)
        encoder.compactList(seen.sorted { $0.key < $1.key }) { encoder, entry in
            encoder.integer(entry.key.rawValue)
            encoder.compactBytes(entry.value.encoded)
        }
        return encoder.encoded
    }

    init(value: Int64, isRemoved: Bool, seen: [ActorID: CounterEntry]) {
        self.value = value
        self.isRemoved = isRemoved
        self.seen = seen
    }

    init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = CanonicalDecoder(encoded)
        value = Int64(bitPattern: try decoder.integer())
        let removed = try decoder.compactInteger()
        guard removed <= 1 else { throw .malformed }
        isRemoved = removed == 1
        let entries = try decoder.compactList(elementBytesMin: 10) { decoder throws(RecordsError) in
            let actor = ActorID(rawValue: try decoder.integer())
            return (actor, try CounterEntry(decoding: try decoder.compactBytes()))
        }
        guard zip(entries, entries.dropFirst()).allSatisfy({ $0.0 < $1.0 }) else {
            throw .malformed
        }
        seen = Dictionary(uniqueKeysWithValues: entries)
        try decoder.end()
    }
}
