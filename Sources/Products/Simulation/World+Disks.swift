internal import KSRecords
internal import KSSyncEngine
internal import KSWire

// Disks whose power fails in the middle of a write, and disks without room.

extension World {
    /// In random worlds, power fails at one of so many further writes.
    private static let writesMax = 12
    /// How long the server asks a device to wait that it has no room for, as its routes do.
    static let roomRetrySeconds: UInt64 = 30

    /// Carries out a step of sync on a device whose disk may fail in it.
    func onDisk(of device: SimulatedDevice, _ body: () throws -> Void) throws {
        if failsPower() { failPower(of: device.disk) }
        _ = device.disk.takeRefusal()
        do {
            try body()
        } catch  where device.disk.isOff {
            // It is started again below.
        } catch  where device.disk.takeRefusal() {
            trace("\(device.name) has no room")
            device.replica.giveUpRequest()
            // Otherwise the old one stays, as in the engine. Its further tries would fail too,
            // until the story makes room.
            try? device.renewReplica()
        }
        try startAgain(device)
        if !settings.isStory { device.disk.keepPower() }
    }

    /// Starts a device again if its power has failed.
    ///
    /// - Returns: whether it has.
    @discardableResult
    func startAgain(_ device: SimulatedDevice) throws -> Bool {
        guard device.disk.isOff else { return false }
        trace("the power of \(device.name) fails, and it starts again")
        tell("# the power of device\(device.index + 1) fails, and it starts again")
        happenings[.powerFailures] += 1
        device.programs?.end()
        device.programs = nil
        try device.restartAfterPowerFailure()
        (device.isResting, device.lastRequest) = (false, .rest)
        add(.poll(device: device.index))
        return true
    }

    /// A server's answer; nil if its power failed, and it started again.
    func answer(
        of server: SimulatedServer,
        to request: NumberedRequest,
        from device: SimulatedDevice
    ) throws -> SyncAnswer? {
        if failsPower() { failPower(of: server.disk) }
        let answer = try server.answer(request.request, request.pullNote, from: device.member)
        guard server.disk.isOff else {
            if !settings.isStory { server.disk.keepPower() }
            return answer
        }
        trace("the power of the server fails, and it starts again")
        tell("# the power of the server fails, and it starts again")
        happenings[.serverPowerFailures] += 1
        try server.restartAfterPowerFailure()
        return nil
    }

    private func failsPower() -> Bool {
        settings.powerFailureProbability > 0 && !isQuiet
            && powerRandom.chance(settings.powerFailureProbability)
    }

    /// `count`: nil for a write that the seed chooses.
    func failPower(of disk: SimulatedDisk, atWrite count: Int? = nil) {
        let count = count ?? Int.random(in: 1...Self.writesMax, using: &powerRandom)
        disk.failPower(atWrite: count, seed: powerRandom.next())
    }
}
