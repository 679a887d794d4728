package import KSCausality

/// What the user does to a counter.
package struct CounterChange: Equatable, Sendable {
    package enum Reset: Equatable, Sendable {
        /// The counter starts again from this number.
        case to(Int64)
        /// The counter is removed.
        case removed
    }

    /// What comes before the increment; nil leaves the counter as it is.
    package var reset: Reset?
    package var increment: CounterTotals

    package init(reset: Reset? = nil, increment: CounterTotals = .zero) {
        self.reset = reset
        self.increment = increment
    }

    /// Whether it makes or keeps the counter.
    package var sets: Bool {
        if case .to = reset { return true }
        return !increment.isZero
    }
}

/// The unsent changes of one counter.
///
/// It holds increments, not totals, because the actor is known only when a batch is sealed. A batch
/// that is taken apart keeps its increments, and the next one adds them to another actor's totals.
package struct CounterEdit: Equatable, Sendable {
    package internal(set) var change = CounterChange()
    /// What the user had seen of the counter when resetting it.
    package internal(set) var cut: [CounterSeries: CounterTotals] = [:]
    /// The stamps of the bases and cuts that a reset replaces.
    package internal(set) var replaced: Set<Stamp> = []
    /// The stamps of refused batches: their increments are in `change`, or were reset since.
    package internal(set) var withdrawn: Set<Stamp> = []

    /// Whether it removes a counter that no other edit has made.
    var isEmptyRemoval: Bool {
        change.reset == .removed && change.increment.isZero
            && cut.isEmpty && replaced.isEmpty && withdrawn.isEmpty
    }

    /// Adds a later change, whose author had seen `seen`.
    mutating func add(_ later: CounterChange, seen: CounterParts?, replacing: [Stamp]) {
        guard let reset = later.reset else {
            change.increment = change.increment.adding(later.increment)
            return
        }
        change = CounterChange(reset: reset, increment: later.increment)
        replaced.formUnion(replacing)
        cut.merge(seen?.totals ?? [:]) { $0.merged(with: $1) }
    }

    /// Adds a later edit.
    mutating func overlay(_ later: CounterEdit) {
        if later.change.reset == nil {
            change.increment = change.increment.adding(later.change.increment)
        } else {
            change = later.change
        }
        cut.merge(later.cut) { $0.merged(with: $1) }
        replaced.formUnion(later.replaced)
        withdrawn.formUnion(later.withdrawn)
    }
}

extension PendingEdit {
    /// Whether the edit makes or keeps a counter.
    var setsCounters: Bool { counters.values.contains(where: \.change.sets) }

    /// Adds changes of counters, whose author had seen `state`.
    mutating func change(_ changes: [[UInt8]: CounterChange], seen state: RecordState) {
        let isReset = changes.values.contains { $0.reset != nil }
        let seen = isReset ? state.counters : [:]
        for (name, change) in changes {
            counters[name, default: CounterEdit()]
                .add(change, seen: seen[name], replacing: state.resetStamps(of: name))
        }
    }

    /// Removes all counters of a state, and those that only this edit and `others` have.
    ///
    /// `keepsChanges`: the removal comes before the edit's own changes.
    mutating func removeCounters(
        seen state: RecordState,
        others: some Sequence<[UInt8]> = EmptyCollection(),
        keepsChanges: Bool = false
    ) {
        let seen = state.counters
        for name in Set(seen.keys).union(counters.keys).union(others) {
            var edit = counters[name] ?? CounterEdit()
            let change = edit.change
            let replaced = state.resetStamps(of: name)
            edit.add(CounterChange(reset: .removed), seen: seen[name], replacing: replaced)
            if keepsChanges {
                edit.change.increment = change.increment
                edit.change.reset = change.reset ?? .removed
            }
            counters[name] = edit
        }
    }

    /// Applies the changes of counters to a state.
    func seal(countersInto result: inout RecordState, stamp: Stamp) {
        for (name, edit) in counters {
            let (change, replaced) = (edit.change, edit.replaced)
            for seen in edit.withdrawn {
                result.remove(edit.withdrawn, of: .counterEntry(of: name, seen.actor))
            }
            for seen in replaced.union(edit.withdrawn) { result.context.insertExactly(seen) }
            if let reset = change.reset {
                result.remove(replaced, of: .counterBase(of: name))
                var cut = edit.cut
                for old in result.remove(replaced, of: .counterCut(of: name)) {
                    // The record was checked when it was opened; an unreadable value cuts nothing.
                    guard let totals = try? CounterCut(decoding: old.value ?? []).totals else {
                        continue
                    }
                    cut.merge(totals) { $0.merged(with: $1) }
                }
                if case .to(let number) = reset {
                    let value = StampedValue(stamp: stamp, value: CounterBase.encoded(number))
                    result.insert(value, of: .counterBase(of: name))
                }
                if !cut.isEmpty {
                    let value = StampedValue(stamp: stamp, value: CounterCut(totals: cut).encoded)
                    result.insert(value, of: .counterCut(of: name))
                }
            }
            if !change.increment.isZero {
                result.increment(name, by: change.increment, stamp: stamp)
            }
        }
    }

    /// Counts the increments of an accepted batch as seen by the resets of this edit.
    mutating func addSeen(countersOf batch: SealedEdit) {
        guard !counters.isEmpty, let actor = batch.newStamps.last?.actor else { return }
        for name in counters.keys where counters[name]?.change.reset != nil {
            counters[name]?.replaced.formUnion(batch.newStamps)
            for value in batch.state.values[.counterEntry(of: name, actor)] ?? [] {
                // This device wrote the value itself in `seal`, so it can be read.
                guard let entry = try? CounterEntry(decoding: value.value ?? []) else { continue }
                let series = CounterSeries(actor: actor, start: entry.start)
                counters[name]?.cut.merge([series: entry.totals]) { $0.merged(with: $1) }
            }
        }
    }

    /// Adds the counters of a later edit.
    mutating func overlay(countersOf later: PendingEdit) {
        for (name, edit) in later.counters {
            counters[name, default: CounterEdit()].overlay(edit)
        }
    }

    /// Adds what an earlier edit had seen; this edit deletes its changes.
    mutating func underlay(seenCountersOf earlier: PendingEdit) {
        for (name, old) in earlier.counters {
            var edit = counters[name] ?? CounterEdit()
            edit.cut.merge(old.cut) { $0.merged(with: $1) }
            edit.replaced.formUnion(old.replaced)
            edit.withdrawn.formUnion(old.withdrawn)
            counters[name] = edit
        }
    }

    /// Notes that the increments of a refused batch, with these stamps, are in this edit now.
    mutating func withdrawCounters(_ stamps: [Stamp]) {
        for name in counters.keys {
            counters[name]?.withdrawn.formUnion(stamps)
            if counters[name]?.change.reset != nil { counters[name]?.replaced.formUnion(stamps) }
        }
    }
}

extension RecordState {
    /// Adds increments to the totals of the stamp's actor.
    ///
    /// The total that they grow from stays beside the new one until the next write. If this write
    /// is refused, sealed again under another actor, and accepted late after all, then only the new
    /// total is withdrawn, and the earlier one still counts.
    fileprivate mutating func increment(
        _ counter: [UInt8],
        by increment: CounterTotals,
        stamp: Stamp
    ) {
        let name = ValueName.counterEntry(of: counter, stamp.actor)
        let held = (values[name] ?? []).compactMap { value in
            // The record was checked when it was opened; an unreadable value has no total.
            (try? CounterEntry(decoding: value.value ?? [])).map { (stamped: value, entry: $0) }
        }
        let start = held.map(\.entry.start).max() ?? stamp.time
        let series = held.filter { $0.entry.start == start }
        let last = series.max { left, right in
            (left.entry.totals.plus, left.entry.totals.minus, left.stamped.stamp)
                < (right.entry.totals.plus, right.entry.totals.minus, right.stamped.stamp)
        }
        let before = series.reduce(CounterTotals.zero) { $0.merged(with: $1.entry.totals) }
        var entry = CounterEntry(start: start, totals: before.adding(increment))
        if !before.holds(increment) {
            // The totals have reached their maximum: a new series continues.
            entry = CounterEntry(start: stamp.time, totals: increment)
        }
        var kept = held.filter { $0.entry.start != start }.map(\.stamped)
        if let last { kept.append(last.stamped) }
        kept.append(StampedValue(stamp: stamp, value: entry.encoded))
        values[name] = kept.sorted()
    }
}
