internal import GRDB
internal import KSCausality
internal import KSRecords
internal import KSSyncEngine

// The server's removal of deleted records, and devices that stay away for longer than it waits.

extension World {
    /// Sometimes lets the server remove what it may.
    func removeDeleted() throws {
        guard removalRandom.chance(settings.removalProbability), !server.isEmpty else { return }
        let isClockSet = settings.bug == .removesBySetClock && removalRandom.chance(0.1)
        let count = try server.removeDeleted(settings.bug, isClockSet: isClockSet)
        guard count > 0 else { return }
        trace("the server removes deleted records: \(count)")
        tell("server remove-deleted")
        happenings[.removals] += count
    }

    /// Removes what every device has applied now, and lets all of them hear of it.
    package func removeRest() throws {
        clock.milliseconds += 60_000
        let count = try server.removeDeleted(settings.bug, isClockSet: false)
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
