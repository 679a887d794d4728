internal import KSKeyValues
internal import KSResolution
internal import KSSealing

// What users' programs write to a key-value store, on any device, online or not.

extension World {
    /// The key that devices declare with different types.
    static let clashKey = "clash"

    /// Sometimes writes to the entry of a merge type, or to the key of different types.
    func writeKeyValue() throws {
        if keyValueRandom.chance(settings.keyValueProbability) {
            let device = keyValueRandom.one(of: devices)
            let type = keyValueRandom.one(of: mergeTypes)
            try attempt(on: device) {
                try write(type, to: type.name, \.keyValueOracle, \.keyValueRandom, on: device)
            }
        }
        // A program that counts in a register would declare another type than it means.
        let isClashing = clashRandom.chance(settings.keyValueProbability / 2)
        if isClashing, settings.bug != .countsInRegister {
            let device = clashRandom.one(of: devices)
            try attempt(on: device) { try writeClash(on: device) }
        }
    }

    private func attempt(on device: SimulatedDevice, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch SealingError.classLocked where device.isLocked {
            trace("\(device.name) is locked for its key-value store")
        }
        try poll(device)
    }

    /// Writes as the type that the device shows; declares any type where it shows none.
    private func writeClash(on device: SimulatedDevice) throws {
        let view = try device.record(key: Self.clashKey).view
        var type = clashRandom.one(of: clashTypes)
        if let shown = EntryReading(view)?.type, view.isAlive {
            if settings.bug == .replacesOtherType, shown != type {
                // The users want no deletion, so the oracle hears of none.
                try device.delete(key: Self.clashKey)
            } else {
                type = shown
            }
        }
        if Declaration(view)?.others.isEmpty == false { happenings[.typeClashes] += 1 }
        do {
            try write(type, to: Self.clashKey, \.clashOracle, \.clashRandom, on: device)
        } catch KeyValueError.limitExceeded(.stateBytes, _, _) {
            // Large values of a register count too, even if another type is shown.
            return trace("\(device.name) has no room in \(Self.clashKey)")
        }
        happenings[.typeClashWrites(type: type.name)] += 1
    }

    private func write(
        _ type: MergeType,
        to key: String,
        _ oracle: ReferenceWritableKeyPath<World, KeyValueOracle>,
        _ generator: ReferenceWritableKeyPath<World, SimulationGenerator>,
        on device: SimulatedDevice
    ) throws {
        let view = try device.record(key: key).view
        let reading = EntryReading(view).flatMap { $0.isAlive ? $0 : nil }
        let seen = self[keyPath: oracle].seen(in: view)
        let first = self[keyPath: oracle].nextNumber
        // A device that has just returned may not show an entry of its record yet.
        let isShown = try reading != nil && device.entries()[key] != nil
        guard !isShown || !self[keyPath: generator].chance(0.12) else {
            trace("\(device.name) deletes the \(type.name) of \(key)")
            tell(device, "kv delete \(key)")
            try device.delete(key: key)
            self[keyPath: oracle].note(.clear, type, seen: seen)
            happenings[.keyValueDeletions] += 1
            happenings[.keyValueOperations(type: type.name, operation: "delete")] += 1
            return try noteUnsent(first..<first + 1, of: key, on: device)
        }
        let known = self[keyPath: oracle]
        let program = SimulatedProgram(
            value: read(type, of: key, reading?.value, generator, on: device),
            now: reading?.value,
            number: known.nextNumber,
            increment: known.nextIncrement(type),
            slots: { Set(known.numbers(of: $0, type).compactMap(known.slot)) },
            bug: settings.bug
        )
        guard let deed = program.deed(type, using: &self[keyPath: generator]) else { return }
        trace("\(device.name) writes \(deed.writes.count) times to the \(type.name) of \(key)")
        tell(deed.writes, to: key, on: device)
        try device.write(deed.writes, key: key)
        var past = seen
        for change in deed.changes {
            let number = self[keyPath: oracle].nextNumber
            self[keyPath: oracle].note(change, type, seen: past, number: deed.number)
            past.insert(number)
        }
        try noteUnsent(first..<self[keyPath: oracle].nextNumber, of: key, on: device)
        for write in deed.writes {
            let operation = SimulatedProgram.name(of: write)
            happenings[.keyValueOperations(type: type.name, operation: operation)] += 1
        }
        if key == type.name { happenings[.keyValueWrites(type: type.name)] += 1 }
        if deed.isLarge { happenings[.largeKeyValues] += 1 }
    }

    /// What a program has read of a key: what it shows, or what it showed some steps ago.
    private func read(
        _ type: MergeType,
        of key: String,
        _ value: PropertyValue?,
        _ generator: ReferenceWritableKeyPath<World, SimulationGenerator>,
        on device: SimulatedDevice
    ) -> PropertyValue? {
        guard let value, key == type.name, [.counter, .set, .map, .list].contains(type) else {
            return value
        }
        let place = "\(device.index) \(key)"
        guard let old = oldViews[place] else {
            if self[keyPath: generator].chance(0.5) { oldViews[place] = value }
            return value
        }
        if self[keyPath: generator].chance(0.5) { return value }
        oldViews[place] = nil
        if old != value { happenings[.oldViews] += 1 }
        return old
    }

    /// Checks that all devices' stores agree, and what a new device has.
    func checkKeyValues(of fresh: SimulatedDevice) throws {
        let expected = try fresh.entries()
        let areSame = try devices.map { try $0.entries() == expected }
        let cutOff = try devices.map(cutOffRecords)
        for key in MergeType.allCases.map(\.name) + [Self.clashKey] {
            let state = try fresh.state(key: key)
            for (device, isSame) in zip(devices, areSame) {
                // What is left of a deleted record may differ.
                let isEqual = try !state.isAlive || device.record(key: key).mirror == state
                guard isSame, isEqual || cutOff[device.index].contains(device.id(key: key))
                else {
                    throw WorldFailure.differs(device: device.index)
                }
            }
            if let type = MergeType(named: key) {
                try keyValueOracle.check(state, type)
                let counts = keyValueOracle.counts(in: state, type)
                happenings[.repeatedIncrements] += counts.count { $0.count > 1 }
            } else {
                try clashOracle.checkTypes(
                    of: state,
                    isReported: fresh.reportsConflict(key: key)
                )
                if Declaration(state)?.others.isEmpty == false { happenings[.hiddenTypes] += 1 }
            }
        }
        for oracle in [keyValueOracle, clashOracle] {
            happenings[.repeatedKeyValueWrites] += oracle.exemptions.repeatedCount
            happenings[.lostKeyValueWrites] += oracle.exemptions.lostCount
        }
    }
}
