package import KSAgent
internal import KSKeychain
package import KSKeychainFiles
package import Logging
internal import KSPersonalItems
internal import KSSealing
internal import KSSecItem

/// A call that the daemon carries out; each call has one conforming type.
protocol HandledCall: AgentCall {
    /// Whether the call waits for the server and has no progress of its own.
    var waitsForServer: Bool { get }

    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> Answer

    /// The answer, if the thread that reads the sockets can give it at once; nil if it may take
    /// longer.
    func answerAtOnce(on daemon: CallHandler, _ caller: Caller) throws -> Answer?
}

extension HandledCall {
    var waitsForServer: Bool { false }

    func answerAtOnce(on daemon: CallHandler, _ caller: Caller) throws -> Answer? { nil }
}

/// A short call that changes the device.
///
/// It runs on the device's queue without a task: each thread that is woken up costs time, and the
/// change is sent to the other devices after it.
protocol HandledOnQueue: HandledCall {
    func answer(on owner: isolated KeychainOwner, _ caller: Caller) throws -> Answer
}

extension HandledOnQueue {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> Answer {
        try await answer(on: daemon.owner, caller)
    }
}

/// A call with an empty answer.
protocol HandledCommand: HandledCall where Answer == AgentNothing {
    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws
}

extension HandledCommand {
    func answer(on daemon: CallHandler, _ caller: Caller) async throws -> AgentNothing {
        try await carryOut(on: daemon, caller)
        return AgentNothing()
    }
}

/// A call that lasts until its program goes away.
///
/// It needs little memory: no task waits for its end.
protocol HandledWhileOpen: HandledCommand {
    /// Checks the call.
    ///
    /// - Returns: what starts it, without blocking.
    func start(on daemon: CallHandler, _ caller: Caller) throws -> AgentAnswer.Start
}

extension HandledWhileOpen {
    func carryOut(on daemon: CallHandler, _ caller: Caller) async throws {
        let answer = AgentAnswer.whileOpen(try start(on: daemon, caller))
        _ = await answer.reply(reportingTo: caller.reportProgress)
    }
}

/// The program that makes a call, and how it receives the progress of a long one.
struct Caller: Sendable {
    let program: ProgramAccess
    /// The path of its executable; nil if the daemon cannot see it.
    let executable: String?
    var reportProgress: AgentAnswer.ReportProgress = { _ in }

    var access: CallerAccess { program.callerAccess }

    /// Reports that the call waits for the server, unless it is cancelled before.
    func reportLongWait() -> Task<Void, Never> {
        Task {
            // Ends early when the call is answered.
            guard (try? await Task.sleep(for: .seconds(CallHandler.waitSeconds))) != nil else {
                return
            }
            reportProgress(.waitsForServer)
        }
    }
}

/// Answers the calls of programs.
package struct CallHandler: Sendable {
    /// After how long a call reports that it waits for the server.
    package static let waitSeconds = 3

    package let owner: KeychainOwner
    package let lookUps: LookUps
    package let accounts: AccountKeeper
    package let entitlements: EntitlementsFile
    package let shelf: KeychainShelf
    package let deviceLock: DeviceLock
    package let fileProtector: FileProtector
    package let logger: Logger
    private let home: String
    /// The home's directory when the daemon started.
    private let folder: FileState?

    package init(
        home: AgentHome,
        owner: KeychainOwner,
        accounts: AccountKeeper,
        deviceLock: DeviceLock,
        logger: Logger
    ) {
        self.owner = owner
        lookUps = LookUps(files: owner.files, listing: owner.listing)
        self.accounts = accounts
        entitlements = EntitlementsFile(home: home)
        shelf = KeychainShelf(home: home, random: owner.files.random)
        self.deviceLock = deviceLock
        fileProtector = FileProtector(home: home, files: owner.files)
        self.logger = logger
        (self.home, folder) = (home.path, FileState(path: home.path))
    }

    /// Refuses a call that needs the home's files if its path leads elsewhere since the start.
    func checkHome() throws(CommandFailure) {
        guard let folder else { return }
        let isThere = FileState(path: home)?.isSameFile(as: folder) == true
        guard isThere else { throw .homeMoved(from: home) }
    }

    /// All calls, by their names on the socket.
    private static let calls: [String: any HandledCall.Type] = Dictionary(
        uniqueKeysWithValues: handled.map { ($0.name, $0) }
    )

    private static let handled: [any HandledCall.Type] = [
        AddItem.self, FindItems.self, DeleteItem.self, SecItemCall.self, GetHistory.self,
        GetConflicts.self, ListHeldDeletions.self, AnswerDeletions.self, PrepareSignUp.self,
        CheckServer.self, SignUp.self, LogIn.self, DeleteAccount.self, GetServerPin.self,
        ReplaceCredentials.self, GetKit.self,
        MayHaveAccountKey.self,
        GetServer.self, SetServer.self, RebuildAccount.self, ChangeServerPin.self,
        SyncNow.self, GetStatus.self, GetLockStatus.self, LockDevice.self, UnlockDevice.self,
        ChangePasscode.self, LockAfter.self, ProtectFile.self, UnprotectFile.self,
        ReadProtectedFile.self, BackUp.self, Restore.self, Examine.self, FindDroppable.self,
        ImportEntries.self, ExportItems.self,
        Greet.self, StopDaemon.self, ListKeychains.self, SetSearchList.self,
        SetDefaultKeychain.self,
        NameKeychainFolder.self, CreateKeychain.self, DeleteKeychain.self, LockKeychain.self,
        UnlockKeychain.self, SetKeychainPassword.self, GetKeychainSettings.self,
        SetKeychainSettings.self, FindCertificates.self, FindIdentities.self,
        DeleteCertificate.self, ImportKeys.self, ExportKeys.self, ReadKeyValues.self,
        ListKeyValueStores.self, WriteKeyValues.self, WatchKeyValues.self, SyncKeyValues.self,
        GetAccountToken.self, GetKeyValueStatus.self, GetKeyValueLimits.self,
        SetKeyValueLimits.self, LeaveAccount.self, DiscardUnsentSignUp.self,
        ListDevices.self, RevokeDevices.self, NoteDevicesSeen.self, ListItems.self, ShowItem.self,
        MakeItem.self, ChangeItem.self, RemoveItem.self, GeneratePassword.self,
        GetOneTimeCode.self, ReadReferences.self, GetItemHistory.self, RestoreVersions.self,
        ForgetVersions.self,
        ListDeletedItems.self, RestoreDeletedItem.self,
        FindItemOfCode.self, CountLoss.self,
    ]

    /// Whether the daemon has to end after this reply.
    package static func endsDaemon(_ request: AgentRequest, _ reply: AgentReply) -> Bool {
        guard case .result = reply else { return false }
        return request.call == StopDaemon.name
    }

    /// Reads a call, and answers it at once or returns how to answer it later.
    package func answer(_ request: AgentRequest, of peer: AgentPeer) -> AgentAnswer {
        guard let type = Self.calls[request.call] else {
            return .now(.failure(CommandFailure.unknownCall.agentFailure))
        }
        return answer(type, request, of: peer)
    }

    /// Makes a call that a front end has as a value, and waits for its answer.
    ///
    /// - Throws: ``AgentError/failed(_:)`` when the call is refused or fails.
    package func answer<Call: AgentCall>(
        _ call: Call,
        of peer: AgentPeer,
        reportProgress: @escaping AgentAnswer.ReportProgress = { _ in }
    ) async throws(AgentError) -> Call.Answer {
        guard let handled = call as? any HandledCall,
            let answer = try await answerInProcess(handled, of: peer, reportProgress)
                as? Call.Answer
        else { throw .failed(CommandFailure.unknownCall.agentFailure) }
        return answer
    }

    private func answerInProcess<Call: HandledCall>(
        _ call: Call,
        of peer: AgentPeer,
        _ reportProgress: @escaping AgentAnswer.ReportProgress
    ) async throws(AgentError) -> any AgentCoded {
        do {
            var caller = try caller(of: Call.self, peer)
            caller.reportProgress = reportProgress
            return try await call.answer(on: self, caller)
        } catch {
            await owner.heal(after: error)
            throw .failed(failure(error, of: Call.self))
        }
    }

    /// The program that makes a call of this type, if it may.
    private func caller<Call: HandledCall>(of type: Call.Type, _ peer: AgentPeer) throws -> Caller {
        if Call.countsAsUse { deviceLock.noteUse() }
        let program = try entitlements.access(of: peer.executable)
        try program.check(Call.permission)
        return Caller(program: program, executable: peer.executable)
    }

    private func answer<Call: HandledCall>(
        _ type: Call.Type,
        _ request: AgentRequest,
        of peer: AgentPeer
    ) -> AgentAnswer {
        do {
            let caller = try caller(of: type, peer)
            let call = try Self.read(type, request)
            if let answer = try call.answerAtOnce(on: self, caller) {
                return .now(.result(answer.agentValue))
            }
            if let call = call as? any HandledOnQueue {
                return .soon { finish in
                    owner.perform { owner in
                        finish(reply(to: call, caller, on: owner))
                    }
                }
            }
            if let call = call as? any HandledWhileOpen {
                return .whileOpen(try call.start(on: self, caller))
            }
            return .later { reportProgress in
                var caller = caller
                caller.reportProgress = reportProgress
                let report = call.waitsForServer ? caller.reportLongWait() : nil
                let reply: AgentReply
                do {
                    reply = .result(try await call.answer(on: self, caller).agentValue)
                } catch {
                    await owner.heal(after: error)
                    reply = .failure(failure(error, of: type))
                }
                // Nothing may be reported after the reply.
                report?.cancel()
                await report?.value
                return reply
            }
        } catch {
            owner.perform { $0.heal(after: error) }
            return .now(.failure(failure(error, of: type)))
        }
    }

    private func reply<Call: HandledOnQueue>(
        to call: Call,
        _ caller: Caller,
        on owner: isolated KeychainOwner
    ) -> AgentReply {
        do {
            return .result(try call.answer(on: owner, caller).agentValue)
        } catch {
            owner.heal(after: error)
            return .failure(failure(error, of: Call.self))
        }
    }

    private static func read<Call: HandledCall>(
        _ type: Call.Type,
        _ request: AgentRequest
    ) throws -> Call {
        do throws(AgentError) {
            return try Call(.dictionary(request.arguments))
        } catch {
            if Call.failsByStatus { throw ItemStoreError.parameter }
            throw CommandFailure.malformedCall
        }
    }

    private func failure<Call: HandledCall>(
        _ error: any Error,
        of type: Call.Type
    ) -> AgentFailure {
        if KeychainOwner.mayBeOfConnection(error) {
            do throws(CommandFailure) {
                try checkHome()
            } catch {
                return Call.failsByStatus ? error.unavailable : error.agentFailure
            }
        }
        // Programs act on Apple's statuses.
        return switch error {
        case let error as ItemStoreError where Call.failsByStatus:
            AgentFailure(code: error.status, status: error.message, hint: error.hint)
        case let error as KeychainFileError where Call.failsByStatus: error.agentFailure
        case let error as ItemEditError: error.agentFailure
        case SealingError.classLocked where Call.failsByStatus:
            failure(ItemStoreError.interactionNotAllowed, of: type)
        case let error as SealingError where Call.failsByStatus:
            KeychainFileError(error).agentFailure
        default: failure(error)
        }
    }

    /// What the reply reports of an error.
    private func failure(_ error: any Error) -> AgentFailure {
        switch error {
        case let error as AgentFailure: return error
        case let error as EntitlementsError: return error.agentFailure
        default:
            let failure = CommandFailure(error)
            logger.info(
                "a call failed",
                metadata: ["exit": "\(failure.exit.rawValue)", "kind": "\(type(of: error))"]
            )
            return failure.agentFailure
        }
    }
}

extension Greet: HandledCommand {
    func carryOut(on daemon: CallHandler, _ caller: Caller) {}

    func answerAtOnce(on daemon: CallHandler, _ caller: Caller) -> AgentNothing? { AgentNothing() }
}

extension StopDaemon: HandledCommand {
    /// Does nothing: the daemon ends once the call is answered.
    func carryOut(on daemon: CallHandler, _ caller: Caller) {}
}

extension ProgramAccess {
    fileprivate func check(_ permission: AgentPermission) throws {
        switch permission {
        case .anyProgram: return
        case .seesAll:
            guard case .all = callerAccess else { throw ItemStoreError.missingEntitlement }
        case .hasAccessGroup:
            guard seesAllGroups || !accessGroups.isEmpty else {
                let error = ItemStoreError.missingEntitlement
                throw AgentFailure(code: error.status, status: error.message)
            }
        }
    }
}

extension CommandFailure {
    /// Apple's status for the program, and this sentence for its user.
    fileprivate var unavailable: AgentFailure {
        AgentFailure(
            code: ItemStoreError.unavailable(code: 0).status,
            status: sentence,
            hint: sentence
        )
    }
}

extension EntitlementsError {
    /// Apple's status for the program, and a hint for the person who can fix the file.
    fileprivate var agentFailure: AgentFailure {
        let missing = ItemStoreError.missingEntitlement
        return AgentFailure(code: missing.status, status: missing.message, hint: sentence)
    }
}

extension ItemStoreError {
    /// The message where Apple's status is too general: one status stands for every disk failure.
    fileprivate var hint: String {
        switch self {
        case .diskFull, .readOnly, .inputOutput, .fileDamaged, .newerFormat, .unavailable: message
        case .parameter, .duplicateItem, .itemNotFound, .noSuchAttribute, .noSuchClass,
            .missingEntitlement, .interactionNotAllowed, .passcodeNotSet, .decode, .dataTooLarge,
            .refused, .restricted, .unimplemented, .internalFailure:
            ""
        }
    }
}
