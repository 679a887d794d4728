internal import KSAgent
package import Logging
package import KSDeviceKeys
internal import Synchronization

/// Locks and unlocks the device when its user says so, and locks it when nobody uses it.
package actor DeviceLock {
    // A key derivation keeps this queue busy for a third of a second; only look-ups continue.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe owner.unownedExecutor }

    private let owner: KeychainOwner
    private let accounts: AccountKeeper
    private let settings: SettingsFile
    private let logger: Logger
    private let minute: Duration
    private let lastUse = Mutex(ContinuousClock.now)
    private var lockAfterMinutes: Int?
    private var idleTask: Task<Void, Never>?

    /// `minute`: the length of a minute, which tests shorten.
    ///
    /// - Throws: if the settings cannot be read: a device that should lock itself must not stay
    ///   unlocked because of that.
    package init(
        owner: KeychainOwner,
        accounts: AccountKeeper,
        settings: SettingsFile,
        logger: Logger,
        minute: Duration = .seconds(60)
    ) throws {
        self.owner = owner
        self.accounts = accounts
        self.settings = settings
        self.logger = logger
        self.minute = minute
        lockAfterMinutes = try settings.read().lockAfterMinutes
    }

    package var status: LockStatus {
        var status = LockStatus()
        status.lock = owner.files.keys.lockState
        status.passcode = owner.files.keys.hasPasscode
        status.lockAfterMinutes = lockAfterMinutes
        return status
    }

    // MARK: By the user

    package nonisolated func lock() async {
        // Wipes the class keys at once, before the queue is free: calls under way fail then.
        owner.files.keys.lock()
        await owner.wipeKeys()
        logger.notice("the device is locked")
    }

    /// Unlocks the device, or changes its passcode, which unlocks it too.
    package func unlock(_ change: @Sendable (LocalKeyFile) throws -> Void) async throws {
        // Returns the memory of the key derivation to the system, also after an error.
        defer { ProcessProtection.giveMemoryBack() }
        try change(owner.files.keys)
        noteUse()
        await accounts.takeUnlock()
        scheduleIdleLock()
    }

    // MARK: By itself

    /// Sets after how many minutes without use the device locks itself; nil for never.
    package func setLockAfter(minutes: Int?) throws {
        try settings.write(DeviceSettings(lockAfterMinutes: minutes))
        lockAfterMinutes = minutes
        noteUse()
        scheduleIdleLock()
    }

    /// Notes that a program uses the keychain now.
    package nonisolated func noteUse() {
        lastUse.withLock { $0 = .now }
    }

    /// Starts the timer that locks the device when it is idle.
    package func scheduleIdleLock() {
        idleTask?.cancel()
        idleTask = nil
        // Without a passcode anybody could unlock the device, so locking it would protect nothing.
        guard let lockAfterMinutes, owner.files.keys.hasPasscode else { return }
        let patience = minute * lockAfterMinutes
        idleTask = Task { [weak self] in await self?.lock(whenIdleFor: patience) }
    }

    package func lock(whenIdleFor patience: Duration) async {
        while !Task.isCancelled, owner.files.keys.lockState == .unlocked {
            let deadline = lastUse.withLock { $0 } + patience
            guard ContinuousClock.now < deadline else { return await lock() }
            // Ends early only when the task is cancelled, which the loop sees.
            try? await Task.sleep(until: deadline, clock: .continuous)
        }
    }

    /// Stops the timer.
    package func stop() {
        idleTask?.cancel()
        idleTask = nil
    }
}
