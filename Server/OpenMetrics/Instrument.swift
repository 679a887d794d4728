internal import CoreMetrics
internal import Synchronization

/// The present value of one metric with one set of labels.
///
/// Each of the protocols of swift-metrics uses a part of it.
final class Instrument: Sendable {
    struct Value: Sendable {
        /// Of a counter or a gauge; the sum of a histogram.
        var number = 0.0
        /// How many values of a histogram fall below each bound and above the one before; the last
        /// are above all.
        var counts: [UInt64]
    }

    let family: MetricFamily
    let labels: [(String, String)]
    private let bounds: [Double]
    private let value: Mutex<Value>

    init(_ family: MetricFamily, _ labels: [(String, String)]) {
        self.family = family
        self.labels = labels
        if case .histogram(let bounds) = family.kind { self.bounds = bounds } else { bounds = [] }
        value = Mutex(Value(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var current: Value { value.withLock { $0 } }

    private func add(_ number: Double) { value.withLock { $0.number += number } }

    private func observe(_ number: Double) {
        let index = bounds.firstIndex { number <= $0 } ?? bounds.count
        value.withLock { value in
            value.counts[index] += 1
            value.number += number
        }
    }
}

extension Instrument: CounterHandler, FloatingPointCounterHandler {
    // A counter that is negative or no number would break every rate that is made of it.
    func increment(by amount: Int64) { if amount > 0 { add(Double(amount)) } }
    func increment(by amount: Double) {
        if case .counter = family.kind, !(amount > 0) { return }
        add(amount)
    }
    func reset() { value.withLock { $0.number = 0 } }
}

extension Instrument: MeterHandler {
    func set(_ number: Int64) { set(Double(number)) }
    func set(_ number: Double) { value.withLock { $0.number = number } }
    func decrement(by amount: Double) { add(-amount) }
}

extension Instrument: RecorderHandler {
    func record(_ number: Int64) { record(Double(number)) }
    func record(_ number: Double) {
        if case .histogram = family.kind { observe(number) } else { set(number) }
    }
}

extension Instrument: TimerHandler {
    func recordNanoseconds(_ duration: Int64) { observe(Double(duration) / 1e9) }
}
