internal import KSCausality
internal import KSRecords
internal import KSResolution
internal import KSSyncEngine

// What must be true at the end of a world.

extension World {
    package func check() throws {
        guard let fresh = devices.last else { return }
        // An entry that the server loses before any device has heard of it is lost for all.
        let circleVersion = try server.circleVersion(for: fresh.member)
        guard try devices.allSatisfy({ try $0.replica.state().circleVersion == circleVersion })
        else { throw WorldFailure.circleLost }
        let expected = try fresh.contents()
        let states = try (0..<settings.itemCount).map(fresh.state(item:))
        for device in devices {
            // Every write makes a stamp at least a millisecond above its author's last one.
            let latest = clock.milliseconds + HybridTime.clockLeadMillisecondsMax + 10_000
            guard try device.replica.state().ownTime.milliseconds <= latest else {
                throw WorldFailure.stampAhead(device: device.index)
            }
            guard try device.contents() == expected else {
                throw WorldFailure.differs(device: device.index)
            }
            let cutOff = try cutOffRecords(of: device)
            for (item, state) in states.enumerated() where state.isAlive {
                let other = try device.record(item: item).mirror
                guard other?.encoded == state.encoded || cutOff.contains(device.id(item: item))
                else { throw WorldFailure.differs(device: device.index) }
            }
        }
        try oracle.check(states)
        try checkKeyValues(of: fresh)
        try checkAlarms()
    }

    /// Checks that no device has compared its records with those of a server that has lost nothing.
    ///
    /// A database that was put back knows less than the server. Where devices return while others
    /// are revoked, a device that missed two changes of the keys compares its records although it
    /// need not.
    private func checkAlarms() throws {
        let mayCompare = settings.returnProbability > 0 && settings.endsGenerations
        guard !settings.losesWrites, !settings.hasCopies, !mayCompare else { return }
        for device in devices {
            guard let comparison = try device.replica.reconciliation(),
                comparison.reason != .resyncRequired
            else { continue }
            throw WorldFailure.falseAlarm(device: device.index)
        }
    }

    /// The records in which a device has siblings that nobody can open any more.
    ///
    /// Only where the server can lose an entry of the circle: writes that were made without it stay
    /// until their record is written again. All devices show the same of such a record, but one
    /// that had seen more of it than its other siblings say still knows that.
    func cutOffRecords(of device: SimulatedDevice) throws -> Set<RecordID> {
        let quarantined = try device.replica.counts().open.quarantined
        let mayBeCutOff = settings.losesWrites && settings.endsGenerations
        guard
            device.replica.report.quarantined == 0
                || (mayBeCutOff && quarantined.allSatisfy { $0.reason == .retired })
        else {
            trace("\(device.name) has quarantined records: \(quarantined.map(\.reason))")
            throw WorldFailure.quarantined(device: device.index)
        }
        return Set(quarantined.map(\.record))
    }
}
