internal import KSRecords
internal import KSSyncEngine

// Devices that are revoked, which ends the account's key generation.

extension World {
    /// Sometimes a device removes one that nobody uses from the account.
    ///
    /// The server takes the entry only from a device that knows its newest writes, so every device
    /// that could do it tries.
    func revokeSomebody() throws {
        guard revocationRandom.chance(settings.revocationProbability), !server.isEmpty else {
            return
        }
        for device in devices.shuffled(using: &revocationRandom)
        where device.isOnline && !device.isLocked {
            // A server that lost an entry would take another one in its place, which forks the
            // circle: devices then say so, and wait for their users.
            guard knowsNewestCircle(device) else { continue }
            guard !spares.isEmpty, try !revokeSpare(by: device) else { return }
        }
    }

    func knowsNewestCircle(_ device: SimulatedDevice) -> Bool {
        device.replica.circle.newest.version == circles.newest.newest.version
    }

    /// Lets a device remove one that nobody uses from the account.
    ///
    /// - Returns: false if the server has something newer than what the device knows.
    package func revokeSpare(by device: SimulatedDevice) throws -> Bool {
        guard try revoke(spares[spares.count - 1], by: device) else {
            happenings[.refusedRevocations] += 1
            return false
        }
        trace("\(device.name) revokes a device that nobody uses")
        spares.removeLast()
        happenings[.revocations] += 1
        return true
    }

    /// Lets a device remove another one from the account.
    ///
    /// - Returns: false if the server has something newer than what the device knows.
    func revoke(_ member: MemberID, by device: SimulatedDevice) throws -> Bool {
        let change = try device.replica.revocation(of: [member])
        guard try servers[device.server].extendCircle(by: change, from: device.member) else {
            return false
        }
        try circles.append(change, openedBy: device.setting.identity)
        tellOthers(ofCircle: circles.newest.newest.version, on: device.server)
        return true
    }
}
