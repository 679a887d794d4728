internal import KSCausality
internal import KSKeyValues
internal import KSResolution

/// Knows what every user did to key-value entries and had seen, and checks the outcome.
///
/// Each write puts a unique value, so that a state shows which writes it holds: a text or an
/// integer with the write's number, or one bit of a counter.
struct KeyValueOracle {
    /// What a later write can replace or remove.
    enum Slot: Hashable {
        /// The value of a register.
        case whole
        /// A plain field of a map.
        case field(String)
        /// An element of a set or a list, by the write that inserted it.
        case element(Int)
        /// An increment, by its write.
        case increment(Int)
    }

    enum Change {
        case put(Slot)
        case remove(Set<Slot>)
        case clear
    }

    private struct Write {
        let type: MergeType
        let change: Change
        /// The writes that its author had seen, and transitively theirs.
        let past: Set<Int>
        /// Of a maximum or minimum.
        let number: Int64?

        var slot: Slot? {
            guard case .put(let slot) = change else { return nil }
            return slot
        }

        func covers(_ slot: Slot) -> Bool {
            switch change {
            case .put(let other): other == slot
            case .remove(let slots): slots.contains(slot)
            case .clear: true
            }
        }
    }

    /// The numbers of maxima and minima are random multiples of this, plus the write's number.
    static let scale: Int64 = 1_000_000
    /// A counter of more increments would be beyond 64 bits.
    private static let bitsMax = 62

    private var writes: [Write] = []
    /// The write of each bit of a counter, by its type.
    private var bits: [MergeType: [Int]] = [:]

    /// The number of the next write.
    var nextNumber: Int { writes.count }

    /// The increment that the next write makes; nil if the counter has no bit left.
    func nextIncrement(_ type: MergeType) -> Int64? {
        let count = bits[type, default: []].count
        return count < Self.bitsMax ? 1 << Int64(count) : nil
    }

    package mutating func note(
        _ change: Change,
        _ type: MergeType,
        seen: Set<Int>,
        number: Int64? = nil
    ) {
        let past = seen.reduce(into: seen) { $0.formUnion(writes[$1].past) }
        if case .put(.increment) = change { bits[type, default: []].append(writes.count) }
        writes.append(Write(type: type, change: change, past: past, number: number))
    }

    /// The slot that a write put something in.
    func slot(of number: Int) -> Slot? { writes[number].slot }

    // MARK: What a state holds

    /// The text that a write puts.
    static func text(_ number: Int) -> PropertyValue { .string("write #\(number).") }

    /// The writes whose values a state holds, shown or not.
    func seen(in state: ItemState, _ type: MergeType) -> Set<Int> {
        var seen = shown(in: state, type)
        for (name, held) in state.values {
            for value in held where !state.deleted.contains(value.stamp) {
                seen.formUnion(Self.numbers(in: name.nameBytes) + Self.numbers(in: value.value))
                guard name == .secret, let bytes = value.value,
                    // Bytes that do not decode hold no number.
                    case .integer(let number)? = try? PropertyValue(decoding: bytes)
                else { continue }
                seen.formUnion(numbers(of: number, type))
            }
        }
        return seen
    }

    /// The writes whose values programs see.
    func shown(in state: ItemState, _ type: MergeType) -> Set<Int> {
        guard let reading = EntryReading(state), reading.isAlive, let value = reading.value else {
            return []
        }
        return Set(numbers(of: value, type))
    }

    /// The writes whose values are in a value.
    func numbers(of value: PropertyValue, _ type: MergeType) -> [Int] {
        switch value {
        case .integer(let number): numbers(of: number, type)
        case .array(let elements): elements.flatMap { numbers(of: $0, type) }
        case .dictionary(let fields): fields.entries.flatMap { numbers(of: $0.value, type) }
        default: Self.numbers(in: value.encoded)
        }
    }

    private func numbers(of integer: Int64, _ type: MergeType) -> [Int] {
        if type == .maximum || type == .minimum { return [Int(integer % Self.scale)] }
        return bits[type, default: []].enumerated().compactMap { bit, number in
            integer >> Int64(bit) & 1 == 1 ? number : nil
        }
    }

    private static let prefix = Array("write #".utf8)

    /// The numbers of all texts in some bytes.
    private static func numbers(in bytes: [UInt8]?) -> [Int] {
        var rest = (bytes ?? [])[...]
        var numbers: [Int] = []
        while let start = rest.firstRange(of: prefix) {
            rest = rest[start.upperBound...]
            let digits = rest.prefix { (48...57).contains($0) }
            if let number = Int(String(decoding: digits, as: UTF8.self)) { numbers.append(number) }
        }
        return numbers
    }

    // MARK: Promises

    /// Checks a new device's state of an entry.
    func check(_ state: ItemState, _ type: MergeType) throws(WorldFailure) {
        let shown = shown(in: state, type)
        let conflicts = EntryReading.conflictingValues(of: state)
            .flatMap { numbers(of: $0, type) }
        for number in shown.union(conflicts) where isCovered(number) {
            throw .keyValueCameBack(write: number)
        }
        let alive = writes.indices.filter { number in
            writes[number].type == type && writes[number].slot != nil && !isCovered(number)
        }
        for number in alive where !isKept(number, alive, shown: shown, conflicts) {
            throw .keyValueLost(write: number)
        }
    }

    /// Whether somebody who had seen a write replaced it, or removed what it put.
    private func isCovered(_ number: Int) -> Bool {
        guard let slot = writes[number].slot else { return false }
        return writes.contains { $0.past.contains(number) && $0.covers(slot) }
    }

    private func isKept(
        _ number: Int,
        _ alive: [Int],
        shown: Set<Int>,
        _ conflicts: [Int]
    ) -> Bool {
        let write = writes[number]
        switch (write.type, write.slot) {
        case (.register, _): return shown.contains(number) || conflicts.contains(number)
        case (.maximum, _), (.minimum, _):
            let numbers = alive.compactMap { writes[$0].number }
            let extreme = write.type == .maximum ? numbers.max() : numbers.min()
            return write.number != extreme || shown.contains(number)
        // Of concurrent writes to one place the last one is shown.
        case (_, .field), (.list, _): return shown.contains { writes[$0].slot == write.slot }
        case (.counter, _), (.set, _), (.map, _): return shown.contains(number)
        }
    }
}
