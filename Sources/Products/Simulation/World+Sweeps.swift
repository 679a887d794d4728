internal import KSRecords
internal import KSResolution
internal import KSSyncEngine

// A user who deletes nearly everything, and the users of the other devices, who are asked.

extension World {
    /// Adds every item on the first device, so that there is much to delete.
    func addAllItems() throws {
        for item in 0..<settings.itemCount { try edit(item, on: devices[0]) }
        try poll(devices[0])
    }

    /// Sometimes deletes nearly all items on a device, or lets a user answer.
    func sweepItems() throws {
        for device in devices where sweepRandom.chance(0.2) && !device.isLocked {
            try answerDeletions(on: device)
        }
        try goOnSweeping()
        guard sweepRandom.chance(settings.sweepProbability) else { return }
        let device = sweepRandom.one(of: devices)
        guard !device.isLocked else { return }
        trace("\(device.name) deletes nearly all items")
        happenings[.sweeps] += 1
        let items = (0..<settings.itemCount).filter { _ in sweepRandom.chance(0.9) }
        device.itemsToDelete = items
        try deletePart(on: device)
    }

    /// Deletes the next items of sweeps that are done in parts.
    private func goOnSweeping() throws {
        for device in devices where !device.isLocked && !device.itemsToDelete.isEmpty {
            try deletePart(on: device)
        }
    }

    private func deletePart(on device: SimulatedDevice) throws {
        let items = device.itemsToDelete.prefix(settings.sweepPart ?? .max)
        device.itemsToDelete.removeFirst(items.count)
        for item in items { try delete(item, on: device) }
        try poll(device)
    }

    /// Answers the question about many deletions, if a device asks it: yes or no.
    func answerDeletions(on device: SimulatedDevice) throws {
        guard settings.sweepProbability > 0 else { return }
        let held = try device.replica.heldDeletions()
        guard !held.isEmpty else { return }
        let isKept = sweepRandom.chance(0.5)
        trace("\(device.name) \(isKept ? "keeps" : "lets go") what others deleted: \(held.count)")
        happenings[isKept ? .keptDeletions : .acceptedDeletions] += 1
        if isKept { try noteKept(held, on: device) }
        if isKept, settings.bug == .keepsNothing {
            try device.run("DELETE FROM waiting WHERE reason = 2", "DELETE FROM recent_deletion")
        } else {
            _ = try device.replica.answerDeletions(isKept ? .keep : .accept)
        }
        (device.shownItems, device.lostItems, device.deletionCount) = ([], [], 0)
        try poll(device)
    }

    /// Checks that a device whose user was not asked still shows most of its items.
    ///
    /// All that went within a day counts, by the device's clock. Renames take items away too, and
    /// so do others to what its own user deletes at the same time. What a comparison deletes again
    /// on a server that went back is not counted.
    func lookAtLosses(on device: SimulatedDevice) throws {
        guard settings.sweepProbability > 0, !device.isLocked else { return }
        if settings.bug == .asksNothing { _ = try device.replica.answerDeletions(.accept) }
        if settings.bug == .forgetsRecentDeletions {
            try device.run("DELETE FROM recent_deletion")
        }
        let present = Set(try (0..<settings.itemCount).filter { try device.has(item: $0) })
        let isSameDay =
            device.lossClockMilliseconds == device.clock.aheadMilliseconds && !settings.losesWrites
        // Of whole sweeps, each is counted alone: users delete the same at the same time.
        if !isSameDay || settings.sweepPart == nil {
            (device.lostItems, device.deletionCount) = ([], 0)
        }
        device.lossClockMilliseconds = device.clock.aheadMilliseconds
        device.lostItems.formUnion(device.shownItems)
        device.lostItems.subtract(present)
        let lost = device.lostItems
        let excused = happenings[.renames] + device.deletionCount
        let isFew = lost.count <= Replica.deletionsMax + excused
        guard isFew || lost.count <= present.count + excused else {
            trace("\(device.name) lost \(lost.sorted()) unasked, and has \(present.sorted())")
            throw WorldFailure.deletedUnasked(device: device.index)
        }
        device.shownItems = present
    }

    private func noteKept(_ held: [HeldDeletion], on device: SimulatedDevice) throws {
        for item in 0..<settings.itemCount {
            let id = device.id(item: item)
            guard let deletion = held.first(where: { $0.record == id }) else { continue }
            oracle.noteKept(
                Oracle.numbers(in: deletion.state),
                item: item,
                secret: deletion.state.shownSecret.flatMap(Oracle.number)
            )
        }
    }
}
