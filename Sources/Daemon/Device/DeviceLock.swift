internal import KSKeychainFiles
internal import KSAgent
package import Logging
package import KSSealing
internal import Synchronization

/// Locks and unlocks the device when its user says so, and locks it when nobody uses it.
package actor DeviceLock {
    // A key derivation takes a third of a second of one core, in which only look-ups go on.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe owner.unownedExecutor
    }

    private let files: DeviceFiles
    private let owner: KeychainOwner
    private let accounts: AccountKeeper
    private let settings: SettingsFile
    private let logger: Logger
    private let minute: Duration
    private let lastUse = Mutex(ContinuousClock.now)
    private var lockAfterMinutes: Int?
    private var idleTask: Task<Void, Never>?

    /// `minute`: how long one lasts; tests have less time than users.
    ///
    /// - Throws: when the settings cannot be read: whoever asked to be locked must not be left open
    ///   because of it.
    package init(
        files: DeviceFiles,
        owner: KeychainOwner,
        accounts: AccountKeeper,
        settings: SettingsFile,
        logger: Logger,
        minute: Duration = .seconds(60)
    ) throws {
        self.files = files
        self.owner = owner
        self.accounts = accounts
        self.settings = settings
        self.logger = logger
        self.minute = minute
        lockAfterMinutes = try settings.read().lockAfterMinutes
    }

    package var status: LockStatus {
        LockStatus(
            lock: files.keys.lockState,
            passcode: files.keys.hasPasscode,
            lockAfterMinutes: lockAfterMinutes
        )
    }

    // MARK: By the user

    package nonisolated func lock() async {
        // The keys of the classes first, and at once: whatever is being done ends without them.
        files.keys.lock()
        await owner.wipeKeys()
        logger.notice("the device is locked")
    }

    /// Unlocks the device, or changes its passcode, which unlocks it too.
    package func unlock(_ change: @Sendable (LocalKeyFile) throws -> Void) async throws {
        // Gives the memory of the key derivation back, also after an error.
        defer { ProcessProtection.giveMemoryBack() }
        try change(files.keys)
        noteUse()
        await accounts.takeUnlock()
        scheduleIdleLock()
    }

    // MARK: By itself

    /// Nil: never.
    package func setLockAfter(minutes: Int?) throws {
        try settings.write(DeviceSettings(lockAfterMinutes: minutes))
        lockAfterMinutes = minutes
        noteUse()
        scheduleIdleLock()
    }

    /// Says that a program uses the keychain.
    package nonisolated func noteUse() {
        lastUse.withLock { $0 = .now }
    }

    /// Begins to watch for the device being idle.
    package func scheduleIdleLock() {
        idleTask?.cancel()
        idleTask = nil
        // Without a passcode anybody could unlock it again: it would only be in the user's way.
        guard let lockAfterMinutes, files.keys.hasPasscode else { return }
        let patience = minute * lockAfterMinutes
        idleTask = Task { [weak self] in await self?.lock(whenIdleFor: patience) }
    }

    package func lock(whenIdleFor patience: Duration) async {
        while !Task.isCancelled, files.keys.lockState == .unlocked {
            let deadline = lastUse.withLock { $0 } + patience
            guard ContinuousClock.now < deadline else { return await lock() }
            // Ends early only when the task is cancelled, which the loop sees.
            try? await Task.sleep(until: deadline, clock: .continuous)
        }
    }

    /// Ends the watch.
    package func stop() {
        idleTask?.cancel()
        idleTask = nil
    }
}
