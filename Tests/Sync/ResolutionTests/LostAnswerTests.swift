import KSCausality
import KSRecords
import KSResolution
import Testing

/// Batches that are taken apart without an answer, and counters that are folded meanwhile.
///
/// Ann added 5 and Ben 6. Then Ann's batch gets no answer.
struct LostAnswerTests: VisitCounting {
    private let likes: [UInt8] = bytes("likes")

    private func start() throws -> ItemState {
        try edited(edited(nil, by: 1, plus(5), at: 1000), by: 2, plus(6), at: 2000)
    }

    /// Others add 7 that Ann has not seen; then a fold and another 8.
    private func folded(_ accepted: ItemState...) throws -> ItemState {
        let unseen = try edited(start(), by: 3, plus(7), at: 2500)
        let closing = ItemState.join(accepted + [unseen])
        return try edited(closing, by: 11, plus(8), at: 5000, folds: true)
    }

    /// What the record shows, and what its next batch shows alone and beside the fold.
    private func expect(
        _ number: Int64,
        of record: LocalRecord,
        beside folded: ItemState,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var (author, record) = (Author(21), record)
        #expect(value(record.view) == number, sourceLocation: sourceLocation)
        let sealed = try author.seal(&record)
        #expect(value(sealed) == number, sourceLocation: sourceLocation)
        #expect(value(sealed.joined(with: folded)) == number, sourceLocation: sourceLocation)
        record.acknowledge()
        #expect(record.edit == nil)
    }

    @Test(arguments: [true, false], [true, false])
    func `an increment counts once, whether its batch arrived or not`(
        arrived: Bool,
        isTakenApartFirst: Bool
    ) throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([note: bytes("n")], counters: plus(3), atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        let mirror = arrived ? try folded(batch) : try folded()
        if isTakenApartFirst {
            _ = record.takeApart()
            #expect(value(record.view) == 14)
        }
        record.replaceMirror(with: mirror)
        #expect(value(record.view) == 29)
        _ = record.takeApart()
        try expect(29, of: record, beside: mirror)
        let left = record.edit?.counters[visits]?.change.increment.plus
        #expect(left == (arrived ? nil : 3))
        // Increments made later are new.
        record.set([:], counters: plus(10), atMilliseconds: 6000)
        try expect(39, of: record, beside: mirror)
    }

    @Test
    func `each counter of a record counts once`() throws {
        let counters = [likes: CounterChange(increment: CounterTotals(plus: 2, minus: 1))]
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([:], counters: plus(3).merging(counters) { $1 }, atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        // This counter is no part of the batch.
        let others = [bytes("others"): CounterChange(increment: CounterTotals(plus: 4, minus: 0))]
        record.set([:], counters: others, atMilliseconds: 3001)
        _ = record.takeApart()
        // A counter of one series is not folded.
        let mirror = try folded(batch)
        record.replaceMirror(with: mirror)
        try expect(29, of: record, beside: mirror)
        var author = Author(21)
        let sealed = try author.seal(&record)
        #expect(value(sealed, of: likes) == 1 && value(sealed, of: bytes("others")) == 4)
    }

    @Test(arguments: [true, false], [true, false])
    func `two batches, taken apart one after the other, count once`(
        firstArrived: Bool,
        secondArrived: Bool
    ) throws {
        var (ann, again, record) = (Author(1), Author(4), LocalRecord(mirror: try start()))
        record.set([:], counters: plus(1), atMilliseconds: 3000)
        let first = try ann.seal(&record)
        _ = record.takeApart()
        record.set([:], counters: plus(2), atMilliseconds: 3100)
        let second = try again.seal(&record)
        _ = record.takeApart()
        record.set([:], counters: plus(4), atMilliseconds: 3200)
        let accepted = (firstArrived ? [first] : []) + (secondArrived ? [second] : [])
        let mirror = try folded(ItemState.join(accepted))
        for isPulledBefore in [false, true] {
            var record = record
            if isPulledBefore {
                let pulled = ItemState.join([try start()] + accepted)
                record.replaceMirror(with: pulled)
                #expect(value(record.view) == 18)
                // Without a fold, a late copy of the second batch still withdraws the first.
                var (author, early) = (Author(21), record)
                #expect(value(try author.seal(&early).joined(with: second)) == 18)
            }
            record.replaceMirror(with: mirror)
            try expect(33, of: record, beside: mirror)
            if firstArrived, !secondArrived {
                // Of the second batch, its own increment is left to withdraw.
                let left = record.edit?.counters[visits]?.withdrawnIncrements.values
                #expect(left?.map(\.repeated.plus) == [2])
            }
            // The first batch was replaced by the second. A late copy of the second has no effect.
            var author = Author(21)
            let sealed = try author.seal(&record)
            #expect(value(sealed.joined(with: second)) == 33)
        }
    }

    private enum Moment: CaseIterable { case onItsWay, takenApart }

    @Test(arguments: Moment.allCases, [true, false])
    private func `a later reset ends the increments of the batch, and no others`(
        moment: Moment,
        arrived: Bool
    ) throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([:], counters: plus(3), atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        if moment == .takenApart { _ = record.takeApart() }
        record.set([:], counters: reset(100), atMilliseconds: 3100)
        record.set([:], counters: plus(1), atMilliseconds: 3200)
        _ = record.takeApart()
        #expect(value(record.view) == 101)
        let mirror = arrived ? try folded(batch) : try folded()
        var unfolded = record
        unfolded.replaceMirror(with: arrived ? batch : try start())
        #expect(value(unfolded.view) == 101)
        record.replaceMirror(with: mirror)
        // The fold has Cid's 7, which the reset's user had not seen, and 8 come after it.
        try expect(116, of: record, beside: mirror)
    }

    @Test
    func `a reset by a user who had seen the accepted batch ends its increments once`() throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([:], counters: plus(3), atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        record.replaceMirror(with: batch)
        record.set([:], counters: reset(100), atMilliseconds: 3100)
        let mirror = try folded(batch)
        record.replaceMirror(with: mirror)
        #expect(value(record.view) == 115)
        _ = record.takeApart()
        try expect(115, of: record, beside: mirror)
    }

    @Test(arguments: [true, false])
    func `a reset ends the increments of a batch that a page shows before the answer comes`(
        isAnswered: Bool
    ) throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([:], counters: plus(3), atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        record.set([:], counters: reset(100), atMilliseconds: 3100)
        let mirror = try folded(batch)
        record.replaceMirror(with: mirror)
        #expect(value(record.view) == 115)
        if isAnswered { record.acknowledge() } else { _ = record.takeApart() }
        try expect(115, of: record, beside: mirror)
    }

    @Test(arguments: Moment.allCases, [true, false])
    private func `a later deletion covers the increments of the batch, and no others`(
        moment: Moment,
        arrived: Bool
    ) throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([:], counters: plus(3), atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        if moment == .takenApart { _ = record.takeApart() }
        record.delete(atMilliseconds: 3100)
        _ = record.takeApart()
        let mirror = arrived ? try folded(batch) : try folded()
        record.replaceMirror(with: mirror)
        try expect(15, of: record, beside: mirror)
    }

    @Test(arguments: [true, false])
    func `a batch with a reset and an increment counts once`(arrived: Bool) throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([:], counters: reset(100), atMilliseconds: 3000)
        record.set([:], counters: plus(3), atMilliseconds: 3001)
        let batch = try ann.seal(&record)
        _ = record.takeApart()
        let mirror = arrived ? try folded(batch) : try folded()
        record.replaceMirror(with: mirror)
        try expect(118, of: record, beside: mirror)
    }

    /// Repeated writes are new to a deletion.
    ///
    /// A fold leaves no increment to repeat.
    @Test(arguments: [true, false])
    func `an increment that others have seen and deleted comes back unless a fold holds it`(
        isFolded: Bool
    ) throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([note: bytes("n")], counters: plus(3), atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        _ = record.takeApart()
        var other = LocalRecord(mirror: isFolded ? try folded(batch) : batch)
        other.delete(atMilliseconds: 6000)
        var ben = Author(12)
        let tombstone = try ben.seal(&other)
        record.replaceMirror(with: tombstone)
        // The note of the batch is written again, as without a counter.
        #expect(record.view.isAlive)
        try expect(isFolded ? 0 : 3, of: record, beside: tombstone)
    }

    /// Two devices write at the same time, and one of them folds.
    @Test(arguments: [true, false])
    func `an increment sent again beside a fold counts once only if its device folds too`(
        folds: Bool
    ) throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([note: bytes("n")], counters: plus(3), atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        _ = record.takeApart()
        record.replaceMirror(with: batch)
        #expect(value(record.view) == 14)
        var again = Author(12)
        let mine = try sealed(&record, by: &again, folds: folds)
        let theirs = try edited(batch, by: 11, plus(8), at: 5000, folds: true)
        #expect(value(mine) == 14)
        // The fold holds the 3, and so does the entry of a device that does not fold.
        #expect(value(mine.joined(with: theirs)) == (folds ? 22 : 22 + 3))
    }

    /// The fold takes 3 out of what its batch adds, and the unsent edit has them again.
    @Test(arguments: [true, false])
    func `an increment counts once if the device folds and that answer is lost too`(
        arrived: Bool
    ) throws {
        var (ann, again, record) = (Author(1), Author(12), LocalRecord(mirror: try start()))
        record.set([:], counters: plus(3), atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        _ = record.takeApart()
        record.replaceMirror(with: batch)
        record.set([:], counters: plus(4), atMilliseconds: 3100)
        let fold = try sealed(&record, by: &again, folds: true)
        #expect(value(fold) == 18)
        _ = record.takeApart()
        #expect(value(record.view) == 18)
        let theirs = try edited(batch, by: 11, plus(8), at: 5000, folds: true)
        let mirror = arrived ? fold.joined(with: theirs) : theirs
        record.replaceMirror(with: mirror)
        try expect(26, of: record, beside: mirror)
    }

    /// A later write of the same actor proves nothing about a batch of this device.
    @Test
    func `an increment is not lost because a copy of the device has written`() throws {
        let state = try start()
        var (ann, copy) = (Author(1), Author(1))
        var (record, other) = (LocalRecord(mirror: state), LocalRecord(mirror: state))
        record.set([:], counters: plus(3), atMilliseconds: 3000)
        _ = try ann.seal(&record)
        other.set([:], counters: plus(9), atMilliseconds: 3500)
        let written = try copy.seal(&other)
        _ = record.takeApart()
        let mirror = try folded(written)
        record.replaceMirror(with: mirror)
        try expect(38, of: record, beside: mirror)
    }

    @Test
    func `a total at the maximum keeps what it has`() throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([:], counters: plus(3), atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        record.set([:], counters: plus(.max - 1), atMilliseconds: 3100)
        _ = record.takeApart()
        #expect(record.edit?.counters[visits]?.change.increment.plus == .max)
        record.replaceMirror(with: try folded(batch))
        #expect(record.edit?.counters[visits]?.change.increment.plus == .max)
    }

    @Test
    func `an edit that an earlier program has taken apart is not folded`() throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([:], counters: plus(3), atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        _ = record.takeApart()
        record.edit = try FrozenEditTests.withoutIncrements(record.edit)
        record.replaceMirror(with: batch)
        #expect(value(record.view) == 14)
        var again = Author(12)
        let mine = try sealed(&record, by: &again, folds: true)
        let series = try #require(mine.counters[visits]).series.keys
        #expect(value(mine) == 14 && !series.contains { $0.actor == .folded })
    }
}
