import KSCausality
import KSRecords
import KSResolution
import Testing

/// Counters that are folded at the end of a key generation.
struct FoldTests: VisitCounting {
    /// Ann added 100 and took 30, Ben added 20; a reset to 5 had seen 60 of Ann's; Cid added 3.
    private func history() throws -> ItemState {
        let start = try edited(nil, by: 1, plus(60), at: 1000)
        let more = try edited(edited(start, by: 1, plus(40), at: 2000), by: 1, minus(30), at: 3000)
        let others = try edited(start, by: 2, plus(20), at: 2000)
        let started = try edited(start, by: 3, reset(5), at: 2500)
        let last = try edited(started, by: 3, plus(3), at: 4000)
        return ItemState.join([more, others, last])
    }

    // MARK: The fold

    @Test
    func `a fold keeps the number, in one entry`() throws {
        let state = try history()
        #expect(value(state) == 5 + 40 - 30 + 20 + 3)
        let folded = state.folded
        let parts = try #require(folded.counters[visits])
        let series = try #require(parts.series.keys.first)
        #expect(parts.series.count == 1 && series.actor == .folded)
        #expect(parts.series.values.first?.totals == CounterTotals(plus: 123, minus: 30))
        #expect(parts.cut == [series: CounterTotals(plus: 60, minus: 0)])
        #expect(parts.base?.number == 5 && value(folded) == value(state))
        #expect(series.start.rawValue == state.latestTime.rawValue + 1)
        #expect(folded.latestTime == series.start)
        for (name, values) in state.values where name.counter == nil {
            #expect(folded.values[name] == values)
        }
        #expect(folded.joined(with: state) == folded && state.joined(with: folded) == folded)
        #expect(try ItemState(decoding: folded.encoded) == folded)
        #expect(folded.encoded == state.folded.encoded)
    }

    @Test
    func `a fold has one encoding`() throws {
        let folded = try history().folded
        for bit in 0..<folded.encoded.count * 8 {
            var changed = folded.encoded
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            // Most are refused, which is right.
            if let other = try? ItemState(decoding: changed) { #expect(other.encoded == changed) }
        }
    }

    @Test
    func `without a counter of several series nothing changes`() throws {
        let alone = try edited(edited(nil, by: 1, plus(1), at: 1000), by: 1, reset(2), at: 2000)
        #expect(alone.folded == alone)
        var author = Author(1)
        let item = try shared(by: &author)
        #expect(item.folded == item && ItemState().folded == ItemState())
        let folded = try history().folded
        #expect(folded.folded == folded)
    }

    @Test
    func `a counter that nothing of counts is folded too, and stays as it was`() throws {
        let both = try edited(edited(nil, by: 1, plus(1), at: 1000), by: 2, plus(2), at: 2000)
        let reset = try edited(both, by: 1, reset(9), at: 3000)
        let folded = reset.folded
        let parts = try #require(folded.counters[visits])
        #expect(value(folded) == 9 && parts.uncut.isEmpty && parts.series.count == 1)
        #expect(parts.series.values.first?.totals.plus == 3 && parts.cut.count == 1)
    }

    @Test
    func `a counter whose sum is too large stays as it is, beside others that are folded`() throws {
        let other = bytes("other")
        var state: ItemState?
        for actor in 1...2 as ClosedRange<UInt64> {
            var changes = plus(.max / 2 + 1)
            changes[other] = CounterChange(increment: CounterTotals(plus: actor, minus: 0))
            state = try edited(state, by: actor, changes, at: 1000 * actor)
        }
        let folded = try #require(state).folded
        #expect(folded.counters[visits]?.series.count == 2)
        #expect(folded.counters[other]?.series.count == 1 && value(folded, of: other) == 3)
        #expect(try ItemState(decoding: folded.encoded) == folded)
    }

    @Test
    func `a fold makes no time that decoders refuse`() throws {
        for (distance, isFolded) in [(1, false), (2, true)] as [(UInt64, Bool)] {
            let last = HybridTime(rawValue: HybridTime.rawValueLimit - distance)
            var record = LocalRecord(mirror: try history())
            record.set([:], counters: plus(1), atMilliseconds: 5000)
            let work = record.seal { _, _ in Stamp(time: last, actor: ActorID(rawValue: 9)) }
            let state = try #require(work).state
            #expect((state.folded != state) == isFolded)
            #expect(try ItemState(decoding: state.folded.encoded) == state.folded)
        }
        let unsent = LocalRecord(mirror: try history(), edit: nil)
        var record = unsent
        record.set([:], counters: plus(1), atMilliseconds: 5000)
        #expect(record.view.folded == record.view)
    }

    @Test
    func `a fold is not a change`() throws {
        let state = try edited(try history(), by: 4, [:], at: 7000)
        let folded = state.folded
        #expect(folded.latestTime > state.latestTime)
        #expect(folded.lastWriteTime == state.latestTime)
        var (before, after) = (LocalRecord(mirror: state), LocalRecord(mirror: folded))
        #expect(before.deletedMilliseconds == after.deletedMilliseconds)
        // The last increment that counts is older than the last write of the record.
        let latest = state.counters[visits]?.uncut.values.map(\.stamp.time).max()
        #expect(folded.counters[visits]?.uncut.values.map(\.stamp.time) == latest.map { [$0] })
        let more = try edited(edited(folded, by: 5, plus(6), at: 8000), by: 6, [:], at: 8500)
        let latestOfAll = more.counters[visits]?.uncut.values.map(\.stamp.time).max()
        let again = more.folded
        #expect(again.counters[visits]?.uncut.values.map(\.stamp.time) == latestOfAll.map { [$0] })
        before.delete(atMilliseconds: 9000)
        after.delete(atMilliseconds: 9000)
        #expect(!before.view.folded.isAlive && !after.view.isAlive)
    }

    @Test
    func `counters of fields are folded one by one`() throws {
        let names = (0..<20).map { bytes("field \($0)") }
        var state: ItemState?
        for actor in 1...3 as ClosedRange<UInt64> {
            let changes = names.enumerated().map { index, name in
                (name, CounterChange(increment: CounterTotals(plus: actor, minus: UInt64(index))))
            }
            let all = Dictionary(uniqueKeysWithValues: changes)
            state = try edited(state, by: actor, all, at: 1000 * actor)
        }
        let folded = try #require(state).folded
        for (index, name) in names.enumerated() {
            #expect(folded.counters[name]?.series.count == 1)
            #expect(value(folded, of: name) == 6 - 3 * Int64(index))
        }
        #expect(Set(folded.counters.values.flatMap(\.series.keys)).count == 1)
    }

    @Test
    func `a counter of 1,024 actors becomes small`() throws {
        var states: [ItemState] = []
        for actor in 1...1024 as ClosedRange<UInt64> {
            states.append(
                try edited(nil, by: actor &* 0x9E37_79B9_7F4A_7C15, plus(actor), at: actor)
            )
        }
        let last = try #require(states.last)
        // One value of the field is enough, as after a write that has seen all.
        let state = try edited(ItemState.join(states + [last]), by: 7, [:], at: 9000)
        let folded = state.folded
        #expect(value(folded) == 1024 * 1025 / 2)
        #expect(state.encoded.count > 50_000)
        // The context remains: it has some 18 bytes for each actor.
        let bare = folded.values.filter { $0.key.counter != nil }
        #expect(bare.count == 1 && folded.encoded.count < 19_000)
    }

    // MARK: Concurrent writes

    @Test
    func `two devices that fold at the same time fold once`() throws {
        let state = try history()
        let ann = try edited(state, by: 11, plus(1), at: 5000, folds: true)
        let ben = try edited(state, by: 12, plus(2), at: 5500, folds: true)
        let joined = ann.joined(with: ben)
        #expect(value(joined) == value(state) + 3 && joined.counters[visits]?.series.count == 3)
        #expect(joined.encoded == ben.joined(with: ann).encoded)
        let entries = joined.values.filter { $0.key.counterActor == .folded }
        #expect(entries.values.map(\.count) == [1])
    }

    @Test
    func `increments beside a fold count, and the old entries do not come back`() throws {
        let state = try history()
        let folded = try edited(state, by: 11, plus(1), at: 5000, folds: true)
        let beside = try edited(state, by: 12, plus(2), at: 5500)
        let joined = folded.joined(with: beside)
        #expect(value(joined) == value(state) + 3 && joined.counters[visits]?.series.count == 3)
        let again = try edited(joined.folded, by: 13, plus(4), at: 6000)
        #expect(value(again) == value(state) + 7)
        #expect(value(again.joined(with: beside)) == value(again))
    }

    @Test
    func `a reset or a deletion beside a fold drops what it had seen`() throws {
        let state = try history()
        let folded = try edited(state, by: 11, plus(1), at: 5000, folds: true)
        let beside = try edited(state, by: 12, reset(7), at: 5500)
        #expect(value(folded.joined(with: beside)) == 8)
        #expect(value(folded.joined(with: beside).folded) == 8)
        // The names of the replaced series go with the next fold, even if no series came since.
        let cut = try edited(state, by: 12, reset(7), at: 5500).joined(with: state.folded)
        #expect(cut.counters[visits]?.series.count == 1 && cut.folded != cut)
        #expect(cut.folded.counters[visits]?.cut.count == 1 && value(cut.folded) == 7)
        var (author, record) = (Author(13), LocalRecord(mirror: state))
        record.delete(atMilliseconds: 5500)
        let deletion = try sealed(&record, by: &author, folds: false)
        let joined = folded.joined(with: deletion)
        #expect(joined.isAlive && value(joined) == 1)
    }

    @Test
    func `a write that folds may reset, and two folds in a row keep what was reset`() throws {
        let state = try history()
        let first = try edited(state, by: 11, reset(7), at: 5000, folds: true)
        #expect(value(first) == 7)
        #expect(first.counters[visits]?.cut.keys.map(\.actor) == [.folded])
        let more = try edited(edited(first, by: 11, plus(2), at: 6000), by: 12, plus(3), at: 7000)
        let second = try edited(more, by: 21, plus(4), at: 8000, folds: true)
        #expect(value(second) == 16 && second.counters[visits]?.series.count == 2)
        #expect(value(second.joined(with: more)) == 16 && value(second.joined(with: state)) == 16)
    }

    @Test
    func `a batch may hold a fold and no other change`() throws {
        var record = LocalRecord(mirror: try history())
        let before = record
        let work = record.seal(isRewrite: true, foldsCounters: true) { _, _ in
            Stamp(time: .zero, actor: ActorID(rawValue: 9))
        }
        let sealed = try #require(work)
        #expect(sealed.state == before.mirror?.folded && sealed.before == before.mirror)
        #expect(try SealedEdit(decoding: sealed.encoded) == sealed)
        #expect(value(record.view) == value(before.view))
        let goesUpAgain = record.takeApart()
        #expect(goesUpAgain && record == before)
    }
}
