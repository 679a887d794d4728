internal import KSKeychainFiles
package import KSAgent
package import Logging
internal import ServiceLifecycle

/// The daemon of one home, from taking the home's lock to the end of the process.
package struct DaemonService: Service {
    private let files: DeviceFiles
    private let owner: KeychainOwner
    private let accounts: AccountKeeper
    private let shelf: KeychainShelf
    private let deviceLock: DeviceLock
    private let listener: AgentListener
    private let lock: AgentLock
    /// Answers calls, those of the socket and those of other front ends of the process.
    package let handler: CallHandler
    /// Yields once the call `stop` was answered.
    private let stops: AsyncStream<Void>
    private let logger: Logger

    /// Opens everything, but does not listen yet.
    package init(home: AgentHome, logger: Logger) async throws {
        // Taken before the database is opened: two daemons of one home must never share it.
        let lock = try AgentLock(home: home)
        if let process = lock.crashedHolder {
            logger.warning(
                "the daemon before this one did not end in order",
                metadata: ["process": "\(process)"]
            )
        }
        let files = try DeviceFiles(home: home)
        let owner = try KeychainOwner(files: files)
        let accounts = AccountKeeper(owner: owner, logger: logger)
        await accounts.resume()
        let deviceLock = try DeviceLock(
            owner: owner,
            accounts: accounts,
            settings: SettingsFile(path: home.path + "/settings.json"),
            logger: logger
        )
        await deviceLock.scheduleIdleLock()
        let (stops, stop) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let handler = CallHandler(
            home: home,
            owner: owner,
            accounts: accounts,
            deviceLock: deviceLock,
            logger: logger
        )
        shelf = handler.shelf
        shelf.places.makeFolder()
        listener = try AgentListener(
            lock: lock,
            whenAnswered: { request, reply in
                if CallHandler.endsDaemon(request, reply) { stop.yield() }
            },
            handler: { request, peer in handler.answer(request, of: peer) }
        )
        self.lock = lock
        self.handler = handler
        self.files = files
        self.owner = owner
        self.accounts = accounts
        self.deviceLock = deviceLock
        self.stops = stops
        self.logger = logger
    }

    /// Serves until a signal or the call `stop` ends it.
    package func run() async throws {
        try listener.start()
        logger.notice("the daemon is ready")
        let cleaning = Task { [owner] in await owner.forgetOldDeletionsDaily() }
        await cancelWhenGracefulShutdown { [stops] in
            for await _ in stops { return }
        }
        cleaning.cancel()
        listener.stop()
        await deviceLock.stop()
        await accounts.stop()
        await shelf.closeAll()
        files.close()
        lock.noteEnd()
        logger.notice("the daemon has stopped")
    }
}
