internal import KSSyncEngine

// The server's operator, who makes backups and restores them.

extension World {
    private static let olderBackupsMax = 2

    /// Sometimes backs the server up, or restores it from one of its backups.
    func restoreServer() throws {
        guard restoreRandom.chance(settings.restoreProbability) else { return }
        guard let newest = serverBackup, restoreRandom.chance(0.6) else {
            trace("the server is backed up")
            tell("server backup")
            if let serverBackup, settings.olderBackupProbability > 0 {
                olderBackups = (olderBackups + [serverBackup]).suffix(Self.olderBackupsMax)
            }
            serverBackup = server.backup()
            return
        }
        var backup = newest
        if !olderBackups.isEmpty, restoreRandom.chance(settings.olderBackupProbability) {
            backup = restoreRandom.one(of: olderBackups)
            happenings[.olderRestores] += 1
        }
        let isAnnounced = restoreRandom.chance(0.7)
        trace("the server is restored" + (isAnnounced ? "" : ", and does not know it"))
        tell(isAnnounced ? "server restore" : "server put-back")
        happenings[.restores] += 1
        try noteLosses { try server.restore(backup, isAnnounced: isAnnounced) }
        // Later changes are lost with a further restore of the same backup, too.
        if restoreRandom.chance(0.5) { serverBackup = nil }
    }

    /// Sometimes takes everything from the server, or lets a user make the account again.
    func emptyServer() throws {
        if server.isEmpty {
            if restoreRandom.chance(0.3) { try rebuildAccount() }
        } else if restoreRandom.chance(settings.emptyProbability),
            // The devices of a world have joined long ago, and have what their joins brought.
            try devices.contains(where: { try $0.replica.wholeCircle() != nil })
        {
            trace("the server loses everything")
            tell("server empty")
            happenings[.emptyServers] += 1
            try noteLosses { try server.empty() }
        }
    }

    /// Makes the account again from what one unlocked device knows, whose user says yes.
    func rebuildAccount() throws {
        let unlocked = devices.filter { !$0.isLocked }
        guard !unlocked.isEmpty else { return }
        try rebuildAccount(by: restoreRandom.one(of: unlocked))
    }

    /// Makes the account again from what this unlocked device knows, whose user says yes.
    ///
    /// - Returns: false if the device does not know all that belongs to the account.
    @discardableResult
    func rebuildAccount(by device: SimulatedDevice) throws -> Bool {
        guard let circle = try device.replica.wholeCircle() else { return false }
        trace("\(device.name) makes the account again")
        tell("server rebuild device\(device.index + 1)")
        try server.rebuild(circle)
        device.replica.wake()
        try poll(device)
        return true
    }
}
