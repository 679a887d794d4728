package import KSKeychainFiles
package import KSAgent
internal import KSImporting
package import KSKeychain
package import Logging
internal import KSKeychainRecords
internal import KSSealing
internal import KSSecItem
internal import SyncEngine
internal import KSTransport

/// Answers the calls of programs.
package struct CallHandler: Sendable {
    package let owner: KeychainOwner
    package let accounts: AccountKeeper
    package let entitlements: EntitlementsFile
    package let shelf: KeychainShelf
    package let deviceLock: DeviceLock
    package let fileProtector: FileProtector
    package let logger: Logger

    package init(
        owner: KeychainOwner,
        accounts: AccountKeeper,
        entitlements: EntitlementsFile,
        shelf: KeychainShelf,
        deviceLock: DeviceLock,
        fileProtector: FileProtector,
        logger: Logger
    ) {
        self.owner = owner
        self.accounts = accounts
        self.entitlements = entitlements
        self.shelf = shelf
        self.deviceLock = deviceLock
        self.fileProtector = fileProtector
        self.logger = logger
    }

    package typealias ReportProgress = @Sendable (AgentProgress) -> Void

    /// Calls that look at how things stand, and do not keep the device from being idle.
    private static let idleCalls: Set<String> = ["status", "device.state", "doctor", "sync.now"]

    /// Whether the daemon has to end now that it has answered this.
    package static func endsDaemon(_ request: AgentRequest, _ reply: AgentReply) -> Bool {
        guard case .result = reply else { return false }
        return request.call == "stop"
    }

    package func answer(
        _ request: AgentRequest,
        of peer: AgentPeer,
        reportProgress: @escaping ReportProgress
    ) async -> AgentReply {
        if !Self.idleCalls.contains(request.call) { deviceLock.noteUse() }
        do {
            let program = try entitlements.access(of: peer.executable)
            let value = try await value(of: request, program, reportProgress: reportProgress)
            return .result(value)
        } catch {
            return reply(to: error)
        }
    }

    /// What is told of an error.
    package func reply(to error: any Error) -> AgentReply {
        switch error {
        case let error as AgentFailure: return .failure(error)
        case let error as EntitlementsError: return .failure(error.agentFailure)
        default:
            let failure = CommandFailure(error)
            logger.info(
                "a call failed",
                metadata: ["exit": "\(failure.exit.rawValue)", "kind": "\(type(of: error))"]
            )
            return .failure(failure.agentFailure)
        }
    }

    private func value(
        of request: AgentRequest,
        _ program: ProgramAccess,
        reportProgress: @escaping ReportProgress
    ) async throws -> AgentValue {
        let arguments = request.arguments
        let access = program.callerAccess
        switch request.call {
        case "item.add", "item.find", "item.delete":
            return try await withStatus { try await itemValue(of: request, access) }
        case _ where request.call.hasPrefix("keychains."):
            return try await withStatus {
                try access.checkSeesAll()
                return try await keychainsValue(of: request)
            }
        case "secitem":
            return try await secItem(arguments, SecItemClient(program))
        case "item.history":
            try access.checkSeesAll()
            return try await history(arguments)
        case "item.conflicts":
            try access.checkSeesAll()
            let conflicts = try await accounts.engine().conflicts()
            return .array(conflicts.map { AgentValue($0, showsSecrets: false) })
        case _ where request.call.hasPrefix("account."):
            try access.checkSeesAll()
            return try await accountValue(of: request, reportProgress)
        case "sync.now":
            return try await sync(reportProgress)
        case "status":
            return try await status()
        case "device.lock", "device.state":
            return try await lockValue(of: request)
        case "device.unlock", "device.passcode", "device.lockAfter":
            try access.checkSeesAll()
            return try await lockValue(of: request)
        case "file.protect", "file.unprotect", "file.contents":
            try program.checkMayProtectFiles()
            return try await fileValue(of: request)
        case "backup", "restore":
            try access.checkSeesAll()
            return try await backupValue(of: request)
        case "doctor":
            try access.checkSeesAll()
            return try await doctor(arguments)
        case "import":
            try access.checkSeesAll()
            return try await importFile(arguments, reportProgress)
        case "stop":
            // What it asks for is done once it is answered.
            return .null
        default:
            throw CommandFailure.unknownCall
        }
    }

    /// Tells errors by Apple's numbers, on which programs act.
    private func withStatus(
        _ body: () async throws -> AgentValue
    ) async throws -> AgentValue {
        do {
            return try await body()
        } catch {
            throw Self.withStatus(error)
        }
    }

    package static func withStatus(_ error: any Error) -> any Error {
        switch error {
        case let error as KeychainError:
            AgentFailure(code: error.status, status: error.message, hint: error.hint)
        case let error as KeychainFileError: error.agentFailure
        default: error
        }
    }

    /// Apple's four calls; what they refuse is told by status, in the answer.
    private func secItem(
        _ arguments: AgentDictionary,
        _ client: SecItemClient
    ) async throws -> AgentValue {
        let call = try SecItemCall(arguments)
        return AgentValue(await owner.answer(call, client: client))
    }

    private func history(_ arguments: AgentDictionary) async throws -> AgentValue {
        let engine = try await accounts.engine()
        var records: [RecordHistory] = []
        if let text = arguments["code"]?.string {
            guard let code = ItemCode(parsing: text) else { throw CommandFailure.malformedCode }
            records = try await engine.records(beginning: code.bytes)
            guard records.count < 2 else { throw CommandFailure.ambiguousCode }
        } else {
            guard let place = arguments["place"]?.string,
                let account = arguments["account"]?.string
            else { throw CommandFailure.malformedCall }
            for item in try await owner.synchronized(place: place, account: account) {
                guard let record = try await engine.record(of: item.key) else { continue }
                records.append(record)
            }
        }
        guard !records.isEmpty else { throw CommandFailure.noSuchItem }
        do {
            try await engine.markLookedAt(records)
        } catch {
            // What was asked for is shown all the same; the conflict is told of once more.
            logger.warning("a conflict could not be marked as seen")
        }
        let showsSecrets = arguments["showsSecrets"]?.bool ?? false
        return .array(records.map { AgentValue($0, showsSecrets: showsSecrets) })
    }
}

extension EntitlementsError {
    /// A program acts on Apple's number; who reads the hint can put it right.
    fileprivate var agentFailure: AgentFailure {
        let missing = KeychainError.missingEntitlement
        return AgentFailure(code: missing.status, status: missing.message, hint: sentence)
    }
}

extension CallerAccess {
    /// Refuses who may not see every item.
    package func checkSeesAll() throws(KeychainError) {
        guard case .all = self else { throw .missingEntitlement }
    }
}

extension KeychainError {
    /// What Apple's number for it does not tell: one number stands for all that a disk can do.
    fileprivate var hint: String {
        switch self {
        case .diskFull, .readOnly, .inputOutput, .fileDamaged, .newerFormat, .unavailable: message
        case .parameter, .duplicateItem, .itemNotFound, .noSuchAttribute, .noSuchClass,
            .missingEntitlement, .interactionNotAllowed, .passcodeNotSet, .decode, .dataTooLarge,
            .refused:
            ""
        }
    }
}
