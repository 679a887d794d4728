internal import KSSealing
internal import KSAgent

// Locking, unlocking and the passcode.

extension GetLockStatus: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async -> LockStatus {
        await daemon.lockStatus
    }
}

extension LockDevice: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async -> LockStatus {
        await daemon.deviceLock.lock()
        return await daemon.lockStatus
    }
}

extension UnlockDevice: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> LockStatus {
        try await daemon.deviceLock.unlock(passcode: passcode)
        return await daemon.lockStatus
    }
}

extension LockAfter: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> LockStatus {
        if let minutes, !(1...Int64(DeviceSettings.lockAfterMinutesMax)).contains(minutes) {
            throw CommandFailure.malformedCall
        }
        try await daemon.deviceLock.setLockAfter(minutes: minutes.map { Int($0) })
        return await daemon.lockStatus
    }
}

extension ChangePasscode: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> LockStatus {
        switch (old, new) {
        case (nil, let new?): try await daemon.deviceLock.setPasscode(new)
        case (let old?, let new?): try await daemon.deviceLock.changePasscode(from: old, to: new)
        case (let old?, nil): try await daemon.deviceLock.removePasscode(old)
        case (nil, nil): throw CommandFailure.malformedCall
        }
        return await daemon.lockStatus
    }
}

extension CallHandler {
    var lockStatus: LockStatus {
        get async {
            let status = await deviceLock.status
            return LockStatus(
                lock: status.state.rawValue,
                passcode: status.hasPasscode,
                lockAfterMinutes: status.lockAfterMinutes
            )
        }
    }
}
