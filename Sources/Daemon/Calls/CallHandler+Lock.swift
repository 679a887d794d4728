package import KSAgent
internal import KSSealing

extension CallHandler {
    /// Locking, unlocking and the passcode.
    package func lockValue(of request: AgentRequest) async throws -> AgentValue {
        let arguments = request.arguments
        switch request.call {
        case "device.lock":
            await deviceLock.lock()
        case "device.unlock":
            try await deviceLock.unlock(passcode: arguments["passcode"]?.data)
        case "device.lockAfter":
            // Absent: never.
            let minutes = arguments["minutes"]?.integer
            if let minutes, !(1...Int64(DeviceSettings.lockAfterMinutesMax)).contains(minutes) {
                throw CommandFailure.malformedCall
            }
            try await deviceLock.setLockAfter(minutes: minutes.map { Int($0) })
        case "device.passcode":
            try await changePasscode(arguments)
        default:
            break
        }
        return .dictionary(await lockStatus())
    }

    private func changePasscode(_ arguments: AgentDictionary) async throws {
        let old = arguments["old"]?.data
        let new = arguments["new"]?.data
        switch (old, new) {
        case (nil, let new?): try await deviceLock.setPasscode(new)
        case (let old?, let new?): try await deviceLock.changePasscode(from: old, to: new)
        case (let old?, nil): try await deviceLock.removePasscode(old)
        case (nil, nil): throw CommandFailure.malformedCall
        }
    }

    package func lockStatus() async -> AgentDictionary {
        let status = await deviceLock.status
        var value: AgentDictionary = [
            "lock": .string(status.state.rawValue),
            "passcode": .bool(status.hasPasscode),
        ]
        value["lockAfterMinutes"] = status.lockAfterMinutes.map { .integer(Int64($0)) } ?? .null
        return value
    }
}
