internal import KSKeyValues
internal import KSResolution
internal import KSSealing

// What users' programs write to a key-value store, on any device, online or not.

extension World {
    /// Sometimes writes to the entry of a merge type.
    func writeKeyValue() throws {
        guard keyValueRandom.chance(settings.keyValueProbability) else { return }
        let device = keyValueRandom.one(of: devices)
        let type = keyValueRandom.one(of: mergeTypes)
        do {
            try write(type, on: device)
        } catch SealingError.classLocked where device.isLocked {
            trace("\(device.name) is locked for its key-value store")
        }
        try poll(device)
    }

    private func write(_ type: MergeType, on device: SimulatedDevice) throws {
        let view = try device.record(type).view
        let reading = EntryReading(view).flatMap { $0.isAlive ? $0 : nil }
        let seen = keyValueOracle.seen(in: view, type)
        guard reading == nil || !keyValueRandom.chance(0.12) else {
            trace("\(device.name) deletes the \(type.name)")
            try device.delete(type)
            keyValueOracle.note(.clear, type, seen: seen)
            happenings[.keyValueDeletions] += 1
            return
        }
        let program = SimulatedProgram(
            value: reading?.value,
            number: keyValueOracle.nextNumber,
            increment: keyValueOracle.nextIncrement(type),
            slot: { [keyValueOracle] value in
                keyValueOracle.numbers(of: value, type).first.flatMap(keyValueOracle.slot)
            },
            isCounting: settings.bug != .countsInRegister
        )
        guard let deed = program.deed(type, using: &keyValueRandom) else { return }
        trace("\(device.name) writes \(deed.writes.count) times to the \(type.name)")
        try device.write(deed.writes, type)
        var past = seen
        for change in deed.changes {
            let number = keyValueOracle.nextNumber
            keyValueOracle.note(change, type, seen: past, number: deed.number)
            past.insert(number)
        }
        happenings[.keyValueWrites(type: type.name)] += 1
    }

    /// Checks that all devices' stores agree, and what a new device has.
    func checkKeyValues(of fresh: SimulatedDevice) throws {
        let expected = try fresh.entries()
        for type in MergeType.allCases {
            let state = try fresh.state(type)
            for device in devices {
                let isSame = try device.entries() == expected
                // What is left of a deleted record may differ.
                let isEqual = try !state.isAlive || device.record(type).mirror == state
                guard isSame, isEqual else { throw WorldFailure.differs(device: device.index) }
            }
            // Two copies of one device both make the writes that it had not sent.
            if !settings.hasCopies { try keyValueOracle.check(state, type) }
        }
    }
}

/// A program that changes what it reads.
private struct SimulatedProgram {
    /// The writes of one step, and their changes for the oracle; a put comes first.
    struct Deed {
        var writes: [EntryWrite]
        var changes: [KeyValueOracle.Change]
        /// The number of a maximum or minimum.
        var number: Int64?
    }

    /// What the entry shows; nil for no entry.
    let value: PropertyValue?
    /// The number of the next write.
    let number: Int
    let increment: Int64?
    /// The slot of an element.
    let slot: (PropertyValue) -> KeyValueOracle.Slot?
    /// Whether it declares a counter to count.
    let isCounting: Bool

    private var text: PropertyValue { KeyValueOracle.text(number) }

    func deed(_ type: MergeType, using random: inout SimulationGenerator) -> Deed? {
        switch type {
        case .register: Deed(writes: [.set(text, base: value)], changes: [.put(.whole)])
        case .maximum, .minimum: extend(type, using: &random)
        case .counter: count(using: &random)
        case .set: changeSet(using: &random)
        case .map: changeMap(using: &random)
        case .list: changeList(using: &random)
        }
    }

    private func extend(_ type: MergeType, using random: inout SimulationGenerator) -> Deed {
        let new =
            Int64.random(in: 0..<1000, using: &random) * KeyValueOracle.scale + Int64(number)
        var deed = Deed(
            writes: [.declare(type), .set(.integer(new), base: value)],
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
        guard let increment else { return nil }
        var deed = Deed(writes: [], changes: [.put(.increment(number))])
        if case .integer(let old)? = value, !isCounting || random.chance(0.4) {
            deed.writes = [.set(.integer(old + increment), base: value)]
        } else if isCounting {
            deed.writes = [.increment(by: increment)]
        } else {
            deed.writes = [.set(.integer(increment), base: nil)]
        }
        return deed
    }

    private func changeSet(using random: inout SimulationGenerator) -> Deed {
        let insertion = KeyValueOracle.Change.put(.element(number))
        guard case .array(var elements)? = value, !elements.isEmpty, random.chance(0.6) else {
            return Deed(writes: [.insert([text])], changes: [insertion])
        }
        let old = random.one(of: elements)
        let removal = KeyValueOracle.Change.remove(Set([slot(old)].compactMap { $0 }))
        if random.chance(0.5) { return Deed(writes: [.remove([old])], changes: [removal]) }
        elements.removeAll { $0 == old }
        elements.append(text)
        return Deed(writes: [.set(.array(elements), base: value)], changes: [insertion, removal])
    }

    private func changeMap(using random: inout SimulationGenerator) -> Deed {
        let field = random.one(of: ["a", "b"])
        var fields: [(key: String, value: PropertyValue)] = []
        if case .dictionary(let held)? = value { fields = held.entries.map { ($0.key, $0.value) } }
        let isThere = fields.contains { $0.key == field }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<20 where isThere:
            return Deed(writes: [.removeField(field)], changes: [.remove([.field(field)])])
        case 20..<50:
            guard let increment else { fallthrough }
            return Deed(
                writes: [.incrementField("count", by: increment)],
                changes: [.put(.increment(number))]
            )
        case 50..<70:
            // As an app does that knows no merge types.
            fields.removeAll { $0.key == field }
            fields.append((field, text))
            return Deed(
                writes: [
                    .declare(.map), .set(.dictionary(PropertyDictionary(fields)), base: value),
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
        let place = Int.random(in: 0...elements.count, using: &random)
        guard place < elements.count else {
            return Deed(writes: [.insertAt(place, [text])], changes: [insertion])
        }
        let slots = Set([slot(elements[place])].compactMap { $0 })
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: return Deed(writes: [.removeAt(place)], changes: [.remove(slots)])
        case 25..<45:
            let target = Int.random(in: elements.indices, using: &random)
            return Deed(writes: [.move(from: place, to: target)], changes: [])
        case 45..<60:
            return Deed(writes: [.setAt(place, text)], changes: slots.map { .put($0) })
        case 60..<75:
            elements.insert(text, at: place)
            return Deed(writes: [.set(.array(elements), base: value)], changes: [insertion])
        default:
            return Deed(writes: [.insertAt(place, [text])], changes: [insertion])
        }
    }
}
