internal import KSSyncEngine

// The account's operator, who moves the server to another address, and users who name it to their
// devices one after the other.

extension World {
    private static let serversMax = 3

    /// Sometimes begins another server, or lets the user of a device name the present one to it.
    ///
    /// The other server has what the present one has, or what its backup has. The one before is
    /// still in reach, and takes writes.
    func moveServer() throws {
        let behind = devices.filter { $0.server < servers.count - 1 }
        if let device = behind.isEmpty ? nil : moveRandom.one(of: behind), moveRandom.chance(0.3) {
            try move(device)
            return
        }
        guard moveRandom.chance(settings.moveProbability), servers.count < Self.serversMax,
            behind.isEmpty
        else { return }
        let isOlder = serverBackup != nil && moveRandom.chance(0.5)
        // The whole store can be copied too, and then its epoch stays the same.
        let isAnnounced = moveRandom.chance(isOlder ? 0.7 : 0.3)
        let backup = (isOlder ? serverBackup : nil) ?? server.backup()
        trace(
            "the account gets another server, with \(isOlder ? "an older" : "a") copy"
                + (isAnnounced ? "" : " that does not know it")
        )
        tell(isOlder ? "# the account gets a server with its backup" : "server move")
        happenings[.moves] += 1
        try noteLosses {
            servers.append(
                try SimulatedServer(with: backup, from: server, isAnnounced: isAnnounced)
            )
        }
        // A restore comes before the move of some device, or after that of all.
        if moveRandom.chance(0.5) { serverBackup = server.backup() }
    }

    /// Names the present server to a device, as `server set` does: sync ends, and begins with it.
    func move(_ device: SimulatedDevice) throws {
        guard !device.isLocked || isQuiet else { return }
        trace("\(device.name) gets the address of the other server")
        tell(device, "move")
        device.server = servers.count - 1
        if settings.bug == .dropsEditsAtMove { try device.run("DELETE FROM outbox") }
        try device.restart()
        if device.isOnline { device.replica.wake() }
        add(.poll(device: device.index))
    }
}
