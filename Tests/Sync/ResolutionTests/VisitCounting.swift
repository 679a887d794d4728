import KSCausality
import KSRecords
import KSResolution

/// Tests that count visits in a record.
protocol VisitCounting {}

extension VisitCounting {
    var visits: [UInt8] { bytes("visits") }

    func plus(_ number: UInt64) -> [[UInt8]: CounterChange] {
        [visits: CounterChange(increment: CounterTotals(plus: number, minus: 0))]
    }

    func reset(_ number: Int64) -> [[UInt8]: CounterChange] {
        [visits: CounterChange(reset: .to(number))]
    }

    func value(_ state: RecordState) -> Int64 {
        guard let parts = state.counters[visits] else { return 0 }
        return parts.uncut.values.reduce(parts.base?.number ?? 0) { sum, held in
            sum + Int64(held.totals.plus) - Int64(held.totals.minus)
        }
    }
}
