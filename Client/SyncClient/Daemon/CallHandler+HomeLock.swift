internal import Agent
internal import Keychain
internal import Sealing

/// The lock of the login keychain, which is the device's: its password is the passcode.
extension CallHandler {
    func lockHome() async throws {
        keys.lock()
    }

    func unlockHome(_ password: [UInt8]) async throws {
        do throws(SealingError) {
            try keys.unlock(password: password)
        } catch {
            throw KeychainFileError(error)
        }
    }

    func setHomePassword(from old: [UInt8], to new: [UInt8]) async throws {
        do throws(SealingError) {
            try keys.setPassword(from: old, to: new)
        } catch {
            throw KeychainFileError(error)
        }
    }

    func homeSettings() async throws -> AgentValue {
        [
            "lockOnSleep": false,
            "useInterval": false,
            "seconds": .null,
            "locked": .bool(keys.lockState != .unlocked),
        ]
    }

    func setHomeSettings(_ settings: KeychainSettings) async throws {
        // What the login keychain does already can be asked for; a time is the device's own.
        guard settings.idleSeconds == nil else { throw KeychainFileError.unsupported }
    }
}
