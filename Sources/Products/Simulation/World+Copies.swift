internal import KSRecords
internal import KSResolution
internal import KSSyncEngine

// Copies of devices: a machine is cloned, or a database is put back to an earlier copy.

/// The state of copied devices and databases.
package struct Copies {
    /// A copy of a device's database, with the number of writes at that time.
    package struct Kept {
        let contents: SimulatedDisk.Contents
        let writeCount: Int
        let unsent: SimulatedDevice.Unsent
        let keyValues: [String: UnsentKeyValues]
    }

    /// The copy of each device's database, by the device's index.
    var kept: [Int: Kept] = [:]
    /// Each device's batch under way at the last check, by its first box.
    var onTheirWay: [Int: Hash] = [:]
    /// Batches that several copies had under way before the server accepted them, by first box.
    var shared: [Hash: Set<Int>] = [:]
    /// What each device has still to send of each key, by the device's index.
    var keyValues: [Int: [String: UnsentKeyValues]] = [:]
    /// How often each key's part of a refused batch was taken apart, by its box.
    var takenApart: [Hash: Int] = [:]
}

extension World {
    /// The limit of devices, clones included.
    private static let devicesMax = 6

    /// Sometimes clones a device, copies a database or puts one back.
    func copySomething() throws {
        let isCloned = copyRandom.chance(settings.cloneProbability)
        let isPutBack = copyRandom.chance(settings.putBackProbability)
        guard isCloned || isPutBack else { return }
        // Devices with a batch under way are the most likely to fail.
        let busy = try devices.filter { try !$0.isLocked && $0.boxOnItsWay() != nil }
        let chosen = !busy.isEmpty && copyRandom.chance(0.7) ? busy : devices
        let device = copyRandom.one(of: chosen)
        // Its unsent edits can be read only while it is unlocked.
        guard !device.isLocked else { return }
        if isCloned, devices.count < Self.devicesMax { try clone(device) }
        if isPutBack {
            if let kept = copies.kept.removeValue(forKey: device.index) {
                try putBack(kept, on: device)
            } else {
                let kept = try copyOfDatabase(of: device)
                copies.kept[device.index] = kept
                trace("the database of \(device.name) is copied")
                tell(device, "copy")
            }
        }
    }

    /// A copy of a device's database, to be put back later.
    package func copyOfDatabase(of device: SimulatedDevice) throws -> Copies.Kept {
        Copies.Kept(
            contents: device.disk.contents,
            writeCount: oracle.nextNumber,
            unsent: try device.unsent(itemCount: settings.itemCount),
            keyValues: copies.keyValues[device.index] ?? [:]
        )
    }

    package func clone(_ device: SimulatedDevice) throws {
        let clone = try device.clone(index: devices.count)
        trace("\(device.name) is cloned as \(clone.name)")
        tell(device, "clone device\(clone.index + 1)")
        happenings[.clones] += 1
        let unsent = try device.unsent(itemCount: settings.itemCount)
        if unsent.box != nil { happenings[.clonesWithBatch] += 1 }
        noteShared(unsent)
        noteClone(clone, of: device)
        devices.append(clone)
        try spoilIncrements(on: clone)
        for copy in [device, clone] { copies.onTheirWay[copy.index] = unsent.box }
        add(.poll(device: clone.index))
    }

    /// Ends a device and starts it again from an earlier copy of its database.
    package func putBack(_ kept: Copies.Kept, on device: SimulatedDevice) throws {
        trace("the database of \(device.name) is put back")
        tell(device, "put-back")
        happenings[.putBacks] += 1
        let unsent = try device.unsent(itemCount: settings.itemCount)
        let lost = unsent.whatOnlyItsDiskHolds(isBatchTaken: unsent.box.map(server.hasTaken))
        oracle.noteLost(
            by: device.index,
            items: lost.items,
            numbers: lost.numbers,
            from: kept.writeCount
        )
        // The device may have sent edits since that are unsent in the copy.
        noteShared(kept.unsent)
        notePutBack(kept.keyValues, on: device)
        try device.putBack(kept.contents)
        try spoilIncrements(on: device)
        copies.onTheirWay[device.index] = kept.unsent.box
        try lookAtCopies(device)
    }

    private func noteShared(_ unsent: SimulatedDevice.Unsent) {
        oracle.noteRepeated(unsent.numbers)
        guard let box = unsent.box, !server.hasTaken(box) else { return }
        copies.shared[box, default: []].formUnion(unsent.batchNumbers)
    }

    /// Detects batches that were taken apart: each copy then writes their edits again.
    ///
    /// A batch that the server accepted is never taken apart, so its edits are written only once.
    package func lookAtCopies(_ device: SimulatedDevice) throws {
        guard settings.hasCopies else { return try lookAtKeyValues(device) }
        if settings.bug == .takesBatchApartUnasked, device.replica.wantsNewActor, !device.isLocked {
            try device.replica.takeNewActor()
        }
        let box = try device.boxOnItsWay()
        if let before = copies.onTheirWay[device.index], before != box, !server.hasTaken(before),
            let numbers = copies.shared[before]
        {
            oracle.noteRepeated(numbers)
        }
        copies.onTheirWay[device.index] = box
        try lookAtKeyValues(device)
    }
}

extension SimulatedDevice {
    /// A device's writes that are unsent or have no answer.
    struct Unsent {
        /// The writes whose values no batch holds, and the items that they change.
        var numbers: Set<Int> = []
        var items: Set<Int> = []
        /// The same of the batch on its way, and its first box.
        var batchNumbers: Set<Int> = []
        var batchItems: Set<Int> = []
        var box: Hash?
        /// The writes that the server was known to have.
        var knownElsewhere: Set<Int> = []

        /// The items whose changes, and the writes whose values, are nowhere but on this disk.
        ///
        /// An item that was renamed before it was sent has its values only under the new key.
        func whatOnlyItsDiskHolds(isBatchTaken: Bool?) -> (items: Set<Int>, numbers: Set<Int>) {
            switch isBatchTaken {
            case true?: (items, numbers.subtracting(batchNumbers).subtracting(knownElsewhere))
            case false?, nil:
                (
                    items.union(batchItems),
                    numbers.union(batchNumbers).subtracting(knownElsewhere)
                )
            }
        }
    }

    func unsent(itemCount: Int) throws -> Unsent {
        var unsent = Unsent(box: try boxOnItsWay())
        for item in 0..<itemCount {
            let record = try record(item: item)
            if let mirror = record.mirror {
                unsent.knownElsewhere.formUnion(Oracle.numbers(in: mirror))
            }
            if let edit = record.edit {
                unsent.items.insert(item)
                unsent.numbers.formUnion(Oracle.numbers(in: edit))
            }
            if let work = record.onItsWay {
                unsent.batchItems.insert(item)
                if let edit = work.edit { unsent.batchNumbers.formUnion(Oracle.numbers(in: edit)) }
            }
        }
        return unsent
    }
}
