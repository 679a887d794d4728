import KSCausality
import KSRecords
import KSResolution
import Testing

/// Tests that count visits in a record, and fold the counter.
protocol VisitCounting {}

extension VisitCounting {
    var visits: [UInt8] { bytes("visits") }

    func plus(_ number: UInt64) -> [[UInt8]: CounterChange] {
        [visits: CounterChange(increment: CounterTotals(plus: number, minus: 0))]
    }

    func minus(_ number: UInt64) -> [[UInt8]: CounterChange] {
        [visits: CounterChange(increment: CounterTotals(plus: 0, minus: number))]
    }

    func reset(_ number: Int64) -> [[UInt8]: CounterChange] {
        [visits: CounterChange(reset: .to(number))]
    }

    func value(_ state: ItemState, of name: [UInt8]? = nil) -> Int64 {
        guard let parts = state.counters[name ?? visits] else { return 0 }
        return parts.uncut.values.reduce(parts.base?.number ?? 0) { sum, held in
            sum + Int64(held.totals.plus) - Int64(held.totals.minus)
        }
    }

    /// The state after an edit of this record by an actor.
    func edited(
        _ state: ItemState?,
        by actor: UInt64,
        _ counters: [[UInt8]: CounterChange],
        at clock: UInt64,
        folds: Bool = false
    ) throws -> ItemState {
        var (author, record) = (Author(actor), LocalRecord(mirror: state))
        record.set([note: bytes("\(clock)")], counters: counters, atMilliseconds: clock)
        return try sealed(&record, by: &author, folds: folds)
    }

    func sealed(
        _ record: inout LocalRecord,
        by author: inout Author,
        folds: Bool = true
    ) throws -> ItemState {
        let work = record.seal(foldsCounters: folds) { author.stamp($0, $1) }
        return try #require(work).state
    }
}
