package import KSAgent
package import KSDeviceKeys
internal import KSRedaction

// Locking, unlocking and the passcode.

/// Asks for the state of the device's lock.
package struct GetLockStatus: HandledCall, Codable {
    package typealias Answer = LockStatus
    package static let name = "device.state"
    package static let permission = AgentPermission.anyProgram
    package static let countsAsUse = false

    package init() {}

    func answer(on daemon: CallHandler, _ caller: Caller) async -> LockStatus {
        await daemon.deviceLock.status
    }
}

/// The state of the lock, and when the device locks itself.
package struct LockStatus: AgentCoded, Codable, Equatable {
    package var lock = LockState.unlocked
    package var passcode = false
    /// Nil if it never locks itself.
    @OrNull
    package var lockAfterMinutes: Int? = nil

    package init() {}
}

extension LockState: Codable {}

/// Locks the device.
package struct LockDevice: HandledCall, Codable {
    package typealias Answer = LockStatus
    package static let name = "device.lock"
    package static let permission = AgentPermission.anyProgram

    package init() {}

    func answer(on daemon: CallHandler, _ caller: Caller) async -> LockStatus {
        await daemon.deviceLock.lock()
        return await daemon.deviceLock.status
    }
}

/// Unlocks the device.
package struct UnlockDevice: HandledCall, Codable {
    package typealias Answer = LockStatus
    package static let name = "device.unlock"
    package static let permission = AgentPermission.seesAll

    package var passcode: [UInt8]?

    package init(passcode: [UInt8]? = nil) { self.passcode = passcode }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> LockStatus {
        try await daemon.deviceLock.unlock { try $0.unlock(passcode: passcode) }
        return await daemon.deviceLock.status
    }
}

/// Locks the device after so many minutes without use; nil for never.
package struct LockAfter: HandledCall, Codable {
    package typealias Answer = LockStatus
    package static let name = "device.lockAfter"
    package static let permission = AgentPermission.seesAll

    package var minutes: Int64?

    package init(minutes: Int64?) { self.minutes = minutes }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> LockStatus {
        if let minutes, !(1...Int64(DeviceSettings.lockAfterMinutesMax)).contains(minutes) {
            throw CommandFailure.malformedCall
        }
        try await daemon.deviceLock.setLockAfter(minutes: minutes.map { Int($0) })
        return await daemon.deviceLock.status
    }
}

/// Sets, changes or removes the passcode; a side that is nil stands for no passcode.
package struct ChangePasscode: HandledCall, Codable {
    package typealias Answer = LockStatus
    package static let name = "device.passcode"
    package static let permission = AgentPermission.seesAll

    package var old: [UInt8]?
    package var new: [UInt8]?

    package init(new: [UInt8]? = nil) { self.new = new }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> LockStatus {
        try await daemon.deviceLock.unlock { keys in
            switch (old, new) {
            case (nil, let new?): try keys.setPasscode(new)
            case (let old?, let new?): try keys.changePasscode(from: old, to: new)
            case (let old?, nil): try keys.removePasscode(old)
            case (nil, nil): throw CommandFailure.malformedCall
            }
        }
        return await daemon.deviceLock.status
    }
}
