package import KSCausality

extension ActorID {
    /// Stands for all actors whose entries a fold has replaced.
    ///
    /// Real actors are random numbers, and no device writes as this one.
    package static let folded = ActorID(rawValue: 0)
}

/// The fold of counters: one entry takes the place of all entries whose actors write no more.
///
/// Only the first writes after the end of a key generation fold, over the join of all that the
/// ended generation has written. Several devices may do this at the same time: the fold depends on
/// the joined state alone, so they write the same values under the same stamp, and a join holds
/// these once. All replaced stamps are in the context, so a join with an unfolded state drops the
/// old entries.
extension ItemState {
    /// The state with one entry for each counter that names several series.
    ///
    /// The entry holds the sum of all totals, and the cut the part of it that no longer counts. So
    /// the number is the same, and both only grow from one fold to the next. Also a counter of
    /// which nothing counts keeps them: a reset that arrives later says how much of the sum it had
    /// seen, and that must be the sum of everything that there ever was.
    ///
    /// A counter whose sum is too large stays as it is. Without a counter to fold, the state is
    /// returned unchanged.
    package var folded: ItemState {
        let time = HybridTime(rawValue: latestTime.rawValue &+ 1)
        // Decoders refuse later times. A state with unsent values has one too.
        guard latestTime.rawValue < HybridTime.rawValueLimit - 1 else { return self }
        let folds = counters.compactMapValues { $0.fold(at: time) }
        guard !folds.isEmpty else { return self }
        let stamp = Stamp(time: time, actor: .folded)
        var result = self
        result.values = values.filter { name, _ in
            !name.isCounterTotal || name.counter.map { folds[$0] == nil } ?? true
        }
        for (counter, fold) in folds {
            let entry = StampedValue(stamp: stamp, value: fold.entry.encoded)
            result.insert(entry, of: .counterEntry(of: counter, .folded))
            guard !fold.cut.isZero else { continue }
            let series = CounterSeries(actor: .folded, start: fold.entry.start)
            let cut = CounterCut(totals: [series: fold.cut])
            let value = StampedValue(stamp: stamp, value: cut.encoded)
            result.insert(value, of: .counterCut(of: counter))
        }
        result.context.raise(to: stamp)
        return result
    }
}

extension CounterParts {
    /// The entry of the fold, and how much of it is cut; nil if there is nothing to gain, or the
    /// sum is too large.
    fileprivate func fold(
        at time: HybridTime
    ) -> (entry: CounterEntry, cut: CounterTotals)? {
        guard Set(series.keys).union(cut.keys).count > 1 else { return nil }
        var (sum, seen) = (CounterTotals.zero, CounterTotals.zero)
        for (key, held) in series {
            guard sum.holds(held.totals) else { return nil }
            sum = sum.adding(held.totals)
            // Exact, because it is at most the sum.
            seen = seen.adding(held.totals.atMost(cut[key] ?? .zero))
        }
        let changed = uncut.values.map(\.stamp.time).max() ?? .zero
        return (CounterEntry(start: time, totals: sum, changed: changed), seen)
    }
}

extension PendingEdit {
    /// Makes resets name a fold in place of the series that it has replaced.
    ///
    /// A reset names the totals that its user had seen. If a fold has replaced them since, their
    /// sum says as well what the user had seen. It includes what earlier resets in `old` had seen,
    /// since these are a part of the fold's cut. If another device has reset the counter unseen,
    /// the sum is a lower bound, so no increment is lost.
    ///
    /// - Parameters:
    ///   - old: the state that the edit was made over.
    ///   - new: a state that has seen everything in `old`.
    mutating func followFold(from old: ItemState, to new: ItemState) {
        let known = old.context.latestTime(of: .folded)
        guard counters.values.contains(where: { !$0.cut.isEmpty }),
            known < new.context.latestTime(of: .folded)
        else { return }
        let (before, after) = (old.counters, new.counters)
        for (name, edit) in counters where !edit.cut.isEmpty {
            guard let before = before[name], let after = after[name],
                let fold = after.newestFold, before.series[fold] == nil
            else { continue }
            let replaced = before.totals.filter { after.series[$0.key] == nil }
            guard edit.cut.keys.contains(where: { replaced[$0] != nil }) else { continue }
            var seen = CounterTotals.zero
            for (key, totals) in replaced {
                let cut = (edit.cut[key] ?? .zero).merged(with: before.cut[key] ?? .zero)
                seen = seen.adding(cut.atMost(totals))
                counters[name]?.cut[key] = nil
            }
            counters[name]?.cut.merge([fold: seen]) { $0.merged(with: $1) }
        }
    }
}
