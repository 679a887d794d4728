internal import KSRecords
internal import KSSealing
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

    /// Sometimes the user of a device changes the account's password, which ends the key generation
    /// too.
    func changePassword() throws {
        guard passwordRandom.chance(settings.passwordProbability), !server.isEmpty else { return }
        for device in devices.shuffled(using: &passwordRandom)
        where device.isOnline && !device.isLocked && knowsNewestCircle(device) {
            let credentials = try CredentialsChange(
                from: fixture.credentials(number: passwordNumber),
                to: fixture.credentials(number: passwordNumber + 1),
                accountKey: fixture.accountKey
            )
            let change = try device.replica.replacement(of: credentials)
            guard try extendCircle(by: change, from: device) else { continue }
            passwordNumber += 1
            trace("\(device.name) changes the account's password")
            happenings[.passwordChanges] += 1
            return
        }
    }

    /// Lets a device remove another one from the account.
    ///
    /// - Returns: false if the server has something newer than what the device knows.
    func revoke(_ member: MemberID, by device: SimulatedDevice) throws -> Bool {
        try extendCircle(by: device.replica.revocation(of: [member]), from: device)
    }

    /// - Returns: false if the server has something newer than what the device knows.
    private func extendCircle(
        by change: CircleChange,
        from device: SimulatedDevice
    ) throws -> Bool {
        guard try servers[device.server].extendCircle(by: change, from: device.member) else {
            return false
        }
        try circles.append(change, openedBy: device.setting.identity)
        tellOthers(ofCircle: circles.newest.newest.version, on: device.server)
        return true
    }
}
