package import KSCausality
package import KSRecords

/// What was added to a counter, and what was taken from it; each only rises.
///
/// Beyond 2^64 - 1 a total stays where it is.
package struct CounterTotals: Hashable, Sendable {
    package var plus: UInt64
    package var minus: UInt64

    package init(plus: UInt64 = 0, minus: UInt64 = 0) {
        self.plus = plus
        self.minus = minus
    }

    /// The totals that change a counter by this much.
    package init(_ change: Int64) {
        self.init(plus: change > 0 ? change.magnitude : 0, minus: change < 0 ? change.magnitude : 0)
    }

    package mutating func add(_ other: CounterTotals) {
        plus = Self.sum(plus, other.plus)
        minus = Self.sum(minus, other.minus)
    }

    /// The higher total of both, one by one.
    package func joined(with other: CounterTotals) -> CounterTotals {
        CounterTotals(plus: max(plus, other.plus), minus: max(minus, other.minus))
    }

    private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, overflows) = left.addingReportingOverflow(right)
        return overflows ? .max : sum
    }
}

/// The totals of one actor in one counter: the value of a ``ValueName/Kind/counterEntry``.
///
/// Only its actor writes it. After a deletion the actor starts again, with another start.
package struct CounterEntry: Hashable, Sendable {
    /// The time of the stamp of the entry's first write; tells an entry from one that was deleted.
    package let start: UInt64
    package let totals: CounterTotals

    package init(start: UInt64, totals: CounterTotals) {
        self.start = start
        self.totals = totals
    }

    /// The entry that these values of one name show.
    ///
    /// There are several only where a refused batch of the actor arrived after all.
    init(_ held: [StampedValue], startingAt stamp: Stamp) {
        // A newer program's entry is left to it.
        let entries = held.compactMap { $0.value.flatMap { try? CounterEntry(decoding: $0) } }
        guard let start = entries.map(\.start).max() else {
            self.init(start: stamp.time.rawValue, totals: CounterTotals())
            return
        }
        let totals = entries.filter { $0.start == start }.map(\.totals)
        self.init(start: start, totals: totals.reduce(CounterTotals()) { $0.joined(with: $1) })
    }

    /// The entry that the current values of one name show; nil without any that can be read.
    package init?(_ held: [StampedValue]) {
        guard let first = held.first else { return nil }
        let entry = CounterEntry(held, startingAt: first.stamp)
        guard held.contains(where: { $0.value != nil }) else { return nil }
        self = entry
    }

    func adding(_ change: CounterTotals) -> CounterEntry {
        var totals = totals
        totals.add(change)
        return CounterEntry(start: start, totals: totals)
    }

    package var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.integer(start)
        encoder.totals(totals)
        return encoder.encoded
    }

    package init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = CanonicalDecoder(encoded)
        start = try decoder.integer()
        totals = try decoder.totals()
        try decoder.end()
    }
}

extension CanonicalEncoder {
    package mutating func totals(_ totals: CounterTotals) {
        compactInteger(totals.plus)
        compactInteger(totals.minus)
    }
}

extension CanonicalDecoder {
    package mutating func totals() throws(RecordsError) -> CounterTotals {
        CounterTotals(plus: try compactInteger(), minus: try compactInteger())
    }
}

extension ActorID {
    /// Stands in a view for the actor that will seal the unsent edit.
    package static let provisional = ActorID(rawValue: .max)
}
