internal import GRDB
internal import KSCausality
internal import KSRecords
internal import KSSyncEngine

// The server's removal of deleted records, and devices that stay away for longer than it waits.

/// A deliberate bug in the removal of deleted records, to test that the simulator finds it.
public enum RemovalBug: String, CaseIterable, Sendable {
    /// The server waits for no device.
    case removesEarly
    /// The server measures time by a clock that is set wrong.
    case trustsSetClock
    /// The server does not note what it has removed.
    case forgetsHorizon
    /// The server forgets its answers to accepted batches.
    case forgetsAnswers
    /// The server counts what a device has pulled as applied although that has a batch to send
    /// which may not have seen it.
    case ignoresBatch
    /// A device that returns adds again what the server lacks.
    case pushesRemovedBack
    /// A device that returns drops its unsent edits.
    case forgetsUnsentEdits
    /// A device forgets deleted records before the server does, and records with unsent edits.
    case forgetsStubs
}

extension World {
    /// Sometimes lets the server remove what it may.
    func removeDeleted() throws {
        guard removalRandom.chance(settings.removalProbability), !server.isEmpty else { return }
        let isClockSet = settings.removalBug == .trustsSetClock && removalRandom.chance(0.1)
        let count = try server.removeDeleted(settings.removalBug, isClockSet: isClockSet)
        guard count > 0 else { return }
        trace("the server removes deleted records: \(count)")
        tell("server remove-deleted")
        happenings[.removals] += count
    }

    /// Removes what every device has applied now, and lets all of them hear of it.
    package func removeRest() throws {
        clock.milliseconds += 60_000
        let count = try server.removeDeleted(settings.removalBug, isClockSet: false)
        trace("the server removes the remaining deleted records: \(count)")
        happenings[.removals] += count
    }

    /// Sometimes takes a device offline for so long that it may be dormant when it is back.
    func silenceSomebody() {
        for device in devices where !device.isOnline && device.silentUntilMilliseconds > 0 {
            guard clock.milliseconds >= device.silentUntilMilliseconds else { continue }
            device.silentUntilMilliseconds = 0
            trace("\(device.name) is back")
            connect(device)
            add(.poll(device: device.index))
        }
        guard removalRandom.chance(settings.silentProbability) else { return }
        let device = removalRandom.one(of: devices)
        let seconds = UInt64.random(in: 60...400, using: &removalRandom)
        trace("\(device.name) is silent for \(seconds) seconds")
        tell(device, "offline")
        happenings[.silences] += 1
        device.isOnline = false
        device.silentUntilMilliseconds = clock.milliseconds + seconds * 1000
    }

    /// Lets a device make the mistake of the planted bug, before its next request.
    func spoilRemoval(on device: SimulatedDevice) throws {
        guard settings.removalProbability > 0, !device.isLocked else { return }
        if settings.removalBug == .forgetsStubs {
            try device.run(
                "DELETE FROM mirror WHERE is_stub = 1",
                "DELETE FROM mirror WHERE record IN (SELECT record FROM outbox)"
            )
        }
        guard let comparison = try device.replica.reconciliation(),
            comparison.reason == .resyncRequired
        else { return }
        if comparison.step == .batch, try device.boxOnItsWay() == nil,
            settings.removalBug == .pushesRemovedBack
        {
            try device.leave(keepsItems: true)
            try device.run("DELETE FROM departed_account", "DELETE FROM reconciliation")
            try device.joinAgain(epoch: server.epoch)
        } else if comparison.step == .download, settings.removalBug == .forgetsUnsentEdits {
            try device.run("DELETE FROM outbox")
        }
    }

    /// Counts how often devices have compared all their records.
    func noteResyncs() throws {
        for device in devices {
            guard let comparison = try device.replica.reconciliation(),
                comparison.reason == .resyncRequired
            else { continue }
            happenings[.resyncs] += 1
        }
    }
}

/// What the server must wait for before it removes a deleted record, noted apart from its store.
struct RemovalWatch {
    /// The time of each accepted write, by the last seq of its batch.
    private var writes: [(seq: UInt64, milliseconds: UInt64)] = []
    private var contacts: [MemberID: (applied: UInt64, milliseconds: UInt64)] = [:]
    /// When the store's time was last counted.
    var countedMilliseconds = World.startMilliseconds

    /// - Returns: false for a retry.
    mutating func noteWrite(upTo seq: UInt64, _ milliseconds: UInt64) -> Bool {
        guard seq > writes.last?.seq ?? 0 else { return false }
        writes.append((seq, milliseconds))
        return true
    }

    mutating func noteContact(of member: MemberID, applied: UInt64, _ milliseconds: UInt64) {
        contacts[member] = (max(applied, contacts[member]?.applied ?? 0), milliseconds)
    }

    /// The store is an earlier copy of itself now, whose own time goes on from the copy's.
    mutating func goBack(to earlier: RemovalWatch, _ milliseconds: UInt64) {
        self = earlier
        countedMilliseconds = milliseconds
    }

    /// Whether everything up to this seq may be gone.
    func allows(
        removalUpTo seq: UInt64,
        keptMilliseconds: UInt64,
        dormantMilliseconds: UInt64,
        nowMilliseconds now: UInt64
    ) -> Bool {
        let newest = writes.first { $0.seq >= seq }?.milliseconds ?? 0
        return newest + keptMilliseconds <= now
            && contacts.values.allSatisfy {
                $0.applied >= seq || $0.milliseconds + dormantMilliseconds <= now
            }
    }
}
