internal import KSCausality
package import KSDigests
package import GRDB
package import KSRecords
package import KSDeviceKeys
internal import KSSealing
package import KSWire

/// One device's side of sync, with synchronous calls; its only input and output is the database.
///
/// Use it like this: send what ``nextRequest()`` returns, give the result to ``receive(_:to:)``,
/// and repeat. Any request may be lost, late or answered twice.
package final class Replica {
    let database: any DatabaseWriter
    let stores: [any SyncedStore]
    package internal(set) var keys: ReplicaKeys
    /// The circle as far as this device has checked it.
    package internal(set) var circle: CircleChain
    let shelf: RecordShelf
    let clock: @Sendable () -> UInt64
    let uptime: @Sendable () -> UInt64
    let random: any RandomSource
    let writeBack: WriteBackRule
    let pins: LocalKeyFile
    var machine = SyncMachine()
    var requestNumber: UInt64 = 0
    /// The vector of the last page of a pull under way: the next one shows no less.
    var pulledVector = VersionVector()
    /// The last page that came with an event, until a pull is due.
    var announced: AnnouncedPage?
    var serverDate = ServerDate()
    /// Why the server's circle was refused; nil once one is accepted.
    package internal(set) var circleTrouble: CircleTrouble?
    /// The circle that was refused only for the key envelopes of its newest entry.
    var refusedCircle: CircleChain?
    /// Who is proven to have signed false keys in it.
    var provenAuthor: MemberID?
    /// Why the server refused the last write; nil once it accepts one.
    package internal(set) var refusedWrite: ErrorCode?
    /// For how many bytes the account had room at the last page; nil if that is unknown, or if
    /// there is no limit.
    var room: UInt64?
    /// When the server began to refuse this device, milliseconds since 1970; nil if it does not.
    package internal(set) var refusedSinceMilliseconds: UInt64?
    /// What it refuses; nil while it accepts this device.
    package internal(set) var refusal: Refusal?
    /// How large a request may be.
    var sizes = RequestSizes()
    var isAnswerUsable = true
    /// Whether a new actor is wanted because another copy may write as this one.
    var isCopy = false
    /// When the server last said whether it takes the circle back.
    var returnAnswerUptime: UInt64?
    /// When the last pull succeeded, if that was not saved; milliseconds since 1970.
    var unsavedSuccess: UInt64?
    /// The fault of the last answer, if that was a page which contradicts itself.
    package internal(set) var pageFault: PageFault?
    /// What sync has done since the start.
    package internal(set) var report = SyncReport()

    /// Opens the replica of a device that has joined its account.
    ///
    /// - Parameters:
    ///   - database: the database of the stores, with the tables of ``SyncSchema``.
    ///   - stores: the stores to sync.
    ///   - keys: the keys of the account and the device.
    ///   - circle: the checked chain from the database, as it is now.
    ///   - pins: the file of the device secret. It keeps the pins outside the database, so that a
    ///     copied database is noticed.
    ///   - clock: milliseconds since 1970-01-01 00:00 UTC.
    ///   - uptime: milliseconds by a monotonic clock that also runs while the machine sleeps; it
    ///     may begin at any value at each start.
    ///   - random: for actors, stamps, jitter and boxes.
    ///   - writeBack: other than the standard one only in tests.
    /// - Throws: ``SyncEngineError/noAccount`` before the device has joined one;
    ///   ``SyncEngineError/corruptDatabase`` if the circle is not the one that the database states.
    package init(
        database: any DatabaseWriter,
        stores: [any SyncedStore],
        keys: ReplicaKeys,
        circle: CircleChain,
        pins: LocalKeyFile,
        clock: @escaping @Sendable () -> UInt64,
        uptime: @escaping @Sendable () -> UInt64,
        random: any RandomSource,
        writeBack: WriteBackRule = .standard
    ) throws {
        self.database = database
        self.stores = stores
        self.keys = keys
        self.circle = circle
        shelf = RecordShelf(rows: keys.rows)
        self.clock = clock
        self.uptime = uptime
        self.random = random
        self.writeBack = writeBack
        self.pins = pins
        // A replica with an older circle would append the newer entries again.
        guard try state().circleHash == circle.newestHash else {
            throw SyncEngineError.corruptDatabase
        }
        self.keys.cipher.floors = RecordFloors(circle)
        try loadRefusal()
        try loadSizeLimit()
        try noticeCopiedDatabase()
        _ = try withKeys { try prepare([.takeNewActor]) }
    }

    /// What to send next, if anything.
    ///
    /// - Returns: a request, or when to ask again.
    package func nextRequest() throws -> NextRequest {
        while true {
            let unlocked = try withKeys {
                let facts = try prepare()
                return try decideRequest(hasKeys: true, facts)
            }
            let next = try unlocked ?? decideRequest(hasKeys: false)
            guard case .send(let request) = next, case .pull(let cursor) = request.request,
                try receiveAnnounced(insteadOf: request, after: cursor)
            else { return next }
        }
    }

    /// `known`: what the tables say, if it was read just now.
    private func decideRequest(
        hasKeys: Bool,
        _ known: SyncFacts? = nil
    ) throws -> NextRequest {
        var known = known
        while true {
            var facts = try known ?? facts()
            known = nil
            facts.hasKeys = hasKeys
            if hasKeys, facts.pause == nil {
                facts.rewriteDueMilliseconds = try rewriteDueMilliseconds()
                if !facts.hasBatch, !facts.hasEdits { refusedWrite = nil }
            }
            switch machine.next(facts, nowMilliseconds: clock()) {
            case .awaitAnswer: return .awaitAnswer
            case .waitUntil(let time): return .waitUntil(time)
            case .rest: return .rest
            case .send(let step):
                guard let request = try request(for: step, hasKeys: hasKeys) else {
                    if machine.isAwaitingAnswer { tell(.done(step, hasMore: false)) }
                    continue
                }
                requestNumber += 1
                var numbered = NumberedRequest(number: requestNumber, request: request)
                if step == .pull { numbered.pullNote = try pullNote() }
                return .send(numbered)
            }
        }
    }

    private func request(for step: SyncMachine.Step, hasKeys: Bool) throws -> SyncRequest? {
        switch step {
        case .pull: return .pull(after: try state().cursor)
        case .circle:
            // A server that went back may have lost entries, or have others.
            let isWhole = try circleTrouble != nil || reconciliation()?.step == .batch
            return .circle(after: isWhole ? 0 : circle.newest.version)
        case .returnCircle:
            if let request = try returnRequest() { return request }
            if try reconciliation()?.step == .batch { circleTrouble = .olderShown }
            fail(.returnCircle)
            return nil
        case .push, .rewrite:
            let batch = try step == .push ? batchToSend(hasKeys: hasKeys) : rewriteBatch()
            guard let batch else { return nil }
            sizes.requestsOfBatch += 1
            // Reads the cursor again: sealing may have found damage and cleared it.
            let state = try state()
            let reconciliation = try reconciliation()
            let isOfEarlierEpoch =
                reconciliation?.step == .batch && reconciliation?.reason != .resyncRequired
            return .push(batch, applied: isOfEarlierEpoch ? nil : state.cursor)
        case .raise: return try raiseRequest()
        }
    }

    /// Whether the result of this request is still to come.
    package func awaits(_ request: NumberedRequest) -> Bool {
        request.number == requestNumber && machine.isAwaitingAnswer
    }

    /// Applies the result of a request: the answer, or its absence.
    ///
    /// An answer to any request but the last one sent is ignored. The server's date, if it gave
    /// one, caps the clock readings that go into stamps. If it asked for a wait, nothing is sent
    /// before that is over.
    /// - Returns: false if the answer contradicts itself or is missing; the request is repeated
    ///   later.
    @discardableResult
    package func receive(
        _ answer: SyncAnswer,
        to request: NumberedRequest,
        serverMilliseconds: UInt64? = nil,
        retryAfterSeconds: UInt64? = nil
    ) throws -> Bool {
        guard awaits(request) else { return true }
        isAnswerUsable = true
        pageFault = nil
        if let serverMilliseconds, serverMilliseconds <= HybridTime.clockMillisecondsMax {
            serverDate.hear(serverMilliseconds, atUptime: uptime())
        }
        let isTaken = try withKeys {
            try prepare([.openWaiting])
            try take(answer, to: request.request)
            return true
        }
        if isTaken == nil { try keep(answer, to: request.request) }
        _ = try withKeys { try prepare([.takeNewActor]) }
        if let retryAfterSeconds {
            tell(.toldToWait(seconds: retryAfterSeconds, jitter: random.integer()))
        }
        return isAnswerUsable
    }

    private func take(_ answer: SyncAnswer, to request: SyncRequest) throws {
        switch (request, answer) {
        case (.push(let batch, _), .pushed(let accepted)): try receivePushed(accepted, of: batch)
        case (.pull(let after), .page(let page)): try receivePage(page, after: after, hasKeys: true)
        case (.circle(let version), .circle(let entries, let envelope, let shown)):
            try receiveCircle(entries, envelope, shown, after: version)
        case (.returnCircle, .circleReturned):
            if circleTrouble == .olderShown { circleTrouble = nil }
            noteReturnAnswer()
            tell(.done(.returnCircle, hasMore: false))
        case (.raise(let vector, _), .raised):
            try endReconciliation(raisedTo: vector)
            tell(.done(.raise, hasMore: false))
        case (.push(let batch, _), .refused(.tooLarge, let records)) where records.isEmpty:
            try receiveTooLarge(batch)
        case (_, .refused(let code, let records)):
            try receiveRefusal(code, naming: records, of: request)
        default: fail(request.step)
        }
    }

    /// Tells the replica that the server has writes up to this seq, or a newer circle.
    ///
    /// `page`: the page of these writes, if it came with the event.
    package func notice(seq: UInt64, circleVersion: UInt64, _ page: AnnouncedPage? = nil) throws {
        announced = page ?? announced
        let state = try state()
        if seq > state.cursor?.seq ?? 0 || state.cursor == nil { tell(.serverNotice(seq: seq)) }
        if circleVersion > state.circleVersion { tell(.circleNotice) }
    }

    /// Asks for a pull at the next opportunity, without waiting out a failure.
    ///
    /// The server is asked itself: a page that came with an event does not say how full the account
    /// is, and how large it may be now.
    package func wake() {
        announced = nil
        returnAnswerUptime = nil
        tell(.retryNow)
        tell(.serverNotice())
    }

    /// Asks for newer entries of the circle, which may come while sync is paused too.
    func askForCircle() { tell(.circleNotice) }

    /// Ends the wait after failures: the server is in reach again.
    ///
    /// `isConnected`: its events were not heard for a while. Then one pull shows what was missed,
    /// also that the server went back.
    package func noticeServer(isConnected: Bool = false) {
        tell(.serverHeard)
        if isConnected { tell(.serverNotice()) }
    }

    /// Sends the unsent edits now instead of gathering further ones for the batch.
    package func gatherNoMore() { tell(.gatherNoMore) }

    /// Whether nothing is left to send or to pull, apart from the open records.
    package func isQuiet() throws -> Bool {
        try openRecords() != nil
    }

    /// The records that stay open once nothing else is left to send or to pull; nil before that.
    package func openRecords() throws -> OpenRecords? {
        guard machine.hasPulled else { return nil }
        return try database.unsafeRead { database in
            guard try !self.shelf.batches.exists(in: database),
                try self.shelf.outbox.isEmpty(in: database),
                try ReconciliationTable.load(from: database)?.step == nil
            else { return nil }
            return try self.openRecords(in: database)
        }
    }

    func openRecords(in database: Database) throws -> OpenRecords {
        OpenRecords(
            blocked: try shelf.outbox.blocked(in: database),
            quarantined: try Quarantine.records(in: database),
            requestBytesRefused: sizeLimit?.requestBytesRefused
        )
    }

    /// Reads single records.
    package func read<Result>(_ body: (RecordShelf, Database) throws -> Result) throws -> Result {
        try database.unsafeRead { try body(shelf, $0) }
    }

    /// Marks the present conflicts of these records as seen.
    package func markLookedAt(_ records: [RecordID]) throws {
        try database.write { database in
            for record in records {
                guard let mirror = try self.shelf.mirror(of: record, in: database),
                    let store = self.stores[mirror.kind],
                    let conflict = type(of: store).conflictFingerprint(of: mirror.state)
                else { continue }
                try self.shelf.mirrors.markLookedAt(record, conflict: conflict, in: database)
            }
        }
    }

    package func state() throws -> SyncState {
        try database.unsafeRead { try self.state(in: $0) }
    }

    /// Whether another copy may write as its actor: this one takes a new one once the batch on its
    /// way is answered and the device is unlocked.
    package var wantsNewActor: Bool { machine.wantsNewActor }

    /// Forgets the request that ``nextRequest()`` returned, after the database failed.
    package func giveUpRequest() {
        machine.forgetRequest()
    }

    func fail(_ step: SyncMachine.Step) {
        isAnswerUsable = false
        tell(.failed(step, jitter: random.integer()))
    }

    func tell(_ event: SyncMachine.Event) {
        machine.handle(event, nowMilliseconds: clock())
    }

    /// Changes the state in one transaction, together with what `body` does.
    func changeState<Result>(
        _ body: (inout SyncState, Database) throws -> Result
    ) throws -> Result {
        try database.write { database in
            var state = try self.state(in: database)
            let result = try body(&state, database)
            try SyncStateTable.save(state, in: database)
            return result
        }
    }
}

extension Replica {
    func state(in database: Database) throws -> SyncState {
        var state = try SyncStateTable.load(from: database).orNoAccount()
        if let unsavedSuccess { state.lastSuccessMilliseconds = unsavedSuccess }
        return state
    }

    /// The account vector as far as the server has shown it.
    func shownVector() throws -> VersionVector {
        try database.unsafeRead { try SyncStateTable.shownVector(from: $0) }
    }
}

/// The result of ``Replica/nextRequest()``.
package typealias NextRequest = SyncDecision<NumberedRequest>

extension Optional where Wrapped == SyncState {
    package func orNoAccount() throws(SyncEngineError) -> SyncState {
        guard let self else { throw .noAccount }
        return self
    }
}
