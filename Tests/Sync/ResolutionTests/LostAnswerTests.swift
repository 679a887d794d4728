import KSCausality
import KSRecords
import KSResolution
import Testing

/// Batches with increments that get no answer and are taken apart, whether they arrived or not.
///
/// Ann added 5 and Ben 6. Then Ann's batch gets no answer, and Cid adds 7 that she has not seen.
struct LostAnswerTests: VisitCounting {
    private func edited(
        _ state: RecordState?,
        by actor: UInt64,
        _ counters: [[UInt8]: CounterChange],
        at clock: UInt64
    ) throws -> RecordState {
        var (author, record) = (Author(actor), LocalRecord(mirror: state))
        record.set([note: bytes("\(clock)")], counters: counters, atMilliseconds: clock)
        return try author.seal(&record)
    }

    private func start() throws -> RecordState {
        try edited(edited(nil, by: 1, plus(5), at: 1000), by: 2, plus(6), at: 2000)
    }

    /// What the server holds after Cid's write, with these batches if they arrived.
    private func met(_ accepted: RecordState...) throws -> RecordState {
        RecordState.join(accepted + [try edited(start(), by: 3, plus(7), at: 2500)])
    }

    /// What the record shows, what its next batch shows, and that a late copy changes nothing.
    private func expect(
        _ number: Int64,
        of record: LocalRecord,
        beside late: RecordState...,
        at sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var (author, record) = (Author(21), record)
        #expect(value(record.view) == number, sourceLocation: sourceLocation)
        let sealed = try author.seal(&record)
        #expect(value(sealed) == number, sourceLocation: sourceLocation)
        let joined = RecordState.join([sealed] + late)
        #expect(value(joined) == number, sourceLocation: sourceLocation)
        record.acknowledge()
        #expect(record.edit == nil, sourceLocation: sourceLocation)
    }

    @Test(arguments: [true, false], [true, false])
    func `an increment counts once, whether its batch arrived or not`(
        arrived: Bool,
        isTakenApartFirst: Bool
    ) throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([note: bytes("n")], counters: plus(3), atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        if isTakenApartFirst {
            _ = record.takeApart()
            #expect(value(record.view) == 14)
        }
        record.mirror = arrived ? try met(batch) : try met()
        #expect(value(record.view) == 21)
        _ = record.takeApart()
        try expect(21, of: record, beside: batch)
        record.set([:], counters: plus(10), atMilliseconds: 6000)
        try expect(31, of: record, beside: batch)
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
        record.mirror = try met(RecordState.join(accepted))
        try expect(25, of: record, beside: first, second)
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
        #expect(value(record.view) == 101)
        record.mirror = arrived ? try met(batch) : try met()
        _ = record.takeApart()
        try expect(108, of: record, beside: batch)
    }

    @Test(arguments: [true, false])
    func `a reset ends the increments of a batch that a page shows before the answer comes`(
        isAnswered: Bool
    ) throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([:], counters: plus(3), atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        record.set([:], counters: reset(100), atMilliseconds: 3100)
        record.mirror = try met(batch)
        #expect(value(record.view) == 107)
        if isAnswered { record.acknowledge() } else { _ = record.takeApart() }
        try expect(107, of: record, beside: batch)
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
        record.mirror = arrived ? try met(batch) : try met()
        try expect(7, of: record, beside: batch)
    }

    @Test(arguments: [true, false])
    func `a batch with a reset and an increment counts once`(arrived: Bool) throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([:], counters: reset(100), atMilliseconds: 3000)
        record.set([:], counters: plus(3), atMilliseconds: 3001)
        let batch = try ann.seal(&record)
        _ = record.takeApart()
        record.mirror = arrived ? try met(batch) : try met()
        try expect(110, of: record, beside: batch)
    }

    /// Its device repeats the write, which is new to the deletion.
    @Test
    func `an increment that others have seen and deleted comes back when sent again`() throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([note: bytes("n")], counters: plus(3), atMilliseconds: 3000)
        let batch = try ann.seal(&record)
        _ = record.takeApart()
        var (ben, other) = (Author(12), LocalRecord(mirror: batch))
        other.delete(atMilliseconds: 6000)
        let tombstone = try ben.seal(&other)
        record.mirror = tombstone
        #expect(record.view.isAlive)
        try expect(3, of: record, beside: batch, tombstone)
    }

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
        record.mirror = try met(written)
        try expect(30, of: record, beside: written)
    }

    @Test
    func `a total at the maximum keeps what it has`() throws {
        var (ann, record) = (Author(1), LocalRecord(mirror: try start()))
        record.set([:], counters: plus(3), atMilliseconds: 3000)
        _ = try ann.seal(&record)
        record.set([:], counters: plus(.max - 1), atMilliseconds: 3100)
        _ = record.takeApart()
        #expect(record.edit?.counters[visits]?.change.increment.plus == .max)
    }
}
