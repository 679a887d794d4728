internal import KSKeychain
internal import KSKeyValues
internal import KSResolution

// Users who go on while their device has no account: nothing that they do is recorded for it.

/// A device without its account: what its users see, and what the account's records hold.
private struct Absence {
    /// The account's value of an item or a key-value entry, and what its user sees of it.
    struct Place {
        /// The writes that the device's record held when it left.
        let recorded: Set<Int>
        /// Whether that record was alive.
        let wasAlive: Bool
        /// Whether it had changes that were not sent.
        let wasUnsent: Bool
        /// The writes whose values were in these changes, also those of a renamed item.
        var unsent: Set<Int> = []
        /// The writes whose values came here without the account.
        var written: Set<Int> = []
        /// Whether it was deleted, or renamed, without the account.
        var wasDeleted = false
        /// Whether elements of a list were only inserted.
        var onlyInserts = true

        /// A write replaces what the record shows, even if its user deleted that before.
        var seen: Set<Int> { (wasAlive ? recorded : []).union(written) }
    }

    let device: SimulatedDevice
    /// The number of the first write to an item without the account.
    let firstWrite: Int
    var items: [Place]
    var entries: [MergeType: Place]
}

extension World {
    /// Leaves the account on a device, lets its users write, and joins it again.
    func leaveAndReturn(_ device: SimulatedDevice, keepsItems: Bool) throws {
        var absence = try absence(of: device, keepsItems: keepsItems)
        try device.leave(keepsItems: keepsItems)
        for _ in 0..<Int.random(in: 0...4, using: &returnRandom) {
            if returnRandom.chance(settings.keyValueProbability) {
                try writeEntry(&absence)
            } else {
                try changeItem(&absence)
            }
        }
        try excuseDropped(absence)
        try device.joinAgain(epoch: server.epoch)
        if settings.bug == .dropsEditsAtReturn { try device.run("DELETE FROM outbox") }
    }

    private func absence(of device: SimulatedDevice, keepsItems: Bool) throws -> Absence {
        func place(_ record: LocalRecord, _ numbers: (RecordState) -> Set<Int>) -> Absence.Place {
            // Without its items, a device shows its user nothing of the account.
            guard keepsItems else {
                return Absence.Place(recorded: [], wasAlive: false, wasUnsent: false)
            }
            return Absence.Place(
                recorded: numbers(record.view),
                wasAlive: record.view.isAlive,
                wasUnsent: record.edit != nil
            )
        }
        let items = try (0..<settings.itemCount).map { item in
            let record = try device.record(item: item)
            var found = place(record, Oracle.numbers)
            found.unsent = record.edit.map(Oracle.numbers) ?? []
            return found
        }
        let entries = try mergeTypes.map { type in
            (type, place(try device.record(key: type.name), keyValueOracle.seen))
        }
        return Absence(
            device: device,
            firstWrite: oracle.nextNumber,
            items: items,
            entries: Dictionary(uniqueKeysWithValues: entries)
        )
    }

    /// Excuses what is lost when a user deletes an item or entry without the account.
    ///
    /// That is what was written without the account, and what had not been sent before; all else
    /// comes back from the account.
    private func excuseDropped(_ absence: Absence) throws {
        let device = absence.device
        let secrets = try device.contents().values.compactMap(\.secret)
        let shown = Set(secrets.compactMap(Oracle.number))
        for (item, place) in absence.items.enumerated()
        where try place.wasDeleted && !device.has(item: item) {
            let isDropped = place.wasAlive && place.wasUnsent
            oracle.noteLost(
                by: device.index,
                items: [item],
                from: isDropped ? 0 : absence.firstWrite,
                except: shown
            )
            if isDropped { oracle.noteLost(place.unsent.subtracting(shown)) }
        }
        let entries = try device.entries()
        for (type, place) in absence.entries where place.wasDeleted && entries[type.name] == nil {
            let isDropped = place.wasAlive && place.wasUnsent
            dropUnsent(of: type.name, on: device) { isDropped || place.written.contains($0) }
        }
    }

    // MARK: Items

    private func changeItem(_ absence: inout Absence) throws {
        let item = Int.random(in: 0..<settings.itemCount, using: &returnRandom)
        let isThere = try absence.device.has(item: item)
        switch Int.random(in: 0..<100, using: &returnRandom) {
        case 0..<45: try edit(item, isThere: isThere, &absence)
        case 45..<60 where isThere: try annotate(item, &absence)
        case 60..<85 where isThere: try delete(item, &absence)
        case 85... where isThere: try rename(item, &absence)
        default: break
        }
    }

    private func edit(_ item: Int, isThere: Bool, _ absence: inout Absence) throws {
        let (device, seen) = (absence.device, absence.items[item].seen)
        let number = oracle.nextNumber
        trace("\(device.name) sets secret \(number) of item \(item) without the account")
        if isThere {
            try device.change(item: item, secret: Oracle.secret(number))
        } else {
            let (secret, note) = (Oracle.secret(number), Oracle.note(number + 1))
            try device.add(item: item, secret: secret, note: note)
        }
        for kind in isThere ? [.secret] : [.secret, .note] as [Oracle.Kind] {
            absence.items[item].written.insert(oracle.nextNumber)
            oracle.note(kind, item: item, device: device.index, seen: seen)
        }
        happenings[.editsAway] += 1
    }

    private func annotate(_ item: Int, _ absence: inout Absence) throws {
        let (device, seen) = (absence.device, absence.items[item].seen)
        let number = oracle.nextNumber
        trace("\(device.name) sets note \(number) of item \(item) without the account")
        try device.change(item: item, [.comment: .string(Oracle.note(number))])
        oracle.note(.note, item: item, device: device.index, seen: seen)
        absence.items[item].written.insert(number)
        happenings[.editsAway] += 1
    }

    /// The account hears nothing of it: the item comes back, unless it is made again.
    private func delete(_ item: Int, _ absence: inout Absence) throws {
        trace("\(absence.device.name) deletes item \(item) without the account")
        _ = try absence.device.keychain.delete(absence.device.query(item: item))
        absence.items[item].wasDeleted = true
        happenings[.deletionsAway] += 1
    }

    /// To the account this is a deletion, of which it hears nothing, and a new item.
    private func rename(_ item: Int, _ absence: inout Absence) throws {
        let device = absence.device
        let target = Int.random(in: 0..<settings.itemCount, using: &returnRandom)
        guard target != item, try !device.has(item: target) else { return }
        trace("\(device.name) renames item \(item) to \(target) without the account")
        try device.change(item: item, [.account: SimulatedDevice.account(item: target)])
        let seen = absence.items[item].seen
        oracle.noteMove(of: seen, to: target)
        // What was written there before the user deleted it is gone.
        oracle.noteLost(absence.items[target].written)
        absence.items[item].wasDeleted = true
        absence.items[target].written.formUnion(seen)
        happenings[.renamesAway] += 1
    }

    // MARK: Key-value entries

    private func writeEntry(_ absence: inout Absence) throws {
        let device = absence.device
        let type = returnRandom.one(of: mergeTypes)
        guard let place = absence.entries[type] else { return }
        let shown = try device.entries()[type.name]?.value
        if shown != nil, returnRandom.chance(0.2) {
            trace("\(device.name) deletes the \(type.name) without the account")
            try device.delete(type)
            absence.entries[type]?.wasDeleted = true
            happenings[.deletionsAway] += 1
            return
        }
        let known = keyValueOracle
        let program = SimulatedProgram(
            value: shown,
            now: shown,
            number: known.nextNumber,
            increment: known.nextIncrement(type),
            slots: { Set(known.numbers(of: $0, type).compactMap(known.slot)) },
            bug: settings.bug
        )
        guard let deed = program.deed(type, using: &returnRandom),
            let changes = difference(by: deed, number: known.nextNumber, shown, type, place)
        else { return }
        trace("\(device.name) writes to the \(type.name) without the account")
        try device.write(deed.writes, key: type.name)
        let first = known.nextNumber
        var past = place.seen
        for change in changes {
            let number = keyValueOracle.nextNumber
            keyValueOracle.note(change, type, seen: past, number: deed.number)
            past.insert(number)
        }
        // What is made again replaces all of it; a number only one that is less extreme.
        let isNumber = type == .maximum || type == .minimum
        if shown == nil, !isNumber || !place.wasAlive {
            keyValueOracle.note(.clear, type, seen: place.seen)
        } else if shown == nil {
            // Its user has deleted it, and the account never hears of it.
            dropUnsent(of: type.name, on: device) { place.written.contains($0) }
        }
        let numbers = first..<keyValueOracle.nextNumber
        try noteUnsent(numbers, of: type.name, on: device)
        absence.entries[type]?.written.formUnion(numbers)
        absence.entries[type]?.onlyInserts = place.onlyInserts && isInsertion(deed, first)
        happenings[.editsAway] += 1
    }

    /// What the account hears of a program's step: the difference between two values.
    ///
    /// - Returns: its changes; nil for a step whose difference is another than its changes.
    private func difference(
        by deed: SimulatedProgram.Deed,
        number: Int,
        _ shown: PropertyValue?,
        _ type: MergeType,
        _ place: Absence.Place
    ) -> [KeyValueOracle.Change]? {
        let replacesAccounts = shown == nil && place.wasAlive
        switch type {
        case .register, .set: return deed.changes
        case .maximum, .minimum:
            // The account keeps the most extreme number, deleted here or not.
            guard place.wasAlive, let value = deed.number else { return deed.changes }
            let isKept = keyValueOracle.isBeyond(value, place.recorded, type)
            return isKept ? deed.changes : []
        case .counter:
            // A reset, or a counter that is made again, subtracts what the account counted.
            guard !replacesAccounts, case .put(.increment)? = deed.changes.first else {
                return nil
            }
        case .map:
            // A new counter in a map goes up as a plain number.
            var fields = PropertyDictionary()
            if case .dictionary(let held)? = shown { fields = held }
            if case .put(.increment)? = deed.changes.first, fields["count"] == nil { return nil }
        case .list:
            // An element that is removed and one that is inserted near it are one that is changed.
            guard !replacesAccounts,
                place.written.isEmpty || place.onlyInserts && isInsertion(deed, number)
            else { return nil }
        }
        return deed.changes
    }

    /// Whether a step only inserts an element, of its own number.
    private func isInsertion(_ deed: SimulatedProgram.Deed, _ number: Int) -> Bool {
        if case .put(.element(number))? = deed.changes.first {
            deed.changes.count == 1
        } else {
            false
        }
    }
}
