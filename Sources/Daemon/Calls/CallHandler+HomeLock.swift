package import KSKeychainFiles
package import KSAgent
internal import KSKeychain
internal import KSSealing

/// The lock of the login keychain, which is the device's: its password is the passcode.
extension CallHandler {
    package func lockHome() async throws {
        await deviceLock.lock()
    }

    package func unlockHome(_ password: [UInt8]) async throws {
        do {
            let status = await deviceLock.status
            // Without a passcode nothing is locked: any password is as good as none.
            try await deviceLock.unlock(passcode: status.hasPasscode ? password : nil)
        } catch let error as SealingError {
            throw KeychainFileError(error)
        }
    }

    package func setHomePassword(from old: [UInt8], to new: [UInt8]) async throws {
        do {
            try await deviceLock.setPassword(from: old, to: new)
        } catch let error as SealingError {
            throw KeychainFileError(error)
        }
    }

    package func homeSettings() async throws -> AgentValue {
        let status = await deviceLock.status
        let seconds = status.lockAfterMinutes.map { AgentValue.integer(Int64($0) * 60) }
        return [
            "lockOnSleep": false,
            "useInterval": .bool(seconds != nil),
            "seconds": seconds ?? .null,
            "locked": .bool(status.state != .unlocked),
        ]
    }

    /// The device counts in minutes, and keeps nothing else: a time is rounded up.
    package func setHomeSettings(_ settings: KeychainSettings) async throws {
        let minutes = settings.idleSeconds.map { Int(($0 + 59) / 60) }
        if let minutes, !(1...DeviceSettings.lockAfterMinutesMax).contains(minutes) {
            let error = KeychainError.parameter
            let hint = "Up to \(DeviceSettings.lockAfterMinutesMax * 60) seconds can be set here."
            throw AgentFailure(code: error.status, status: error.message, hint: hint)
        }
        try await deviceLock.setLockAfter(minutes: minutes)
    }
}
