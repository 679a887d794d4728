internal import KSDeviceKeys
internal import KSAgent
internal import KSKeychain
internal import KSKeychainFiles
internal import KSSealing

// What `keychain` does with keychains as a whole. The login keychain's lock is the device's: its
// password is the passcode.

// MARK: The list

extension ListKeychains: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> KeychainList {
        let list = try await daemon.shelf.list()
        let places = daemon.shelf.places
        let shown = { (name: String) throws(KeychainFileError) -> String in
            places.shownPath(of: try places.place(of: name))
        }
        return KeychainList(
            search: try list.search.map(shown),
            default: try list.defaultKeychain.map(shown),
            login: places.shownPath(of: .home)
        )
    }
}

extension SetSearchList: HandledCommand {
    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        let places = daemon.shelf.places
        let names = try (keychains ?? []).map { places.path(of: try places.place(of: $0)) }
        try await daemon.shelf.change { list throws(KeychainFileError) in list.search = names }
    }
}

extension SetDefaultKeychain: HandledCommand {
    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        let place = try keychain.map { try daemon.shelf.places.place(of: $0) }
        // Reports the mistake at once: otherwise the next addition would fail.
        if case .file(let path)? = place, !KeychainPlaces.exists(path) {
            throw KeychainFileError.notToBeDefault(path: path)
        }
        let path = place.map { daemon.shelf.places.path(of: $0) }
        try await daemon.shelf.change { list throws(KeychainFileError) in
            list.defaultKeychain = path
        }
    }
}

extension NameKeychainFolder: HandledCommand {
    func carryOut(on daemon: CallHandler, _ caller: Caller) { daemon.shelf.places.nameFolder(path) }
}

// MARK: Making and deleting

extension CreateKeychain: HandledCommand {
    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        daemon.shelf.places.makeFolder(of: keychain)
        guard case .file(let path) = try daemon.shelf.places.place(of: keychain) else {
            throw KeychainFileError.duplicateKeychain
        }
        try await daemon.shelf.create(path: path, password: password)
    }
}

extension DeleteKeychain: HandledCommand {
    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        // The login keychain is the device's home, which is deleted with its directory only.
        guard case .file(let path) = try daemon.shelf.places.place(of: keychain) else {
            throw KeychainFileError.isLogin
        }
        try await daemon.shelf.delete(path: path)
    }
}

// MARK: The lock

extension LockKeychain: HandledCommand {
    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        if all == true {
            await daemon.shelf.lockAll()
            await daemon.deviceLock.lock()
            return
        }
        switch try await daemon.placeOrDefault(keychain) {
        case .home: await daemon.deviceLock.lock()
        case .file(let path): try await daemon.shelf.withFile(path) { $0.keys.lock() }
        }
    }
}

extension UnlockKeychain: HandledCommand {
    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        switch try await daemon.placeOrDefault(keychain) {
        case .home:
            // Without a passcode nothing is locked, so any password is accepted.
            try await daemon.deviceLock.unlock {
                try $0.unlock(passcode: $0.hasPasscode ? password : nil)
            }
        case .file(let path): try await daemon.shelf.unlock(path: path, password: password)
        }
    }
}

extension SetKeychainPassword: HandledCommand {
    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        switch try await daemon.placeOrDefault(keychain) {
        case .home:
            try await daemon.deviceLock.unlock { try $0.setPassword(from: old, to: new) }
        case .file(let path):
            try await daemon.shelf.withFile(path) { try $0.keys.setPassword(from: old, to: new) }
        }
    }
}

// MARK: Settings

extension GetKeychainSettings: HandledCall {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> KeychainSettingsAnswer {
        switch try await daemon.placeOrDefault(keychain) {
        case .home:
            let status = await daemon.deviceLock.status
            return KeychainSettingsAnswer(
                lockOnSleep: false,
                useInterval: status.lockAfterMinutes != nil,
                seconds: status.lockAfterMinutes.map { $0 * 60 },
                locked: status.lock != .unlocked
            )
        case .file(let path):
            return try await daemon.shelf.withFile(path) { file in
                KeychainSettingsAnswer(
                    lockOnSleep: file.settings.locksOnSleep,
                    useInterval: file.settings.usesInterval,
                    seconds: file.settings.idleSeconds,
                    locked: file.isLocked
                )
            }
        }
    }
}

extension SetKeychainSettings: HandledCommand {
    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        let settings = KeychainSettings(
            locksOnSleep: lockOnSleep ?? false,
            usesInterval: useInterval ?? false,
            idleSeconds: seconds.flatMap { seconds in
                (1...Int64(Int32.max)).contains(seconds) ? Int(seconds) : nil
            }
        )
        switch try await daemon.placeOrDefault(keychain) {
        case .home: try await setHome(settings, daemon)
        case .file(let path): try await daemon.shelf.set(settings, path: path)
        }
    }

    /// The device stores only this time, in minutes: seconds are rounded up.
    private func setHome(_ settings: KeychainSettings, _ daemon: CallHandler) async throws {
        let minutes = settings.idleSeconds.map { Int(($0 + 59) / 60) }
        if let minutes, !(1...DeviceSettings.lockAfterMinutesMax).contains(minutes) {
            let error = ItemStoreError.parameter
            let hint = "Up to \(DeviceSettings.lockAfterMinutesMax * 60) seconds can be set here."
            throw AgentFailure(code: error.status, status: error.message, hint: hint)
        }
        try await daemon.deviceLock.setLockAfter(minutes: minutes)
    }
}
