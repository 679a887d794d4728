internal import KSCausality
package import KSKeyValues
package import KSResolution

/// Knows what every user did to key-value entries and had seen, and checks the outcome.
///
/// Each write puts a unique value, so that a state shows which writes it holds: a text or an
/// integer with the write's number, one digit of a counter, or the bits above them for a reset.
package struct KeyValueOracle {
    /// What a later write can replace or remove.
    package enum Slot: Hashable {
        /// The value of a register.
        case whole
        /// A plain field of a map.
        case field(String)
        /// An element of a set or a list, by the write that inserted it.
        case element(Int)
        /// An increment, by its write.
        case increment(Int)
        /// The number to which a counter was reset.
        case base
    }

    package enum Change {
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

        func covers(_ slot: Slot, of type: MergeType) -> Bool {
            switch change {
            // A reset drops the increments that its author had seen, but not those of a map that
            // another device has declared for the key.
            case .put(.base): if case .increment = slot { type == self.type } else { slot == .base }
            case .put(let other): other == slot
            case .remove(let slots): slots.contains(slot)
            case .clear: true
            }
        }
    }

    /// The numbers of maxima and minima are random multiples of this, plus the write's number.
    package static let scale: Int64 = 1_000_000
    /// The bits of a counter above these hold the number of a reset.
    private static let bitsMax = 40
    /// The bits of a counter's digit if an increment may count several times.
    private static let digitBitsMax = 4
    /// More than a program may write into the history of a register.
    private static let largeByteCount = 140_000

    private var writes: [Write] = []
    /// The write of each digit of a counter, by its type; the lowest digit first.
    private var digits: [MergeType: [Int]] = [:]
    private let digitBits: Int
    /// What copies of devices excuse.
    package var exemptions = Exemptions()

    /// An oracle that has heard of no write.
    ///
    /// `hasCopies`: whether copies of devices may make a write several times.
    package init(hasCopies: Bool = false) {
        digitBits = hasCopies ? Self.digitBitsMax : 1
    }

    /// The number of the next write.
    package var nextNumber: Int { writes.count }

    /// The increment that the next write makes; nil if the counter has no digit left.
    package func nextIncrement(_ type: MergeType) -> Int64? {
        increment(ofDigit: digits[type, default: []].count)
    }

    /// The increment that a write made; nil if it made none.
    func increment(of number: Int) -> Int64? {
        digits[writes[number].type, default: []].firstIndex(of: number)
            .flatMap(increment(ofDigit:))
    }

    private func increment(ofDigit place: Int) -> Int64? {
        let bit = place * digitBits
        return bit < Self.bitsMax ? 1 << Int64(bit) : nil
    }

    package mutating func note(
        _ change: Change,
        _ type: MergeType,
        seen: Set<Int>,
        number: Int64? = nil
    ) {
        let past = seen.reduce(into: seen) { $0.formUnion(writes[$1].past) }
        if case .put(.increment) = change { digits[type, default: []].append(writes.count) }
        writes.append(Write(type: type, change: change, past: past, number: number))
    }

    /// The slot that a write put something in.
    func slot(of number: Int) -> Slot? { writes[number].slot }

    /// The type as which a write was made.
    func type(of number: Int) -> MergeType { writes[number].type }

    /// Whether a maximum or minimum is beyond those of some writes.
    func isBeyond(_ number: Int64, _ others: Set<Int>, _ type: MergeType) -> Bool {
        others.compactMap { writes[$0].number }.allSatisfy {
            type == .maximum ? number > $0 : number < $0
        }
    }

    /// Whether such a write put something, and its author had seen this one.
    func hasSuccessor(of number: Int, _ isSuch: (Int) -> Bool) -> Bool {
        writes.indices.contains {
            writes[$0].slot != nil && writes[$0].past.contains(number) && isSuch($0)
        }
    }

    // MARK: What a state holds

    /// The text that a write puts.
    package static func text(_ number: Int, isLarge: Bool = false) -> PropertyValue {
        let text = "write #\(number)."
        return .string(isLarge ? text + String(repeating: "x", count: largeByteCount) : text)
    }

    /// The number to which a write resets a counter.
    static func base(_ number: Int) -> Int64 { Int64(number + 1) << Int64(bitsMax) }

    /// The writes whose values a state holds, shown or not, of whatever types.
    func seen(in state: RecordState) -> Set<Int> {
        var seen = Set(numbers(of: Counter(state).value, .counter))
        for case .number(let number) in MergedMap(state).plain.values {
            seen.formUnion(numbers(of: number, .map))
        }
        for (name, held) in state.values {
            for value in held where !state.deleted.contains(value.stamp) {
                seen.formUnion(Self.numbers(in: name.nameBytes) + Self.numbers(in: value.value))
                guard let bytes = value.value else { continue }
                if name.kind == ValueName.Kind.counterBase {
                    let number = bytes.reduce(0) { $0 << 8 | Int64($1) }
                    seen.formUnion(numbers(of: number, .counter))
                }
                // Bytes that do not decode hold no number.
                if name == .secret, case .integer(let number)? = try? PropertyValue(decoding: bytes)
                {
                    let extreme = numbers(of: number, .maximum)
                    // The planted bug counts in a register.
                    seen.formUnion(extreme.isEmpty ? numbers(of: number, .counter) : extreme)
                }
            }
        }
        return seen
    }

    /// The writes whose values programs see.
    func shown(in state: RecordState, _ type: MergeType) -> Set<Int> {
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
        if type == .maximum || type == .minimum {
            let number = Int(integer % Self.scale)
            return writes.indices.contains(number) && writes[number].number == integer
                ? [number] : []
        }
        let increments = counts(of: integer, type).map(\.number)
        // A planted bug makes numbers that nobody wrote.
        let reset = Int(integer >> Int64(Self.bitsMax)) - 1
        return writes.indices.contains(reset) ? increments + [reset] : increments
    }

    /// How often a counter's value counts each of its increments.
    private func counts(of integer: Int64, _ type: MergeType) -> [(number: Int, count: Int)] {
        let highest = Int64(1) << Int64(digitBits) - 1
        return digits[type, default: []].enumerated().compactMap { place, number in
            let count = integer >> Int64(place * digitBits) & highest
            return count > 0 ? (number, Int(count)) : nil
        }
    }

    /// How often the increments of a counter, or of a map's counters, count that count at all.
    func counts(in state: RecordState, _ type: MergeType) -> [(number: Int, count: Int)] {
        guard let reading = EntryReading(state), reading.isAlive else { return [] }
        switch (type, reading.value) {
        case (.counter, .integer(let number)?): return counts(of: number, type)
        case (.map, .dictionary(let fields)?):
            return fields.entries.flatMap { entry -> [(number: Int, count: Int)] in
                guard case .integer(let number) = entry.value else { return [] }
                return counts(of: number, type)
            }
        default: return []
        }
    }

    private static let prefix = Array("write #".utf8)

    /// The numbers of all texts in some bytes.
    private static func numbers(in bytes: [UInt8]?) -> [Int] {
        var rest = (bytes ?? [])[...]
        // A large text begins with its number; all other values are small.
        if rest.count > largeByteCount { rest = rest.prefix(100) }
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
    package func check(_ state: RecordState, _ type: MergeType) throws(WorldFailure) {
        let shown = shown(in: state, type)
        let conflicts = EntryReading.conflictingValues(of: state)
            .flatMap { numbers(of: $0, type) }
        for number in shown.union(conflicts).sorted() where isSurelyCovered(number) {
            throw .keyValueCameBack(write: number)
        }
        try checkElements(of: state, type)
        try checkCounts(in: state, type)
        let alive = alive.filter { writes[$0].type == type }
        let held = seen(in: state)
        for number in alive where isHeld(type) && !held.contains(number) {
            throw .keyValueLost(write: number)
        }
        for number in alive where !isKept(number, shown: shown, conflicts) {
            throw .keyValueLost(write: number)
        }
    }

    /// Whether a state holds what is not shown of a type, too.
    ///
    /// Of a counter it holds sums alone, and of concurrent numbers the most extreme one counts.
    private func isHeld(_ type: MergeType) -> Bool {
        switch type {
        case .register, .map, .list: true
        case .maximum, .minimum, .counter, .set: false
        }
    }

    /// The writes that the author of this one had seen.
    func past(of number: Int) -> Set<Int> { writes[number].past }

    /// The writes that put something which nobody who had seen it has replaced or removed, without
    /// those that may be lost with a disk.
    var alive: [Int] {
        writes.indices.filter {
            writes[$0].slot != nil && !exemptions.mayBeLost($0) && !isCovered($0)
        }
    }

    /// Checks that no increment counts more often than copies of devices had to send it.
    func checkCounts(in state: RecordState, _ type: MergeType) throws(WorldFailure) {
        for (number, count) in counts(in: state, type)
        where count > 1 + exemptions.repetitions[number, default: 0] {
            throw .keyValueRepeated(write: number)
        }
    }

    /// Checks that a list shows each element once, even if several devices moved it.
    private func checkElements(of state: RecordState, _ type: MergeType) throws(WorldFailure) {
        guard type == .list, case .array(let elements)? = EntryReading(state)?.value else { return }
        var slots: Set<Slot> = []
        for number in elements.flatMap({ numbers(of: $0, type) }) {
            guard let slot = slot(of: number), slots.insert(slot).inserted else {
                throw .keyValueRepeated(write: number)
            }
        }
    }

    /// Whether somebody who had seen a write replaced it, or removed what it put.
    private func isCovered(_ number: Int, by isSuch: (Int) -> Bool = { _ in true }) -> Bool {
        guard let slot = writes[number].slot else { return false }
        let type = writes[number].type
        return writes.indices.contains {
            writes[$0].past.contains(number) && writes[$0].covers(slot, of: type) && isSuch($0)
        }
    }

    /// Whether every copy of a write is covered, by a write that is not lost.
    func isSurelyCovered(_ number: Int) -> Bool {
        exemptions.repetitions[number] == nil
            && isCovered(number) { !exemptions.mayBeLost($0) }
    }

    private func isKept(_ number: Int, shown: Set<Int>, _ conflicts: [Int]) -> Bool {
        let write = writes[number]
        switch (write.type, write.slot) {
        case (.register, _): return shown.contains(number) || conflicts.contains(number)
        case (.maximum, _), (.minimum, _):
            guard let own = write.number else { return false }
            return shown.compactMap { writes[$0].number }.contains {
                write.type == .maximum ? $0 >= own : $0 <= own
            }
        // Of concurrent writes to one place the last one is shown.
        case (_, .field), (_, .base), (.list, _):
            return shown.contains { writes[$0].slot == write.slot }
        case (.counter, _), (.set, _), (.map, _): return shown.contains(number)
        }
    }
}
