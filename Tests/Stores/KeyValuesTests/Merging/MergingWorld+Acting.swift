import KSCausality
import KSKeyValues
import KSResolution
import KSTestSupport

// The users' changes to an entry of each type, and what they see of it.

extension MergingWorld {
    static let fields: [[UInt8]] = [[1], [2], [3]]

    static func isSmaller(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        OperationLog.number(of: left) < OperationLog.number(of: right)
    }

    static func value(_ bytes: UInt8...) -> [UInt8] { PropertyValue.data(bytes).encoded }

    /// A value is its kind, as that of an integer or a real, and its number.
    mutating func value(upTo most: UInt8 = 250) -> [UInt8] {
        Self.value(.random(in: 0...1, using: &random), .random(in: 0...most, using: &random))
    }

    mutating func index(below count: Int) -> Int {
        Int.random(in: 0..<count, using: &random)
    }

    mutating func act(on device: Int) {
        let view = devices[device].record.view
        let creates = !view.isAlive
        let made: (edit: EntryEdit, changes: [OperationLog.Change])
        switch type {
        case .register:
            let value = value(upTo: 3)
            made = (Register.set(value), [.set(value)])
        case .maximum, .minimum: made = extend(view)
        case .counter: made = count()
        case .set: made = changeSet(MergedSet(view))
        case .map: made = changeMap(MergedMap(view))
        case .list: return changeList(on: device, view)
        }
        apply(made.edit, made.changes, on: device, creates: creates)
    }

    mutating func apply(
        _ edit: EntryEdit,
        _ changes: [OperationLog.Change],
        on device: Int,
        creates: Bool
    ) {
        guard !edit.isEmpty || creates else { return }
        if creates || !changes.isEmpty {
            note(changes, on: device, clears: creates, creates: creates)
        }
        let clock = clock(of: device)
        do throws(KeyValueError) {
            let identity = Self.identity
            try devices[device].record.apply(
                edit,
                as: type,
                identity: identity,
                atMilliseconds: clock
            )
        } catch {
            difference = difference ?? "a write was refused: \(error)"
        }
    }

    private mutating func extend(_ view: RecordState) -> (EntryEdit, [OperationLog.Change]) {
        let value = value(upTo: 5)
        let register = ExtremeRegister(view, type, by: Self.isSmaller)
        if bug == .loweredMaximum {
            let isHigher = register.value.map { Self.isSmaller($0, value) } ?? true
            return (Register.set(value), isHigher ? [.set(value)] : [])
        }
        let edit = register.extended(to: value, type, by: Self.isSmaller)
        return (edit, edit.isEmpty ? [] : [.set(value)])
    }

    private mutating func count() -> (EntryEdit, [OperationLog.Change]) {
        let number = Int.random(in: -3...9, using: &random)
        switch index(below: 10) {
        case 0..<2: return (Counter.reset(to: Int64(number)), [.reset([], number)])
        case 2..<4:
            guard number != 0 else { return (EntryEdit(), []) }
            return (Counter.difference(from: 5, to: Int64(5 + number)), [.increment([], number)])
        default:
            guard number != 0 else { return (EntryEdit(), []) }
            return (Counter.increment(by: Int64(number)), [.increment([], number)])
        }
    }

    private mutating func changeSet(_ set: MergedSet) -> (EntryEdit, [OperationLog.Change]) {
        let (one, other) = (value(upTo: 2), value(upTo: 2))
        let isEquated = bug == .equatedNumbers
        func stored(_ value: [UInt8]) -> [UInt8] {
            isEquated ? Self.value(0, OperationLog.number(of: value)) : value
        }
        switch index(below: 10) {
        case 0..<4: return (MergedSet.add([stored(one)]), [.add(one)])
        case 4..<7: return (MergedSet.remove([stored(one)]), [.remove(one)])
        default:
            let new: Set<[UInt8]> = [one, other]
            let old = Set(set.elements)
            let edit = set.difference(to: new.map(stored))
            return (
                edit,
                new.subtracting(old).map { .add($0) } + old.subtracting(new).map { .remove($0) }
            )
        }
    }

    private mutating func changeMap(_ map: MergedMap) -> (EntryEdit, [OperationLog.Change]) {
        let field = Self.fields[index(below: Self.fields.count)]
        let number = Int.random(in: 1...9, using: &random)
        let value = value(upTo: 2)
        switch index(below: 12) {
        case 0..<3: return (map.set(field, to: value), [.setField(field, value)])
        case 3..<6: return (map.increment(field, by: Int64(number)), [.increment(field, number)])
        case 6: return (map.reset(field, to: Int64(number)), [.reset(field, number)])
        case 7..<10:
            guard map.fields[field] != nil else { return (EntryEdit(), []) }
            return (map.remove(field), [.removeField(field)])
        default:
            var plain = map.plain
            var changes: [OperationLog.Change] = []
            if plain.removeValue(forKey: [1]) != nil { changes.append(.removeField([1])) }
            switch plain[field] {
            case .number(let old):
                plain[field] = .number(old + Int64(number))
                changes.append(.increment(field, number))
            default:
                if plain[field] != .value(value) { changes.append(.setField(field, value)) }
                plain[field] = .value(value)
            }
            // A field that is removed and set in one step is only set.
            let isReplaced = field == [1] && map.fields[field] != nil
            if isReplaced { return (EntryEdit(), []) }
            return (map.difference(to: plain), changes)
        }
    }

    // MARK: Lists

    private mutating func changeList(on device: Int, _ view: RecordState) {
        let list = MergedList(view)
        let (count, value) = (list.elements.count, value())
        // An operation must show something new, because its change is derived from what is shown.
        guard !list.values.contains(value) else { return }
        do throws(KeyValueError) {
            let edit: EntryEdit
            var expected = list.values
            switch index(below: 12) {
            case 0..<4:
                let values = run(of: value, count: index(below: 3) + 1)
                let place = index(below: count + 1)
                expected.insert(contentsOf: values, at: place)
                edit = try insert(values, at: place, of: list)
            case 4..<6 where count > 0:
                let place = index(below: count)
                expected[place] = value
                edit = try list.set(value, at: place)
            case 6..<8 where count > 0:
                let place = index(below: count)
                expected.remove(at: place)
                edit = try list.remove(at: place)
            case 8..<10 where count > 1:
                let (from, to) = (index(below: count), index(below: count))
                if bug == .copiedMoves {
                    return try moveCopy(from: from, to: to, of: list, on: device)
                }
                expected.insert(expected.remove(at: from), at: to)
                edit = try list.move(from: from, to: to, using: &random)
            case 10:
                if count > 1 { expected.swapAt(0, count - 1) }
                expected.insert(value, at: index(below: expected.count + 1))
                if count > 2 { expected.remove(at: index(below: expected.count)) }
                edit = try list.difference(to: expected, using: &random)
            case 11: edit = list.rebalance(using: &random)
            default: return
            }
            try apply(edit, from: list, on: device, creates: !view.isAlive)
            checkOrder(expected, on: device)
        } catch {
            difference = difference ?? "a write was refused: \(error)"
        }
    }

    /// Checks that a user sees what an operation on a list was to do.
    ///
    /// The log cannot notice it: it takes the positions from what the device shows.
    private mutating func checkOrder(_ expected: [[UInt8]], on device: Int) {
        // Elements with equal positions have the order of their ids.
        guard !hasEqualPositions, bug == nil else { return }
        let seen = MergedList(devices[device].record.view).values
        if seen != expected {
            difference = difference ?? "a list's operation shows \(seen), not \(expected)"
        }
    }

    /// Different values that are inserted together.
    func run(of value: [UInt8], count: Int) -> [[UInt8]] {
        let (kind, number) = (OperationLog.kind(of: value), OperationLog.number(of: value))
        return (0..<count).map { Self.value(kind, number, UInt8($0)) }
    }

    /// Inserts values, in some worlds at a position that other devices make too.
    private mutating func insert(
        _ values: [[UInt8]],
        at place: Int,
        of list: MergedList
    ) throws(KeyValueError) -> EntryEdit {
        guard hasEqualPositions else { return try list.insert(values, at: place, using: &random) }
        var equal = EqualPositions(rest: SeededGenerator(seed: random.next()))
        return try list.insert(values, at: place, using: &equal)
    }

    /// Applies an edit of a list, and notes what it changed.
    mutating func apply(
        _ edit: EntryEdit,
        from list: MergedList,
        on device: Int,
        creates: Bool
    ) throws(KeyValueError) {
        guard !edit.isEmpty || creates else { return }
        let clock = clock(of: device)
        try change(list, on: device, creates: creates) { record throws(KeyValueError) in
            let identity = Self.identity
            try record.apply(edit, as: .list, identity: identity, atMilliseconds: clock)
        }
    }

    /// Changes a list, and notes what has changed.
    mutating func change(
        _ list: MergedList,
        on device: Int,
        creates: Bool = false,
        _ body: (inout LocalRecord) throws(KeyValueError) -> Void
    ) throws(KeyValueError) {
        let dropped = log.orphans(devices[device].known, ids: ids)
        let before = devices[device].record
        try body(&devices[device].record)
        guard devices[device].record != before else { return }
        let (earlier, later) = (before.view.values, devices[device].record.view.values)
        /// Where positions are equal, a move may end at the same one.
        func isMovedInPlace(_ id: [UInt8]) -> Bool {
            let bytes = [MergeType.list.rawValue] + id
            let name = ValueName(kind: ValueName.Kind.position, nameBytes: bytes)
            return hasEqualPositions && later[name] != nil && later[name] != earlier[name]
        }
        let new = MergedList(devices[device].record.view)
        let old = Dictionary(uniqueKeysWithValues: list.elements.map { ($0.id, $0) })
        var changes: [OperationLog.Change] = dropped.map { .dropMoves(id: $0) }
        for element in new.elements {
            let (id, position) = (original(element.id), element.position)
            guard let before = old[element.id] else {
                ids.append(id)
                changes.append(.setElement(id: id, value: element.value, position: position))
                continue
            }
            if before.value != element.value || before.conflicts != element.conflicts {
                changes.append(
                    .setElement(id: id, value: element.value, position: before.position)
                )
            }
            if before.position != position || isMovedInPlace(element.id) {
                changes.append(.move(id: id, position: position))
            }
        }
        let left = Set(new.elements.map(\.id))
        for id in old.keys where !left.contains(id) {
            changes.append(.removeElement(id: original(id)))
        }
        note(changes, on: device, clears: creates, creates: creates)
    }

    // MARK: What users see

    func shown(_ state: RecordState) -> Shown {
        guard state.isAlive else { return .absent }
        switch type {
        case .register:
            let register = Register(state)
            let losers = bug == .forgottenLosers ? [] : register.conflicts.compactMap(\.value)
            return .register(value: register.value, losers: losers)
        case .maximum, .minimum:
            let type = bug == .highestMinimum ? MergeType.maximum : type
            return .extreme(ExtremeRegister(state, type, by: Self.isSmaller).value)
        case .counter:
            return .counter(bug == .droppedCut ? uncut(state) : Int(Counter(state).value))
        case .set: return .set(Set(MergedSet(state).elements))
        case .map:
            return .map(
                MergedMap(state).fields.mapValues { field in
                    switch field.content {
                    case .register(let value, let conflicts):
                        Shown.Field(
                            value: value,
                            losers: conflicts,
                            counter: nil,
                            isBoth: field.isBoth
                        )
                    case .counter(let counter):
                        Shown.Field(
                            value: nil,
                            losers: [],
                            counter: Int(counter.value),
                            isBoth: field.isBoth
                        )
                    }
                }
            )
        case .list:
            let elements = MergedList(state).elements.map {
                Shown.Element(
                    id: original($0.id),
                    value: $0.value,
                    losers: $0.conflicts,
                    position: $0.position
                )
            }
            guard bug == .valuesDecide else { return .list(elements) }
            return .list(
                elements.sorted {
                    ($0.position + $0.value).lexicographicallyPrecedes($1.position + $1.value)
                }
            )
        }
    }

    /// A counter's value if nothing were ever cut.
    private func uncut(_ state: RecordState) -> Int {
        state.counters.values.reduce(0) { sum, parts in
            parts.series.values.reduce(sum + Int(parts.base?.number ?? 0)) { sum, held in
                sum + Int(held.totals.plus) - Int(held.totals.minus)
            }
        }
    }
}

/// Random numbers of which the first ones, those of a position, are always the same.
struct EqualPositions: RandomNumberGenerator {
    var rest: SeededGenerator
    private var count = 0

    init(rest: SeededGenerator) { self.rest = rest }

    mutating func next() -> UInt64 {
        count += 1
        return count > 3 ? rest.next() : 128
    }
}
