package import KSAgent
package import Logging
package import KSSealing
package import SyncEngine
internal import KSTransport

/// Joins accounts, and keeps sync running while the device belongs to one.
package actor AccountKeeper {
    /// Sync of the account that the device belongs to.
    package struct Running: Sendable {
        package let device: EnrolledDevice
        package let engine: SyncEngine
    }

    // A key derivation takes a third of a second of one core, in which only look-ups go on.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe owner.unownedExecutor
    }

    private let files: DeviceFiles
    private let owner: KeychainOwner
    private let logger: Logger
    package private(set) var running: Running?
    /// Why sync does not run although the device belongs to an account.
    package private(set) var problem: CommandFailure?
    private var task: Task<Void, Never>?
    private var transport: CurlTransport?
    private var isJoining = false
    private var isLeaving = false
    private var hasStopped = false

    package init(files: DeviceFiles, owner: KeychainOwner, logger: Logger) {
        self.files = files
        self.owner = owner
        self.logger = logger
    }

    /// Starts sync if the device belongs to an account.
    ///
    /// Where that fails the items of this device can be used all the same, and the doctor asked.
    package func resume() async {
        await startingSync { try await owner.resume() }
    }

    /// Goes on after the device was unlocked.
    package func takeUnlock() async {
        await startingSync { try await owner.takeUnlock() }
        await running?.engine.noticeUnlock()
    }

    /// Sync, if it runs.
    ///
    /// Where it could not be started that is tried again: somebody may have done by now what the
    /// problem says.
    package func started() async -> Running? {
        if running == nil, problem != nil { await resume() }
        return running
    }

    private func startingSync(_ device: () async throws -> EnrolledDevice?) async {
        do {
            if let device = try await device(), running == nil { try await start(device) }
            problem = nil
        } catch {
            if problem == nil {
                logger.error("sync could not be started", metadata: ["kind": "\(type(of: error))"])
            }
            problem = CommandFailure(error)
        }
    }

    /// Makes an account, or joins one when the Account Key is given.
    ///
    /// - Returns: the account's key, for the user to keep, and what the account calls this device.
    package func join(
        _ request: JoinRequest,
        reportProgress: @Sendable (AgentProgress) -> Void
    ) async throws -> (key: AccountKey, device: String) {
        try await joining(request) { setup in
            reportProgress(AgentProgress(done: 0, total: 0, text: "Asking the server"))
            let form = request.form
            let enrollment =
                if let accountKey = request.accountKey {
                    try await setup.logIn(password: form.password, accountKey: accountKey)
                } else {
                    try await setup.signUp(
                        password: form.password,
                        invitation: form.invitation ?? "",
                        drafts: owner
                    )
                }
            guard let device = try await owner.join(enrollment) else {
                throw SyncEngineError.corruptDatabase
            }
            // Should it not start, the account is made all the same, and its key must not be lost.
            await startingSync { device }
            logger.notice("the device has joined an account")
            return (enrollment.accountKey, device.names.device)
        }
    }

    /// Asks no server: the Account Key of the sign-up that this request would send.
    package func prepareSignUp(_ request: JoinRequest) async throws -> AccountKey {
        try await joining(request) { setup in
            try await setup.prepareSignUp(password: request.form.password, drafts: owner)
        }
    }

    /// Does a part of joining an account, of which there is one at a time.
    private func joining<Result>(
        _ request: JoinRequest,
        _ body: (AccountSetup) async throws -> Result
    ) async throws -> Result {
        guard running == nil, !isLeaving else { throw CommandFailure.alreadyEnrolled }
        if let problem { throw problem }
        guard !isJoining else { throw CommandFailure.isJoining }
        // A locked device cannot save the keys of the account.
        guard files.keys.lockState == .unlocked else { throw CommandFailure.locked }
        guard try !files.hasAccount() else { throw CommandFailure.alreadyEnrolled }
        isJoining = true
        defer { isJoining = false }
        let transport = try CurlTransport(server: request.server)
        defer { transport.close() }
        let setup = AccountSetup(
            client: ServerClient(transport: transport, origin: request.server.origin),
            server: request.server,
            names: EnrolledNames(account: request.form.account, device: request.form.device),
            random: files.random
        )
        // Gives the memory of the key derivation back, also after an error.
        defer { ProcessProtection.giveMemoryBack() }
        return try await body(setup)
    }

    /// Leaves the account: sync ends, and the device forgets all that it knows of the account.
    package func leave(keepsItems: Bool, discardsUnsent: Bool) async throws -> LeftAccount {
        guard !isJoining, !isLeaving else { throw CommandFailure.isJoining }
        guard files.keys.lockState == .unlocked else { throw CommandFailure.locked }
        isLeaving = true
        // No batch may be on its way: its answer would be for an account that is gone.
        await endSync()
        do {
            let left = try await owner.leave(
                keepsItems: keepsItems,
                discardsUnsent: discardsUnsent
            )
            (problem, isLeaving) = (nil, false)
            logger.notice("the device has left its account")
            return left
        } catch {
            isLeaving = false
            await resume()
            throw error
        }
    }

    private func start(_ device: EnrolledDevice) async throws {
        let replica = try await owner.makeReplica(of: device)
        guard running == nil, !hasStopped, !isLeaving else { return }
        let transport = try CurlTransport(server: device.server)
        let engine = SyncEngine(
            device: device,
            replica: replica,
            transport: transport,
            clock: { DeviceFiles.milliseconds() },
            uptime: { DeviceFiles.uptimeMilliseconds() },
            logger: logger
        )
        self.transport = transport
        running = Running(device: device, engine: engine)
        task = Task { await engine.run() }
    }

    /// Sync that runs, or the reason why none does.
    package func engine() async throws(CommandFailure) -> SyncEngine {
        guard let running = await started() else {
            if let problem { throw problem }
            throw files.keys.lockState == .beforeFirstUnlock ? .locked : .noAccount
        }
        return running.engine
    }

    /// Ends sync and waits until it has ended.
    package func stop() async {
        hasStopped = true
        await endSync()
    }

    private func endSync() async {
        task?.cancel()
        await task?.value
        task = nil
        transport?.close()
        transport = nil
        running = nil
    }
}
