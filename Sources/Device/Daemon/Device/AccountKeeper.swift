internal import KSDeviceKeys
package import KSAgent
package import Logging
package import KSSealing
package import KSSyncEngine
internal import KSTransport

/// Joins accounts, and keeps sync running while the device belongs to one.
package actor AccountKeeper {
    /// Sync of the account that the device belongs to.
    package struct Running: Sendable {
        package let device: EnrolledDevice
        package let engine: SyncEngine
    }

    // A key derivation keeps this queue busy for a third of a second; only look-ups continue.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe owner.unownedExecutor }

    private let owner: KeychainOwner
    private let logger: Logger
    package private(set) var running: Running?
    /// Why sync does not run although the device belongs to an account.
    package private(set) var problem: CommandFailure?
    private var task: Task<Void, Never>?
    private var transport: CurlTransport?
    private var isJoining = false
    private var isLeaving = false
    /// Whether sync is about to continue with another server.
    private var isMoving = false
    private var hasStopped = false
    /// Whether the account could not be made again on the server, since another one has its name.
    var isNameTaken = false

    package init(owner: KeychainOwner, logger: Logger) {
        self.owner = owner
        self.logger = logger
    }

    /// Starts sync if the device belongs to an account.
    ///
    /// If this fails, programs can still use the items of this device, and the doctor still works.
    package func resume() async {
        await startingSync { try await owner.resume() }
    }

    /// Continues, or starts, sync after the device was unlocked.
    package func takeUnlock() async {
        await startingSync { try await owner.takeUnlock() }
        await running?.engine.noticeUnlock()
    }

    /// Sync, if it runs.
    ///
    /// If sync could not be started before, this tries again: the user may have solved the problem
    /// by now.
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
    /// - Returns: the account's key, for the user to keep, and what else the user has to know.
    package func join(
        _ request: CheckedAccountForm,
        reportProgress: @escaping @Sendable (AgentProgress) -> Void
    ) async throws -> Enrollment {
        try await joining(request) { setup in
            // It ends with this scope.
            async let _: Void = Self.repeatReport(reportProgress)
            let form = request.form
            if request.accountKey == nil { try await owner.checkMayJoin(nil, form) }
            let enrollment =
                if let accountKey = request.accountKey {
                    try await setup.logIn(
                        password: form.password,
                        accountKey: accountKey,
                        checking: { [owner] account in
                            try await owner.checkMayJoin(account, request.form)
                        },
                        removing: { present, gone in
                            try DeviceChoice(among: present, former: gone)
                                .devices(form.removedDevices ?? [])
                        }
                    )
                } else {
                    try await setup.signUp(
                        password: form.password,
                        invitation: form.invitation ?? "",
                        drafts: owner
                    )
                }
            do {
                try await owner.save(enrollment)
            } catch let error where request.accountKey != nil {
                throw CommandFailure.unsaved(CommandFailure(error), enrollment)
            }
            // Even if sync does not start, the account exists, and its key must not be lost.
            await startingSync { try await owner.takeAccount() }
            if request.accountKey != nil, let problem, problem.exit == .diskTrouble {
                // A login can be repeated, so nothing of it stays. If even this fails, the account
                // is read once the disk works again.
                let left = try? await owner.leave(keepsItems: true, discardsUnsent: true)
                guard left != nil else { throw problem }
                self.problem = nil
                throw CommandFailure.unsaved(problem, enrollment)
            }
            logger.notice("the device has joined an account")
            return enrollment
        }
    }

    private nonisolated static func repeatReport(
        _ report: @Sendable (AgentProgress) -> Void
    ) async {
        while !Task.isCancelled {
            report(AgentProgress(done: 0, total: 0, text: "Asking the server"))
            // Ends early when the server has answered.
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Finds out whether the server answers, and is the right one; of a new account also whether
    /// the server would make it.
    package func checkServer(
        of request: CheckedAccountForm,
        isNewAccount: Bool
    ) async throws {
        try await joining(request) { setup in
            try await setup.checkServer()
            guard isNewAccount else { return }
            let invitation = request.form.invitation ?? ""
            try await setup.checkNewName(invitation: invitation, drafts: owner)
        }
    }

    /// The Account Key of the sign-up that this request would send.
    package func prepareSignUp(_ request: CheckedAccountForm) async throws -> AccountKey {
        try await joining(request) { setup in
            try await owner.checkMayJoin(nil, request.form)
            return try await setup.prepareSignUp(
                password: request.form.password,
                invitation: request.form.invitation ?? "",
                drafts: owner
            )
        }
    }

    /// Forgets the sign-up with this Account Key if it was not sent.
    ///
    /// - Returns: whether there was such a sign-up, for which no account can exist any more.
    package func discardUnsentSignUp(_ accountKey: AccountKey) async throws -> Bool {
        // It must not be sent meanwhile.
        guard !isJoining, !isLeaving else { throw CommandFailure.isJoining }
        guard owner.files.keys.lockState == .unlocked else { throw CommandFailure.locked }
        isJoining = true
        defer { isJoining = false }
        let drafts = try await owner.signUpDrafts()
        let kept = drafts.filter { $0.wasSent || $0.accountKey != accountKey }
        guard kept.count < drafts.count else { return false }
        try await owner.replaceSignUpDrafts(kept)
        return true
    }

    /// Runs a part of joining an account; only one such part runs at a time.
    private func joining<Result>(
        _ request: CheckedAccountForm,
        _ body: (AccountSetup) async throws -> Result
    ) async throws -> Result {
        guard running == nil, !isLeaving else { throw CommandFailure.alreadyEnrolled }
        if let problem { throw problem }
        guard !isJoining else { throw CommandFailure.isJoining }
        // A locked device cannot save the keys of the account.
        guard owner.files.keys.lockState == .unlocked else { throw CommandFailure.locked }
        guard try !owner.files.hasAccount() else { throw CommandFailure.alreadyEnrolled }
        // Before the server is asked: it would list a device that cannot save its keys.
        try owner.files.checkRoom()
        isJoining = true
        defer { isJoining = false }
        let transport = try CurlTransport(server: request.server)
        defer { transport.close() }
        let setup = AccountSetup(
            client: ServerClient(transport: transport, origin: request.server.origin),
            server: request.server,
            names: EnrolledNames(account: request.form.account, device: request.form.device),
            random: owner.files.random
        )
        // Returns the memory of the key derivation to the system, also after an error.
        defer { ProcessProtection.giveMemoryBack() }
        return try await body(setup)
    }

    /// Leaves the account: sync ends, and the device forgets all that it knows of the account.
    ///
    /// `progress`: shows how far the sync has come that is made first.
    package func leave(
        keepsItems: Bool,
        discardsUnsent: Bool,
        _ progress: LiveProgress? = nil
    ) async throws -> LeftAccount {
        guard !isJoining, !isLeaving else { throw CommandFailure.isJoining }
        guard owner.files.keys.lockState == .unlocked else { throw CommandFailure.locked }
        isLeaving = true
        // Only a server that has answered just now surely has what was sent.
        let sync = keepsItems || discardsUnsent ? nil : await lastSync(progress)
        progress?.show(AgentProgress(done: 0, total: 0, text: "Leaving the account"))
        do {
            // A refused logout does not even interrupt sync.
            try await owner.checkMayLeave(
                keepsItems: keepsItems,
                discardsUnsent: discardsUnsent,
                after: sync
            )
            // No batch may be on its way: its answer would be for an account that is gone.
            await endSync()
            let left = try await owner.leave(
                keepsItems: keepsItems,
                discardsUnsent: discardsUnsent,
                after: sync
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

    /// Syncs before a logout; nil if no sync runs.
    private func lastSync(_ progress: LiveProgress?) async -> SyncOutcome? {
        guard let engine = running?.engine else { return nil }
        // Without a status there is no progress, and the sync says what is wrong.
        guard let progress, let start = try? await engine.status() else {
            return await engine.syncNow()
        }
        return await engine.syncNow(since: start) { progress.show($0) }
    }

    /// Changes the server in one transaction, and continues sync with it.
    ///
    /// `choice`: the server, and the move that it has passed; nil if nothing changes. While it asks
    /// a server, sync continues, but no logout or login begins.
    func changingServer(
        _ choice: (KeychainOwner, EnrolledDevice) async throws -> (ServerEndpoint, ServerMove?)?
    ) async throws {
        guard !isJoining, !isLeaving else { throw CommandFailure.isJoining }
        guard owner.files.keys.lockState == .unlocked else { throw CommandFailure.locked }
        guard let device = try await owner.resume() else { throw CommandFailure.noAccount }
        isJoining = true
        defer { isJoining = false }
        guard let (server, move) = try await choice(owner, device) else { return }
        // No batch may be on its way: its answer would come from the other server.
        isMoving = true
        defer { isMoving = false }
        await endSync()
        do {
            try await owner.use(server, after: move)
        } catch {
            await resume()
            throw error
        }
        await resume()
        logger.notice("the account's server has another address or other pins")
    }

    /// When the server's certificate ends; nil before the first connection.
    var certificateEndSeconds: Int? { transport?.certificateEndSeconds }

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
            logger: logger,
            renewal: { [owner] in
                try await owner.reopenDatabase()
                return try await owner.makeReplica(of: device)
            }
        )
        self.transport = transport
        running = Running(device: device, engine: engine)
        task = Task { await engine.run() }
    }

    /// The running sync; throws the reason if none runs.
    package func engine() async throws(CommandFailure) -> SyncEngine {
        guard let running = await started() else {
            if isLeaving { throw .isLeaving }
            if isMoving { throw .isMoving }
            if let problem { throw problem }
            throw owner.files.keys.lockState == .beforeFirstUnlock ? .locked : .noAccount
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
        isNameTaken = false
    }

    /// Why sync fails, with what the last try to make the account again has shown.
    func explained(_ failure: CommandFailure?) -> CommandFailure? {
        isNameTaken && failure == .accountLost
            ? CommandFailure(code: .rebuildNameTaken) : failure
    }
}
