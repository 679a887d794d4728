internal import KSCausality

// A batch without an answer may be taken apart: its increments become unsent again. If the server
// had accepted it, they must not count twice. The next batch withdraws the entry of the earlier
// one. That is not possible once a fold has added the entry to a sum, so an edit remembers what
// each of those batches added, and drops what turns out to be in the sum.

/// What a batch that was taken apart added to a counter.
///
/// A batch contains everything that the batches before it contained, because it withdraws them.
package struct WithdrawnIncrements: Equatable, Sendable {
    /// The increments that the edit sends again.
    package internal(set) var repeated: CounterTotals
    /// The increments that the edit has reset since.
    package internal(set) var ended: CounterTotals

    package init(repeated: CounterTotals = .zero, ended: CounterTotals = .zero) {
        self.repeated = repeated
        self.ended = ended
    }
}

extension CounterEdit {
    /// Notes that a reset ends all increments made so far.
    mutating func endWithdrawnIncrements() {
        withdrawnIncrements = withdrawnIncrements.mapValues { part in
            WithdrawnIncrements(ended: part.ended.adding(part.repeated))
        }
    }

    /// Forgets an accepted batch, and those before it, whose increments it contained.
    ///
    /// - Returns: what it added.
    fileprivate mutating func forget(_ accepted: Stamp) -> WithdrawnIncrements {
        let part = withdrawnIncrements[accepted] ?? WithdrawnIncrements()
        change.increment = change.increment.removing(part.repeated)
        withdrawn = withdrawn.filter { accepted < $0 }
        withdrawnIncrements = withdrawnIncrements.filter { accepted < $0.key }.mapValues { later in
            WithdrawnIncrements(
                repeated: later.repeated.removing(part.repeated),
                ended: later.ended.beyond(part.ended)
            )
        }
        return part
    }
}

extension PendingEdit {
    /// Whether it withdraws increments of a batch and does not know how many.
    var withdrawsUnknownCounters: Bool {
        counters.values.contains { $0.withdrawn.count > $0.withdrawnIncrements.count }
    }

    /// Notes that the increments of a batch that was taken apart are in this edit now.
    ///
    /// - Parameters:
    ///   - stamps: the batch's.
    ///   - batch: the edit in the batch.
    ///   - ending: the names of the counters that were reset since it was sealed.
    mutating func withdrawCounters(
        _ stamps: [Stamp],
        of batch: PendingEdit,
        ending: Set<[UInt8]>
    ) {
        // A batch's counters have its last stamp.
        guard let stamp = stamps.last else { return }
        for name in counters.keys {
            let increment = batch.counters[name]?.change.increment ?? .zero
            counters[name]?.withdrawn.insert(stamp)
            counters[name]?.withdrawnIncrements[stamp] =
                ending.contains(name)
                ? WithdrawnIncrements(ended: increment) : WithdrawnIncrements(repeated: increment)
            if counters[name]?.change.reset != nil { counters[name]?.replaced.insert(stamp) }
        }
    }

    /// Adds what an earlier edit had seen; this edit deletes its changes.
    mutating func underlay(seenCountersOf earlier: PendingEdit) {
        for (name, old) in earlier.counters {
            var (edit, old) = (counters[name] ?? CounterEdit(), old)
            old.endWithdrawnIncrements()
            edit.cut.merge(old.cut) { $0.merged(with: $1) }
            edit.replaced.formUnion(old.replaced)
            edit.withdrawn.formUnion(old.withdrawn)
            edit.withdrawnIncrements.merge(old.withdrawnIncrements) { $1 }
            counters[name] = edit
        }
    }

    /// Adapts the edit to a newer state, in which counters may be folded.
    ///
    /// - Parameters:
    ///   - old: the state that the edit was made over.
    ///   - new: a state that has seen everything in `old`.
    mutating func follow(from old: ItemState, to new: ItemState) {
        followFold(from: old, to: new)
        dropFolded(from: old, to: new)
    }

    /// Drops the increments of batches that were taken apart where a fold holds them.
    ///
    /// The newest accepted batch decides, since it contains those before it. If no part of it is in
    /// a sum, its entry is still there: the next batch withdraws the entry, and nothing is dropped.
    /// So a reset that others make meanwhile does not cover what is sent again (0034).
    ///
    /// `old` and `new`: as in ``follow(from:to:)``.
    mutating func dropFolded(from old: ItemState, to new: ItemState) {
        guard counters.values.contains(where: { !$0.withdrawnIncrements.isEmpty }) else { return }
        let (known, held) = (old.counters, new.counters)
        for (name, edit) in counters {
            let accepted = edit.withdrawn.sorted().filter(new.context.isHighest)
            guard let newest = accepted.last, edit.withdrawnIncrements[newest] != nil,
                let fold = held[name]?.newestFold
            else { continue }
            let isNewFold = known[name]?.series[fold] == nil
            let folded = accepted.last { stamp in
                // A fold is later than all that it holds, and holds nothing that arrives after it.
                stamp.time < fold.start && new.counterEntry(of: name, stamp) == nil
                    && (isNewFold || old.context.isHighest(stamp))
            }
            // If only a part is in the sum, the entry holds the rest. A later batch that may still
            // arrive would withdraw that entry.
            guard let folded, folded == newest || newest == edit.withdrawn.max() else { continue }
            var result = edit
            let part = result.forget(newest)
            // The reset's user had seen these increments too.
            if !part.ended.isZero, let entry = new.counterEntry(of: name, newest) {
                result.cut.merge([entry.series: entry.totals]) { $0.merged(with: $1) }
            }
            if let ended = edit.withdrawnIncrements[folded]?.ended, !ended.isZero,
                !old.context.isHighest(folded)
            {
                // Otherwise the cut of the fold includes them already.
                result.cut[fold] = (result.cut[fold] ?? .zero).adding(ended)
            }
            counters[name] = result == CounterEdit() ? nil : result
        }
    }
}

extension CounterTotals {
    /// The totals without increments that were added to them before.
    ///
    /// A total at the maximum may be more than it says, and stays.
    fileprivate func removing(_ other: CounterTotals) -> CounterTotals {
        CounterTotals(
            plus: plus == .max ? .max : beyond(other).plus,
            minus: minus == .max ? .max : beyond(other).minus
        )
    }
}

extension ItemState {
    /// A counter's entry with this stamp; nil if the state does not hold it.
    fileprivate func counterEntry(
        of counter: [UInt8],
        _ stamp: Stamp
    ) -> (series: CounterSeries, totals: CounterTotals)? {
        let held = values[.counterEntry(of: counter, stamp.actor)]?.first { $0.stamp == stamp }
        guard let value = held?.value,
            // A state never holds entries that cannot be read.
            let entry = try? CounterEntry(decoding: value, of: stamp.actor)
        else { return nil }
        return (CounterSeries(actor: stamp.actor, start: entry.start), entry.totals)
    }
}
