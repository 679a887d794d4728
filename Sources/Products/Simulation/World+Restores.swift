// The server's operator, who makes backups and restores them.

extension World {
    /// Sometimes backs the server up, or restores it from its backup.
    func restoreServer() throws {
        guard restoreRandom.chance(settings.restoreProbability) else { return }
        guard let backup = serverBackup, restoreRandom.chance(0.6) else {
            trace("the server is backed up")
            serverBackup = try server.backup()
            return
        }
        let isAnnounced = restoreRandom.chance(0.7)
        trace("the server is restored" + (isAnnounced ? "" : ", and does not know it"))
        happenings[.restores] += 1
        try server.restore(backup, isAnnounced: isAnnounced)
        // Later changes are lost with a further restore of the same backup, too.
        if restoreRandom.chance(0.5) { serverBackup = nil }
    }
}
