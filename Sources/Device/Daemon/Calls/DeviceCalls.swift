internal import KSDeviceKeys
package import KSAgent
internal import KSRecords
internal import KSRedaction
internal import KSSealing
internal import Logging
internal import KSSyncEngine

/// Lists the devices of the account, in the order in which they joined.
package struct ListDevices: HandledCall, Codable {
    package typealias Answer = [ShownDevice]
    package static let name = "account.devices"
    package static let permission = AgentPermission.seesAll

    package init() {}

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [ShownDevice] {
        let engine = try await daemon.accounts.engine()
        // Nobody is accused without a proof, which the server has to answer for.
        await engine.proveFalseEntry()
        let devices = try await engine.withReplica { $0.devices() }
        return devices.shown(by: DeviceChoice(among: devices))
    }
}

/// Notes that the user has seen the list of the devices that have these codes.
package struct NoteDevicesSeen: HandledCommand, Codable {
    package static let name = "account.devicesSeen"
    package static let permission = AgentPermission.seesAll
    package static let countsAsUse = false

    package var codes: [String]

    package init(_ devices: [ShownDevice]) { codes = devices.map(\.code) }

    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        let engine = try await daemon.accounts.engine()
        try await engine.withReplica { replica in
            let devices = replica.devices()
            let choice = DeviceChoice(among: devices)
            let seen = Set(codes)
            let ids = devices.filter { seen.contains(choice.code(of: $0.id)) }.map(\.id)
            guard ids.count == codes.count else { return }
            try replica.noteSeen(Set(ids))
        }
    }
}

/// A device of the account.
package struct ShownDevice: AgentCoded, Codable, Equatable {
    /// Nil if its name cannot be read.
    @OrNull
    package var name: String?
    /// The 8 letters and digits that name it where names are not enough.
    package var code: String
    package var isThisDevice: Bool
    /// Whether it has stored false keys for the others: it has to be removed.
    package var hasSignedFalseKeys: Bool
    /// The code of the device that added it; nil if it logged in with the password.
    @OrNull
    package var addedBy: String?
}

/// Removes devices from the account: they get nothing new, and send nothing any more.
package struct RevokeDevices: HandledCall, Codable {
    package typealias Answer = [ShownDevice]
    package static let name = "account.revoke"
    package static let permission = AgentPermission.seesAll
    var waitsForServer: Bool { true }

    /// Names or codes.
    package var devices: [String]
    /// False only to find the devices that it would remove.
    package var isCarriedOut: Bool

    package init(_ devices: [String], isCarriedOut: Bool = true) {
        (self.devices, self.isCarriedOut) = (devices, isCarriedOut)
    }

    /// The devices that were removed, or would be.
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [ShownDevice] {
        let engine = try await daemon.accounts.engine()
        guard daemon.owner.files.keys.lockState == .unlocked else { throw CommandFailure.locked }
        // A device that has just joined can be named too.
        if let failure = Self.failure(await engine.syncNow()) { throw failure }
        let (present, former) = try await engine.withReplica {
            ($0.devices(), try $0.formerDevices())
        }
        // A device that is removed already was perhaps removed by this command, whose answer was
        // lost.
        let choice = DeviceChoice(among: present, former: former)
        let removed = try choice.devices(devices)
        guard !removed.contains(where: \.isThisDevice) else { throw CommandFailure.revokesItself }
        guard isCarriedOut else { return removed.shown(by: choice) }
        do {
            let outcome = try await engine.revoke(Set(removed.map(\.id)))
            if let failure = outcome.flatMap(CommandFailure.init) { throw failure }
        } catch {
            let failure = CommandFailure(error)
            throw failure.exit == .serverOutOfReach ? .mayHaveRevoked : failure
        }
        daemon.logger.notice("devices were removed from the account")
        return removed.shown(by: choice)
    }

    /// Whether the sync before shows that nobody can be removed now.
    ///
    /// A device that cannot send or read everything removes others all the same, and so does one
    /// whose sync is paused, or that was given false keys.
    private static func failure(_ outcome: SyncOutcome) -> CommandFailure? {
        switch outcome {
        case .synced, .open, .deletionsHeld, .held, .locked, .restoredTooOften, .databaseFailed,
            .stopped, .failed(.circleRefused(.envelopesForged)):
            return nil
        case .failed(let error):
            let failure = CommandFailure(error)
            if failure.exit == .serverOutOfReach { return .cannotRevoke }
            return failure.exit == .refused ? failure : nil
        }
    }
}

extension [AccountDevice] {
    func shown(by choice: DeviceChoice) -> [ShownDevice] {
        map { device in
            ShownDevice(
                name: device.name,
                code: choice.code(of: device.id),
                isThisDevice: device.isThisDevice,
                hasSignedFalseKeys: device.hasSignedFalseKeys,
                addedBy: device.sponsor.map(choice.code)
            )
        }
    }
}

extension CommandFailure {
    package static let revokesItself = CommandFailure(code: .revokesItself)
    package static let cannotRevoke = CommandFailure(code: .cannotRevoke)
    package static let mayHaveRevoked = CommandFailure(code: .mayHaveRevoked)
}
