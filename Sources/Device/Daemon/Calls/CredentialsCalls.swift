internal import KSDeviceKeys
package import KSAgent
internal import KSRedaction
internal import KSSealing
internal import KSSyncEngine
internal import KSTransport
internal import Logging

/// Replaces the account's password, its Account Key, or both, for all devices.
///
/// Its answer is the account's new kit.
package struct ReplaceCredentials: HandledCall, Codable, Redacted {
    package typealias Answer = ShownKit
    package static let name = "account.credentials"
    package static let permission = AgentPermission.seesAll
    var waitsForServer: Bool { true }

    /// The account's password, in UTF-8.
    package var password: [UInt8]
    /// Nil if the password stays.
    package var newPassword: [UInt8]?
    package var renewsAccountKey: Bool

    package init(password: [UInt8], newPassword: [UInt8]? = nil, renewsAccountKey: Bool) {
        (self.password, self.newPassword) = (password, newPassword)
        self.renewsAccountKey = renewsAccountKey
    }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> ShownKit {
        let engine = try await daemon.accounts.engine()
        guard daemon.owner.files.keys.lockState == .unlocked else { throw CommandFailure.locked }
        if let newPassword {
            try CheckedAccountForm.check(password: newPassword, isNew: true)
            guard newPassword != password || renewsAccountKey else {
                throw CommandFailure.usage(
                    "The new password is the old one: type another. Nothing was changed."
                )
            }
        }
        // Before the server is asked: a device with a full disk could not fetch the change.
        try daemon.owner.files.checkRoom()
        // Another device may have renewed the Account Key. Out of reach, nothing is derived.
        if let failure = await engine.syncNow().unreachable { throw failure }
        let present = try daemon.owner.accountKey()
        let next = renewsAccountKey ? AccountKey.random(from: daemon.owner.files.random) : present
        // Returns the memory of the key derivation to the system, also after an error.
        defer { ProcessProtection.giveMemoryBack() }
        let change = try CredentialsChange(
            from: (password, present),
            to: (newPassword ?? password, next)
        )
        do {
            let outcome = try await engine.replaceCredentials(change)
            if let failure = outcome.flatMap(CommandFailure.init) { throw failure }
        } catch AccountSetupError.credentialsRefused {
            throw CommandFailure(code: .passwordWrong)
        } catch RevocationFailure.notFetched {
            throw CommandFailure(
                code: .removalNotFetched,
                sentence: "The server accepted the change, but this device could not fetch it: run"
                    + " sync-client sync, and after a renewal sync-client kit with a file."
            )
        } catch {
            let failure = CommandFailure(error)
            guard failure.exit == .serverOutOfReach else { throw failure }
            throw CommandFailure(code: .mayHaveChanged)
        }
        daemon.logger.notice("the account's credentials were replaced")
        return try await daemon.kit()
    }
}

/// What a new device needs beside the password.
package struct GetKit: HandledCall, Codable {
    package typealias Answer = ShownKit
    package static let name = "account.kit"
    package static let permission = AgentPermission.seesAll

    package init() {}

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> ShownKit {
        // A device that has just been unlocked knows its account by now.
        _ = try await daemon.accounts.engine()
        return try await daemon.kit()
    }
}

/// A kit, for its user alone.
package struct ShownKit: AgentCoded, Codable, Redacted {
    package var account: String
    package var server: String
    package var pins: [String]
    package var accountKey: String
}

extension CallHandler {
    fileprivate func kit() async throws -> ShownKit {
        guard owner.files.keys.lockState == .unlocked else { throw CommandFailure.locked }
        guard let device = await accounts.started()?.device else { throw CommandFailure.noAccount }
        return ShownKit(
            account: device.names.account,
            server: device.server.origin,
            pins: device.server.pins,
            accountKey: try owner.accountKey().text
        )
    }
}

extension SyncOutcome {
    /// The failure of a command that only the server can carry out, if it is out of reach.
    fileprivate var unreachable: CommandFailure? {
        guard case .failed(let error) = self else { return nil }
        let isOut = CommandFailure(error).exit == .serverOutOfReach
        return isOut ? CommandFailure(code: .cannotChangePassword) : nil
    }
}
