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
        return try await daemon.devices().map { $0.shown }
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

    /// Names or codes.
    package var devices: [String]

    package init(_ devices: [String]) { self.devices = devices }

    /// The devices that were removed.
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> [ShownDevice] {
        let engine = try await daemon.accounts.engine()
        guard daemon.owner.files.keys.lockState == .unlocked else { throw CommandFailure.locked }
        // A device that has just joined can be named too. False keys are what a revocation repairs.
        let outcome = await engine.syncNow()
        if outcome != .failed(.circleRefused(.envelopesForged)),
            let failure = CommandFailure(outcome)
        {
            guard failure.exit != .serverOutOfReach else { throw CommandFailure.cannotRevoke }
            guard failure.exit != .refused else { throw failure }
        }
        let all = try await daemon.devices()
        // A device that is removed already was perhaps removed by this command, whose answer was
        // lost.
        let former = try await engine.withReplica { try $0.formerDevices() }.map(ListedDevice.init)
        var removed: [ListedDevice] = []
        for word in devices {
            let device = try Self.find(word, in: all, former)
            if !removed.contains(where: { $0.device.id == device.device.id }) {
                removed.append(device)
            }
        }
        guard !removed.contains(where: \.device.isThisDevice) else {
            throw CommandFailure.revokesItself
        }
        let ids = Set(removed.map(\.device.id))
        do {
            if let failure = try await engine.revoke(ids).flatMap(CommandFailure.init) {
                throw failure
            }
        } catch {
            let failure = CommandFailure(error)
            throw failure.exit == .serverOutOfReach ? .mayHaveRevoked : failure
        }
        daemon.logger.notice("devices were removed from the account")
        return removed.map(\.shown)
    }

    private static func find(
        _ word: String,
        in devices: [ListedDevice],
        _ former: [ListedDevice]
    ) throws(CommandFailure) -> ListedDevice {
        let found = devices.filter { $0.shown.name == word || $0.shown.code == word.lowercased() }
        guard found.count < 2 else { throw .ambiguousDevice }
        let gone = former.last { $0.shown.name == word || $0.shown.code == word.lowercased() }
        guard let device = found.first ?? gone else { throw .noSuchDevice }
        return device
    }
}

/// A device, and how it is shown.
private struct ListedDevice {
    let device: AccountDevice
    let shown: ShownDevice

    init(_ device: AccountDevice) {
        self.device = device
        shown = ShownDevice(
            name: device.name,
            code: ItemCode(device.id).text,
            isThisDevice: device.isThisDevice,
            hasSignedFalseKeys: device.hasSignedFalseKeys,
            addedBy: device.sponsor.map { ItemCode($0).text }
        )
    }
}

extension CallHandler {
    fileprivate func devices() async throws -> [ListedDevice] {
        try await accounts.engine().withReplica { $0.devices() }.map(ListedDevice.init)
    }
}

extension CommandFailure {
    package static let revokesItself = CommandFailure.usage(
        "That is this device: it leaves with sync-client logout. To remove it for good, do so on"
            + " another device."
    )

    package static let noSuchDevice = CommandFailure.other(
        "The account has no device of that name or code: sync-client devices lists them. Nothing"
            + " was changed."
    )
    package static let ambiguousDevice = CommandFailure.usage(
        "Several devices have that name or code: give the code of the one you mean, which"
            + " sync-client devices prints. Nothing was changed."
    )

    package static let cannotRevoke = CommandFailure(
        .serverOutOfReach,
        "The server is out of reach, and only it can remove a device: check your connection, and"
            + " repeat the command. Nothing was changed."
    )
    package static let mayHaveRevoked = CommandFailure(
        .serverOutOfReach,
        "The connection to the server was lost, so the device may be removed or not: repeat the"
            + " command when the server answers, and see sync-client devices."
    )
}
