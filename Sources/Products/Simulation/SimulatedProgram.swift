internal import KSKeyValues

/// A program that changes what it reads of a key-value entry.
struct SimulatedProgram {
    /// The writes of one step, and their changes for the oracle; a put comes first.
    struct Deed {
        var writes: [EntryWrite]
        var changes: [KeyValueOracle.Change]
        /// The number of a maximum or minimum.
        var number: Int64?
        var isLarge = false
    }

    /// What the program has read of the entry, which may be old; nil for no entry.
    let value: PropertyValue?
    /// What the entry shows; nil for no entry.
    let now: PropertyValue?
    /// The number of the next write.
    let number: Int
    let increment: Int64?
    /// The slots of an element, or of all parts of a counter.
    let slots: (PropertyValue) -> Set<KeyValueOracle.Slot>
    let bug: PlantedBug?

    private var text: PropertyValue { KeyValueOracle.text(number) }

    func deed(_ type: MergeType, using random: inout SimulationGenerator) -> Deed? {
        switch type {
        case .register: setRegister(using: &random)
        case .maximum, .minimum: extend(type, using: &random)
        case .counter: count(using: &random)
        case .set: changeSet(using: &random)
        case .map: changeMap(using: &random)
        case .list: changeList(using: &random)
        }
    }

    private func setRegister(using random: inout SimulationGenerator) -> Deed {
        let isLarge = random.chance(0.05)
        let text = KeyValueOracle.text(number, isLarge: isLarge)
        var deed = Deed(writes: [.set(text, base: value)], changes: [.put(.whole)])
        deed.isLarge = isLarge
        return deed
    }

    private func extend(_ type: MergeType, using random: inout SimulationGenerator) -> Deed {
        let new =
            Int64.random(in: 0..<1000, using: &random) * KeyValueOracle.scale + Int64(number)
        var deed = Deed(
            writes: [
                .declare(bug == .keepsLastNumber ? .register : type),
                .set(.integer(new), base: value),
            ],
            changes: [.put(.whole)],
            number: new
        )
        // A number that is less extreme changes nothing.
        if case .integer(let old)? = value, type == .maximum ? new < old : new > old {
            deed.changes = []
        }
        return deed
    }

    private func count(using random: inout SimulationGenerator) -> Deed? {
        let isCounting = bug != .countsInRegister
        if isCounting, random.chance(0.2) { return reset() }
        guard let increment else { return nil }
        var deed = Deed(writes: [], changes: [.put(.increment(number))])
        if case .integer(let old)? = value, !isCounting || random.chance(0.4) {
            let base = bug == .comparesWithPresent ? now : value
            deed.writes = [.set(.integer(old + increment), base: base)]
        } else if isCounting {
            deed.writes = [.increment(by: increment)]
        } else {
            deed.writes = [.set(.integer(increment), base: nil)]
        }
        return deed
    }

    private func reset() -> Deed {
        let new = KeyValueOracle.base(number)
        var deed = Deed(writes: [.reset(to: new)], changes: [.put(.base)])
        if bug == .resetsByDifference, case .integer(let old)? = value {
            deed.writes = [.increment(by: new - old)]
        }
        return deed
    }

    private func changeSet(using random: inout SimulationGenerator) -> Deed {
        let insertion = KeyValueOracle.Change.put(.element(number))
        guard case .array(var elements)? = value, !elements.isEmpty, random.chance(0.6) else {
            return Deed(writes: [.insert([text])], changes: [insertion])
        }
        let old = random.one(of: elements)
        let removal = KeyValueOracle.Change.remove(slots(old))
        if random.chance(0.5) { return Deed(writes: [.remove([old])], changes: [removal]) }
        elements.removeAll { $0 == old }
        elements.append(text)
        let base = bug == .setsWholeSet ? now : value
        return Deed(writes: [.set(.array(elements), base: base)], changes: [insertion, removal])
    }

    private func changeMap(using random: inout SimulationGenerator) -> Deed {
        let field = random.one(of: ["a", "b"])
        var fields: [(key: String, value: PropertyValue)] = []
        if case .dictionary(let held)? = value { fields = held.entries.map { ($0.key, $0.value) } }
        var shown = PropertyDictionary()
        if case .dictionary(let held)? = now { shown = held }
        let old = fields.first { $0.key == field }?.value
        let counter = fields.first { $0.key == "count" }?.value
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<20 where old != nil:
            // A value that the program has not read stays.
            let changes: [KeyValueOracle.Change] =
                shown[field] == old ? [.remove([.field(field)])] : []
            return Deed(writes: [.removeField(field, base: old)], changes: changes)
        case 20..<28:
            guard counter != nil else { fallthrough }
            let removed = shown["count"].map(slots) ?? []
            return Deed(writes: [.removeField("count")], changes: [.remove(removed)])
        case 28..<50:
            guard let increment else { fallthrough }
            var writes = [EntryWrite.incrementField("count", by: increment)]
            if bug == .setsMapCounter, case .integer(let old)? = counter {
                writes = [.removeField("count"), .incrementField("count", by: old + increment)]
            }
            return Deed(writes: writes, changes: [.put(.increment(number))])
        case 50..<70:
            // As an app does that knows no merge types.
            fields.removeAll { $0.key == field }
            fields.append((field, text))
            let base = bug == .setsWholeMap ? now : value
            return Deed(
                writes: [
                    .declare(.map), .set(.dictionary(PropertyDictionary(fields)), base: base),
                ],
                changes: [.put(.field(field))]
            )
        default:
            return Deed(writes: [.setField(field, text)], changes: [.put(.field(field))])
        }
    }

    private func changeList(using random: inout SimulationGenerator) -> Deed {
        var elements: [PropertyValue] = []
        if case .array(let held)? = value { elements = held }
        let insertion = KeyValueOracle.Change.put(.element(number))
        let index = Int.random(in: 0...elements.count, using: &random)
        let place = Self.place(index, in: elements)
        guard index < elements.count else {
            let write: EntryWrite = number % 2 == 0 ? .append([text]) : .insertAt(place, [text])
            return Deed(writes: [write], changes: [insertion])
        }
        // What was removed or replaced since the program read it is left alone.
        var shown: [PropertyValue] = []
        if case .array(let held)? = now { shown = held }
        let slots = shown.contains(elements[index]) ? slots(elements[index]) : []
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25:
            let isByIndex = bug == .removesByIndex && index < shown.count
            let place = isByIndex ? .index(index) : place
            return Deed(writes: [.removeAt(place)], changes: [.remove(slots)])
        case 25..<45:
            let target = Int.random(in: elements.indices, using: &random)
            let element = elements.remove(at: index)
            let end = Self.place(target, in: elements)
            if bug == .insertsMovedElement {
                return Deed(writes: [.removeAt(place), .insertAt(end, [element])], changes: [])
            }
            return Deed(writes: [.move(from: place, to: end)], changes: [])
        case 45..<60:
            let changes = slots.isEmpty ? [insertion] : slots.map { .put($0) }
            return Deed(writes: [.setAt(place, text)], changes: changes)
        case 60..<75:
            elements.insert(text, at: index)
            return Deed(writes: [.set(.array(elements), base: value)], changes: [insertion])
        default:
            return Deed(writes: [.insertAt(place, [text])], changes: [insertion])
        }
    }

    private static func place(_ index: Int, in elements: [PropertyValue]) -> ListPlace {
        .seen(SeenPlace(index, in: elements.map(\.encoded)))
    }

    /// The name of an operation, as in the code.
    static func name(of write: EntryWrite) -> String {
        switch write {
        case .set: "set"
        case .declare: "declare"
        case .increment: "increment"
        case .reset: "reset"
        case .insert: "insert"
        case .remove: "remove"
        case .setField: "setField"
        case .incrementField: "incrementField"
        case .removeField: "removeField"
        case .insertAt: "insertAt"
        case .append: "append"
        case .setAt: "setAt"
        case .removeAt: "removeAt"
        case .move: "move"
        }
    }
}
