import KSDeviceKeys
import KSDaemon
import KSKeychain
import KSSealing

// The effects of calls on the device, one step at a time.

extension DeviceLock {
    func unlock(passcode: [UInt8]?) async throws {
        try await unlock { try $0.unlock(passcode: passcode) }
    }

    func setPasscode(_ passcode: [UInt8]) async throws {
        try await unlock { try $0.setPasscode(passcode) }
    }

    func changePasscode(from old: [UInt8], to new: [UInt8]) async throws {
        try await unlock { try $0.changePasscode(from: old, to: new) }
    }

    func removePasscode(_ passcode: [UInt8]) async throws {
        try await unlock { try $0.removePasscode(passcode) }
    }
}

extension KeychainOwner {
    func add(_ request: ItemAddRequest, access: CallerAccess) throws {
        _ = try with { try $0.add(request, access: access) }
    }

    func delete(_ query: KeychainQuery) throws -> Item {
        try with { try $0.deleteFirst(query).item }
    }

    func inspect() throws -> KeychainInspection {
        try with { try $0.inspect() }
    }
}
