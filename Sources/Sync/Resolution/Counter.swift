package import KSCausality
internal import KSRecords

/// What one actor has added to a counter and taken from it.
///
/// Both numbers only grow. They stop at the highest `UInt64`.
package struct CounterTotals: Hashable, Sendable {
    package static let zero = CounterTotals(plus: 0, minus: 0)

    package var plus: UInt64
    package var minus: UInt64

    package init(plus: UInt64, minus: UInt64) {
        self.plus = plus
        self.minus = minus
    }

    package var isZero: Bool { plus == 0 && minus == 0 }

    package func adding(_ other: CounterTotals) -> CounterTotals {
        CounterTotals(
            plus: plus + min(other.plus, .max - plus),
            minus: minus + min(other.minus, .max - minus)
        )
    }

    /// Whether ``adding(_:)`` is exact.
    package func holds(_ other: CounterTotals) -> Bool {
        other.plus <= .max - plus && other.minus <= .max - minus
    }

    /// The excess over `other`; never below zero.
    package func beyond(_ other: CounterTotals) -> CounterTotals {
        CounterTotals(
            plus: plus > other.plus ? plus - other.plus : 0,
            minus: minus > other.minus ? minus - other.minus : 0
        )
    }

    package func merged(with other: CounterTotals) -> CounterTotals {
        CounterTotals(plus: max(plus, other.plus), minus: max(minus, other.minus))
    }
}

/// Which series of increments an entry of a counter holds.
///
/// An actor that lost its record starts a new series, which no earlier cut covers.
package struct CounterSeries: Hashable, Comparable, Sendable {
    package let actor: ActorID
    /// The time of the first write of the series.
    package let start: HybridTime

    package static func < (left: CounterSeries, right: CounterSeries) -> Bool {
        (left.actor, left.start) < (right.actor, right.start)
    }
}

/// The value of a name of kind ``ValueName/Kind/counterEntry``.
struct CounterEntry: Equatable {
    let start: HybridTime
    let totals: CounterTotals

    var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.integer(start.rawValue)
        encoder.totals(totals)
        return encoder.encoded
    }
}

extension CounterEntry {
    init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = CanonicalDecoder(encoded)
        start = HybridTime(rawValue: try decoder.integer())
        totals = try decoder.totals()
        try decoder.end()
    }
}

/// The value of a name of kind ``ValueName/Kind/counterCut``: the totals that its author had seen
/// when resetting or removing the counter.
struct CounterCut: Equatable {
    var totals: [CounterSeries: CounterTotals]

    var encoded: [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.cut(totals)
        return encoder.encoded
    }
}

extension CounterCut {
    init(decoding encoded: [UInt8]) throws(RecordsError) {
        var decoder = CanonicalDecoder(encoded)
        totals = try decoder.cut()
        try decoder.end()
    }
}

/// The value of a name of kind ``ValueName/Kind/counterBase``.
enum CounterBase {
    static func encoded(_ number: Int64) -> [UInt8] {
        var encoder = CanonicalEncoder()
        encoder.integer(UInt64(bitPattern: number))
        return encoder.encoded
    }

    static func number(decoding encoded: [UInt8]) throws(RecordsError) -> Int64 {
        var decoder = CanonicalDecoder(encoded)
        let number = Int64(bitPattern: try decoder.integer())
        try decoder.end()
        return number
    }
}

extension CanonicalEncoder {
    mutating func totals(_ totals: CounterTotals) {
        compactInteger(totals.plus)
        compactInteger(totals.minus)
    }

    mutating func cut(_ totals: [CounterSeries: CounterTotals]) {
        compactList(totals.sorted { $0.key < $1.key }) { encoder, entry in
            encoder.integer(entry.key.actor.rawValue)
            encoder.integer(entry.key.start.rawValue)
            encoder.totals(entry.value)
        }
    }
}

extension CanonicalDecoder {
    mutating func totals() throws(RecordsError) -> CounterTotals {
        CounterTotals(plus: try compactInteger(), minus: try compactInteger())
    }

    mutating func cut() throws(RecordsError) -> [CounterSeries: CounterTotals] {
        let entries = try compactList(elementBytesMin: 18) { decoder throws(RecordsError) in
            let series = CounterSeries(
                actor: ActorID(rawValue: try decoder.integer()),
                start: HybridTime(rawValue: try decoder.integer())
            )
            return (series: series, totals: try decoder.totals())
        }
        guard entries.map(\.series).isStrictlyRising else { throw .malformed }
        return Dictionary(uniqueKeysWithValues: entries.map { ($0.series, $0.totals) })
    }
}

// MARK: Names

extension ValueName {
    private static let actorBytesCount = 8

    static func counterEntry(of counter: [UInt8], _ actor: ActorID) -> ValueName {
        let actorBytes = (0..<actorBytesCount).map { index in
            UInt8(truncatingIfNeeded: actor.rawValue >> UInt64(56 - 8 * index))
        }
        return ValueName(kind: Kind.counterEntry, nameBytes: counter + actorBytes)
    }

    static func counterBase(of counter: [UInt8]) -> ValueName {
        ValueName(kind: Kind.counterBase, nameBytes: counter)
    }

    static func counterCut(of counter: [UInt8]) -> ValueName {
        ValueName(kind: Kind.counterCut, nameBytes: counter)
    }

    /// The counter that this is a part of; nil for other names.
    package var counter: [UInt8]? {
        switch kind {
        case Kind.counterEntry: Array(nameBytes.dropLast(Self.actorBytesCount))
        case Kind.counterBase, Kind.counterCut: nameBytes
        default: nil
        }
    }

    /// The only writer of a counter's entry; nil for other names.
    package var counterActor: ActorID? {
        guard kind == Kind.counterEntry, nameBytes.count >= Self.actorBytesCount else { return nil }
        let number = nameBytes.suffix(Self.actorBytesCount).reduce(UInt64(0)) {
            $0 << 8 | UInt64($1)
        }
        return ActorID(rawValue: number)
    }

    /// Whether its values are totals of a counter, which outlive a deletion.
    var isCounterTotal: Bool { kind == Kind.counterEntry || kind == Kind.counterCut }

    /// Whether these may be its values in a state.
    func accepts(_ values: [StampedValue]) -> Bool {
        guard !hasPlaceholder else { return true }
        return values.allSatisfy { stamped in
            guard let value = stamped.value else { return false }
            do throws(RecordsError) {
                switch kind {
                case Kind.counterEntry: _ = try CounterEntry(decoding: value)
                case Kind.counterBase: _ = try CounterBase.number(decoding: value)
                case Kind.counterCut: _ = try CounterCut(decoding: value)
                default: break
                }
                return true
            } catch {
                return false
            }
        }
    }
}
