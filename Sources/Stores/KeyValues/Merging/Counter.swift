package import KSResolution

/// A counter: the number that it was last set to, and all increments that nobody has reset since.
///
/// An increment that a reset had not seen survives it. If resets are concurrent, the one with the
/// highest stamp decides the number, and each drops the increments that it had seen.
package struct Counter: Equatable, Sendable {
    /// The value without any limit.
    package let exactValue: Int128

    package static let zero = Counter(exactValue: 0)

    init(exactValue: Int128) {
        self.exactValue = exactValue
    }

    init(_ parts: CounterParts) {
        exactValue = parts.uncut.values.reduce(Int128(parts.base?.number ?? 0)) { sum, held in
            sum + Int128(held.totals.plus) - Int128(held.totals.minus)
        }
    }

    /// Whether the counter is `other` after this change.
    func isExactly(_ other: Counter, after change: CounterChange) -> Bool {
        let start =
            switch change.reset {
            case nil: other.exactValue
            case .to(let number): Int128(number)
            case .removed: Int128(0)
            }
        let step = Int128(change.increment.plus) - Int128(change.increment.minus)
        return exactValue == start + step
    }

    /// The counter of a whole entry.
    package init(_ state: RecordState) {
        guard state.isAlive, let parts = state.counters[MergeType.counter.counter()] else {
            self = .zero
            return
        }
        self.init(parts)
    }

    /// The value, at most `Int64.max` and at least `Int64.min`.
    package var value: Int64 { Int64(clamping: exactValue) }

    /// Whether ``value`` is not exact.
    package var isClamped: Bool { Int128(value) != exactValue }

    /// Adds a number, which may be negative.
    package static func increment(by number: Int64) -> EntryEdit {
        change(CounterChange(increment: .step(Int128(number))))
    }

    /// Starts again from a number.
    package static func reset(to number: Int64) -> EntryEdit {
        change(CounterChange(reset: .to(number)))
    }

    /// The increment of a program that read `old` and wrote `new`.
    package static func difference(from old: Int128, to new: Int64) -> EntryEdit {
        change(CounterChange(increment: .step(Int128(new) - old)))
    }

    private static func change(_ change: CounterChange) -> EntryEdit {
        EntryEdit(counters: [MergeType.counter.counter(): change])
    }
}

extension CounterTotals {
    /// A step up or down of at most `UInt64.max`.
    static func step(_ number: Int128) -> CounterTotals {
        let size = UInt64(clamping: number.magnitude)
        return number < 0
            ? CounterTotals(plus: 0, minus: size) : CounterTotals(plus: size, minus: 0)
    }
}

extension CounterParts {
    /// Whether the counter exists: it was set, or has increments that count.
    var isPresent: Bool { base != nil || !uncut.isEmpty }
}
