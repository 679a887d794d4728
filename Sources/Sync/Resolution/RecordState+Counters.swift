package import KSCausality

/// The parts of one counter in a state.
package struct CounterParts: Sendable {
    /// The number that it was last set to, with the stamp of that write.
    package private(set) var base: (stamp: Stamp, number: Int64)?
    /// What each series holds, with the stamp of its last write.
    package private(set) var series: [CounterSeries: (stamp: Stamp, totals: CounterTotals)] = [:]
    /// The increments that a reset or a removal ended: those that its device had seen.
    package private(set) var cut: [CounterSeries: CounterTotals] = [:]

    /// The increments that count, by series.
    package var uncut: [CounterSeries: (stamp: Stamp, totals: CounterTotals)] {
        var uncut: [CounterSeries: (stamp: Stamp, totals: CounterTotals)] = [:]
        for (key, held) in series {
            let rest = held.totals.beyond(cut[key] ?? .zero)
            if !rest.isZero { uncut[key] = (held.stamp, rest) }
        }
        return uncut
    }

    /// Everything seen of the counter, which a reset or a removal made now would cut.
    var totals: [CounterSeries: CounterTotals] { series.mapValues(\.totals) }

    fileprivate mutating func add(
        _ values: [StampedValue],
        of name: ValueName,
        deleted: StampContext
    ) {
        for stamped in values {
            // A state never holds counters that cannot be read: `ValueName.accepts`.
            guard let value = stamped.value else { continue }
            switch name.kind {
            case ValueName.Kind.counterEntry:
                // A state holds no such bytes either.
                guard let actor = name.counterActor, let entry = try? CounterEntry(decoding: value)
                else { continue }
                let key = CounterSeries(actor: actor, start: entry.start)
                let held = series[key]
                series[key] = (
                    stamp: max(held?.stamp ?? stamped.stamp, stamped.stamp),
                    totals: held?.totals.merged(with: entry.totals) ?? entry.totals
                )
            case ValueName.Kind.counterBase:
                guard !deleted.contains(stamped.stamp),
                    // A state holds no such bytes either.
                    let number = try? CounterBase.number(decoding: value)
                else { continue }
                // In order of their stamps, so the last one is shown.
                base = (stamped.stamp, number)
            default:
                // A state holds no such bytes either.
                guard let other = try? CounterCut(decoding: value) else { continue }
                cut.merge(other.totals) { $0.merged(with: $1) }
            }
        }
    }
}

extension RecordState {
    /// All counters of the state, by name.
    package var counters: [[UInt8]: CounterParts] {
        var counters: [[UInt8]: CounterParts] = [:]
        for (name, values) in values {
            guard let counter = name.counter else { continue }
            counters[counter, default: CounterParts()].add(values, of: name, deleted: deleted)
        }
        return counters
    }

    /// Cuts of those totals of its counters that count, and whose stamps are not in the context
    /// `seen`.
    ///
    /// Each has a stamp of its own that follows from the total's, so every device makes the same
    /// one. With the total's stamp it would replace all that was written under it.
    func cuts(ofAllBut seen: StampContext) -> RecordState {
        var result = RecordState()
        let counters = counters
        for (name, held) in values where name.kind == ValueName.Kind.counterEntry {
            guard let counter = name.counter, let actor = name.counterActor else { continue }
            for total in held where !seen.contains(total.stamp) {
                // A state holds no counters that cannot be read: `ValueName.accepts`.
                guard let value = total.value, let entry = try? CounterEntry(decoding: value)
                else { continue }
                let series = CounterSeries(actor: actor, start: entry.start)
                guard counters[counter]?.uncut[series] != nil else { continue }
                let cut = StampedValue(
                    stamp: Stamp(
                        time: total.stamp.time,
                        actor: ActorID(rawValue: ~total.stamp.actor.rawValue)
                    ),
                    value: CounterCut(totals: [series: entry.totals]).encoded
                )
                result.insert(cut, of: .counterCut(of: counter))
                result.context.insertExactly(cut.stamp)
            }
        }
        return result
    }

    /// The stamps of a counter's base and cut, which a reset or a removal replaces.
    func resetStamps(of counter: [UInt8]) -> [Stamp] {
        stamps(of: .counterBase(of: counter)) + stamps(of: .counterCut(of: counter))
    }

    /// Adds a value to those of a name, in the order of their stamps.
    mutating func insert(_ value: StampedValue, of name: ValueName) {
        values[name] = ((values[name] ?? []) + [value]).sorted()
    }

    /// Removes the values of a name with these stamps.
    ///
    /// - Returns: the removed values.
    @discardableResult
    mutating func remove(_ stamps: Set<Stamp>, of name: ValueName) -> [StampedValue] {
        guard let held = values[name] else { return [] }
        let kept = held.filter { !stamps.contains($0.stamp) }
        values[name] = kept.isEmpty ? nil : kept
        return held.filter { stamps.contains($0.stamp) }
    }
}
