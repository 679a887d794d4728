internal import SwiftProtobuf
internal import GRDB
package import Logging
package import KSRecords
internal import KSSealing
package import KSQueues
package import KSTransport
internal import KSWire

/// Carries a replica's requests to the server and its answers back.
///
/// It decides nothing: the ``Replica`` decides what to send and what an answer means. The engine
/// runs on the replica's queue.
package actor SyncEngine {
    /// The state of sync, for people.
    package struct Status: Sendable {
        package let state: SyncState
        /// What this device does about a server that went back, or did; nil if none went back.
        package let reconciliation: Reconciliation?
        /// How many records are still to be compared with it.
        package let uncompared: Int
        package let counts: Replica.Counts
        package let report: SyncReport
        /// Why the last request, the last write or the connection failed; nil if none did.
        package let lastError: ServerError?
        /// Why the last step could not use the device's database; nil if it could.
        package let trouble: StepTrouble?
        /// When the server began to refuse this device, milliseconds since 1970.
        package let refusedSinceMilliseconds: UInt64?
        package let refusal: Refusal?
        package let connection: Connection
        /// For how long the request on its way has had no answer; 0 without one.
        package let silentMilliseconds: UInt64
        /// The account's newest seq, as the server last announced it.
        package let newestSeq: UInt64
        /// How full the account is, as the server last said; nil if it has not yet.
        package let usage: AccountUsage?
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    private nonisolated let executor: QueueExecutor
    private var confined: Confined<Replica>
    var replica: Replica { confined.value }
    let client: ServerClient
    let signer: CircleSigner
    let account: AccountID
    private let clock: @Sendable () -> UInt64
    let uptime: @Sendable () -> UInt64
    let logger: Logger
    let signal: Signal
    let firstEventMilliseconds: UInt64
    let renewal: Renewal
    /// Why the last step could not use the database; nil once one could.
    var trouble: StepTrouble?
    var session: HeldSession?
    var lastError: ServerError?
    /// Why the server's events cannot be heard; nil once a request or an event has come through.
    var connectionError: ServerError?
    var connection = Connection.closed
    /// Whether the present stream of events has brought anything.
    var hasHeardStream = false
    /// When the request on its way was sent, by `uptime`.
    private var sentUptime: UInt64?
    private var hasStopped = false
    var newestSeq: UInt64 = 0
    private var usage: AccountUsage?
    private var waiters: [CheckedContinuation<SyncOutcome, Never>] = []

    /// Starts nothing yet: see ``run()``.
    ///
    /// `clock`: milliseconds since 1970-01-01 00:00 UTC. `uptime`: milliseconds by a monotonic
    /// clock that also runs while the machine sleeps. `firstEventMilliseconds`: how long a stream
    /// may be silent at its beginning before it counts as held back. `renewal`: called after a step
    /// that could not use the database.
    package init(
        device: EnrolledDevice,
        replica: Confined<Replica>,
        transport: any Transport,
        clock: @escaping @Sendable () -> UInt64,
        uptime: @escaping @Sendable () -> UInt64,
        logger: Logger,
        firstEventMilliseconds: UInt64 = SyncEngine.firstEventMilliseconds,
        renewal: @escaping Renewal
    ) {
        self.firstEventMilliseconds = firstEventMilliseconds
        signal = device.news
        confined = replica
        executor = replica.executor
        self.renewal = renewal
        client = ServerClient(transport: transport, origin: device.server.origin)
        signer = .device(device.identity)
        account = device.state.account
        self.clock = clock
        self.uptime = uptime
        self.logger = logger
    }

    /// Syncs until the task is cancelled.
    package func run() async {
        // A join whose answer was lost has not brought all of it; nor has a row that is damaged.
        if (try? replica.wholeCircle()) == nil { replica.askForCircle() }
        await withTaskExecutorPreference(executor) {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.listen() }
                group.addTask { await self.carryRequests() }
                await group.waitForAll()
            }
        }
        hasStopped = true
        resumeWaiters(with: .stopped)
    }

    /// Tells the engine of an unlock: it opens waiting records and sends unsent edits.
    package func noticeUnlock() {
        replica.noticeUnlock()
        signal.raise()
    }

    /// Pushes and pulls until nothing is left, or until something prevents it.
    package func syncNow() async -> SyncOutcome {
        // After the stop nothing would resume the caller.
        guard !hasStopped else { return .stopped }
        replica.wake()
        do {
            try replica.endReconciliationWait()
        } catch {
            return .databaseFailed(StepTrouble(error))
        }
        return await withCheckedContinuation { continuation in
            waiters.append(continuation)
            signal.raise()
        }
    }

    package func status() throws -> Status {
        // Until then it may be this device that it refuses, or an account that it has lost.
        let isRefusalUnexplained = replica.isRefusalUnexplained
        let error = problem ?? connectionError
        return Status(
            state: try replica.state(),
            reconciliation: try replica.reconciliation(),
            uncompared: try replica.uncomparedCount(),
            counts: try replica.counts(),
            report: replica.report,
            lastError: isRefusalUnexplained && error == .refused(.refused) ? nil : error,
            trouble: trouble,
            refusedSinceMilliseconds: isRefusalUnexplained
                ? nil : replica.refusedSinceMilliseconds,
            refusal: isRefusalUnexplained ? nil : replica.refusal,
            connection: connection,
            silentMilliseconds: sentUptime.map { uptime() - min($0, uptime()) } ?? 0,
            newestSeq: newestSeq,
            usage: usage
        )
    }

    /// Runs `body` with the replica, on its queue.
    package func withReplica<Result: Sendable>(
        _ body: @Sendable (Replica) throws -> Result
    ) throws -> Result {
        try body(replica)
    }

    // MARK: Requests

    private func carryRequests() async {
        while !Task.isCancelled {
            do {
                if !waiters.isEmpty { replica.gatherNoMore() }
                switch try replica.nextRequest() {
                case .send(let request): try await carry(request)
                case .waitUntil(let time):
                    try settle()
                    await signal.wait(milliseconds: max(1, time - min(time, clock())))
                case .rest, .awaitAnswer:
                    try settle()
                    await signal.wait()
                }
            } catch {
                await overcome(error)
            }
        }
    }

    /// Replaces the replica; what it has done since the start is counted further.
    func continueWith(_ renewed: Confined<Replica>) {
        renewed.value.report = replica.report
        confined = renewed
    }

    private func carry(_ request: NumberedRequest) async throws {
        sentUptime = uptime()
        let outcome = await outcome(of: request)
        sentUptime = nil
        switch outcome {
        case .success(let answer):
            (lastError, connectionError) = (nil, nil)
            usage = answer.message.usage ?? usage
            try replica.noteRefusal(nil)
            let isUsable = try replica.receive(
                answer.message,
                to: request,
                serverMilliseconds: answer.serverMilliseconds
            )
            if !isUsable {
                lastError = .contradictory(replica.pageFault)
                logger.warning(
                    "an answer contradicts itself",
                    metadata: ["fault": "\(replica.pageFault?.rawValue ?? "push")"]
                )
            }
        case .failure(let error):
            try note(error, of: request.request.step)
            logger.debug("a sync request failed", metadata: ["retry": "\(error.isWorthRetrying)"])
            var answer = SyncAnswer.failed
            switch error {
            // It was not looked at: a later version of one of the two may accept it.
            case .refused(let code, _, _) where code.isAboutVersions: break
            case .refused(let code, _, let records): answer = .refused(code, records: records)
            // A proxy before the server, whose body says nothing to us.
            case .unreadable(status: 413, _): answer = .refused(.tooLarge)
            // The named records wait; the others can be sent.
            case .unknown(let refusal) where !refusal.records.isEmpty:
                answer = .refused(.malformed, records: refusal.records)
            case .unknown(let refusal) where refusal.status == 413: answer = .refused(.tooLarge)
            default: break
            }
            if error == .refused(.unknownCursor), let cursor = request.request.cursor {
                do throws(ServerError) {
                    answer = try await self.answer(unknownCursor: cursor)
                } catch let failure {
                    (lastError, answer) = (failure, .failed)
                }
            }
            // The comparison that begins now is no failure.
            if [.refused(.storeRestored), .refused(.resyncRequired)].contains(answer) {
                (lastError, connectionError) = (nil, nil)
            }
            try replica.receive(answer, to: request, retryAfterSeconds: error.retryAfterSeconds)
        }
    }

    private func outcome(
        of request: NumberedRequest
    ) async -> Result<ServerClient.Answer<SyncAnswer>, ServerError> {
        do throws(ServerError) {
            // Without it the server sends the whole vector.
            let known = request.request.step == .pull ? try? replica.shownVector() : nil
            let send = { (token: String) async throws(ServerError) in
                try await self.client.carry(
                    request.request,
                    request.pullNote,
                    account: self.account,
                    signer: self.signer,
                    token: token,
                    known: known
                )
            }
            // A device that the server has forgotten can open no session.
            guard request.request.step != .returnCircle else { return .success(try await send("")) }
            return .success(try await inSession(send))
        } catch {
            return .failure(error)
        }
    }

    /// Calls `body` with the token of a session, and again with that of a new one if it had ended.
    ///
    /// The present session may have expired, and a removal of this device may end the next one at
    /// once; then the server refuses to open a third, and says why.
    func inSession<Answer>(
        _ body: (_ token: String) async throws(ServerError) -> Answer
    ) async throws(ServerError) -> Answer {
        for _ in 0..<2 {
            do throws(ServerError) {
                return try await body(try await currentSession().token)
            } catch {
                guard error.endsSession else { throw error }
                session = nil
            }
        }
        return try await body(try await currentSession().token)
    }

    /// Handles the server's claim that it does not know a cursor.
    ///
    /// The device signs a statement that the server gave it that cursor. Either the server knows
    /// the cursor after all, or its store went back and it begins a new epoch.
    private func answer(
        unknownCursor cursor: KSRecords.Cursor
    ) async throws(ServerError) -> SyncAnswer {
        let isKnown = try await client.showHistory(cursor, account: account, signer: signer)
        if isKnown { throw .contradictory() }
        return .refused(.storeRestored)
    }

    func currentSession() async throws(ServerError) -> ServerSession {
        if let session, session.endMilliseconds > uptime() { return session.session }
        // Read before the request: the lifetime includes the time in transit.
        let start = uptime()
        let fresh = try await client.openSession(account: account.bytes, signer: signer)
        session = HeldSession(fresh, fromMilliseconds: start)
        return fresh
    }

    /// Nothing is to be done now, and the database could be used.
    private func settle() throws {
        try settleWaiters()
        trouble = nil
    }

    private func settleWaiters() throws {
        guard !waiters.isEmpty else { return }
        if let hold = try replica.state().hold {
            resumeWaiters(with: .held(hold))
        } else if let trouble = replica.circleTrouble {
            resumeWaiters(with: .failed(.circleRefused(trouble)))
        } else if let open = try replica.openRecords() {
            let deletions = try replica.heldDeletionCount()
            let whole = deletions > 0 ? SyncOutcome.deletionsHeld(deletions) : .synced
            resumeWaiters(with: open.isEmpty ? whole : .open(open))
        } else if replica.isLocked, problem == nil {
            resumeWaiters(with: .locked)
        } else if let comparison = try replica.reconciliation(), comparison.step != nil,
            problem == nil
        {
            // It goes on by itself, at once or when the server has been quiet for long enough.
            guard comparison.hasBegunTooOften else { return }
            resumeWaiters(with: .restoredTooOften)
        } else {
            resumeWaiters(with: .failed(problem ?? .refused(.internalError)))
        }
    }

    /// Why the circle was refused, else why the last request failed, else why writes wait although
    /// pulls succeed.
    private var problem: ServerError? {
        replica.circleTrouble.map { .circleRefused($0) } ?? lastError
            ?? replica.refusedWrite.map { .refused($0) }
    }

    func resumeWaiters(with outcome: SyncOutcome) {
        let resumed = waiters
        waiters = []
        for waiter in resumed { waiter.resume(returning: outcome) }
    }
}
