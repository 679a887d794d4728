internal import Glibc
internal import Simulation

// When messages travel: during `sync` and `advance`, as in the simulator.
extension RealStory {
    /// Longer than a device waits before it compares its records with a server that went back.
    private static let syncSecondsMax = 90.0
    /// So many rounds in a row without anything new end a sync.
    private static let quietRounds = 2
    private static let roundMilliseconds: UInt32 = 50
    /// How often a device tries again at once, since others wait for it.
    private static let triesMax = 8
    /// No message of a program that has something to do comes so much later than the one before.
    private static let quietMilliseconds = 1000
    private static let lookMilliseconds: UInt32 = 20

    /// Syncs every device that reaches the server until nothing is left.
    func sync() throws {
        relay.setOpen(true)
        defer { relay.setOpen(false) }
        let end = ContinuousClock.now + .seconds(Self.syncSecondsMax)
        var quiet = 0
        while quiet < Self.quietRounds {
            let reasons = try devices.compactMap { device in
                for _ in 1..<Self.triesMax where relay.link(of: device.name).isLossy {
                    guard try syncOnce(device) != nil else { return nil as String? }
                }
                return try syncOnce(device)
            }
            quiet = reasons.isEmpty ? quiet + 1 : 0
            guard quiet == 0 else { continue }
            guard ContinuousClock.now < end else { throw PlayError.notQuiet(reasons) }
            usleep(Self.roundMilliseconds * 1000)
        }
    }

    /// - Returns: what is left to do on a device; nil for nothing.
    private func syncOnce(_ device: RealDevice) throws -> String? {
        guard reach(of: device) == nil else { return nil }
        let result = try run(.client, on: device, ["sync", "--json"])
        let end = SyncEnd(status: result.status, Answers.json(result.output))
        let status = try status(of: device)
        if status.isStuck { return nil }
        if end.moved > 0 { return "\(device.name) has sent or taken \(end.moved) records" }
        if status.isComparing { return "\(device.name) compares its records with the server" }
        // A locked device sends once it is unlocked, and asks of its user nothing else.
        if status.unsent > status.notSent, !status.isLocked {
            return "\(device.name) has \(status.unsent) unsent"
        }
        let isAway =
            end.status == 69
            || end.status == 75 && !status.isLocked
                && status.deletions == 0
        return isAway ? "\(device.name) does not reach the server" : nil
    }

    /// Lets messages travel until all is quiet, at most so long.
    func advance(_ milliseconds: Int) {
        relay.setOpen(true)
        defer { relay.setOpen(false) }
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while ContinuousClock.now < end, relay.quietMilliseconds < Self.quietMilliseconds {
            usleep(Self.lookMilliseconds * 1000)
        }
    }
}
