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
        guard sweepRandom.chance(settings.sweepProbability) else { return }
        let device = sweepRandom.one(of: devices)
        guard !device.isLocked else { return }
        trace("\(device.name) deletes nearly all items")
        happenings[.sweeps] += 1
        for item in 0..<settings.itemCount where sweepRandom.chance(0.9) {
            try delete(item, on: device)
        }
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
        if isKept, settings.sweepBug == .keepsNothing {
            try device.run("DELETE FROM waiting WHERE reason = 2", "DELETE FROM recent_deletion")
        } else {
            _ = try device.replica.answerDeletions(isKept ? .keep : .accept)
        }
        device.shownItems = []
        try poll(device)
    }

    /// Checks that a device whose user was not asked still shows most of its items.
    ///
    /// Renames take items away too. What its own user deletes is not counted.
    func lookAtLosses(on device: SimulatedDevice) throws {
        guard settings.sweepProbability > 0, !device.isLocked else { return }
        if settings.sweepBug == .asksNothing { _ = try device.replica.answerDeletions(.accept) }
        let present = Set(try (0..<settings.itemCount).filter { try device.has(item: $0) })
        let lost = device.shownItems.subtracting(present)
        let isFew = lost.count <= Replica.deletionsMax + happenings[.renames]
        guard isFew || lost.count <= present.count else {
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

/// A deliberate bug in what happens when a user deletes nearly everything, to test that the
/// simulator finds it.
public enum SweepBug: String, CaseIterable, Sendable {
    /// A device whose user keeps the items only forgets the question.
    case keepsNothing
    /// A device deletes the items without a question.
    case asksNothing
}
