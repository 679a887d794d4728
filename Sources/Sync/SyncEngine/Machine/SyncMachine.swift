internal import KSWire

/// What to do now.
package enum SyncDecision<Sent: Equatable & Sendable>: Equatable, Sendable {
    case send(Sent)
    /// A request is on its way.
    case awaitAnswer
    /// Send nothing before this time, milliseconds since 1970.
    case waitUntil(UInt64)
    /// Do nothing until the next event.
    case rest
}

/// Decides what sync does next.
///
/// It does nothing itself: no clock, no network, no database. Tell it what happened; ask it for the
/// next step.
package struct SyncMachine: Equatable, Sendable {
    package typealias Decision = SyncDecision<Step>

    /// The first wait after a failure; it doubles with each further one.
    package static let retryMilliseconds: UInt64 = 1000
    package static let retryMillisecondsMax: UInt64 = 60_000
    /// The longest wait that a server may ask for, in case it is wrong.
    package static let toldMillisecondsMax: UInt64 = 300_000

    /// How long edits are gathered for one batch while they keep coming; it doubles with each
    /// further batch, up to eight times this.
    ///
    /// The first edit goes at once. A thousand that are made within 0.2 s take five batches.
    package static let gatherMilliseconds: UInt64 = 40

    /// The longest wait before an edit that was refused again and again is sealed once more.
    ///
    /// Each try adds an actor to the account and a stamp to the edit, and neither is ever removed.
    package static let refusedMillisecondsMax: UInt64 = 3_600_000

    /// After this long without a pull, milliseconds, a device pulls once after an announced page.
    package static let pullMilliseconds: UInt64 = 3_600_000

    private var onItsWay: Step?
    /// The preparations that are due, apart from records that wait.
    private var due: Set<Preparation> = [.lookForDamage, .askAgain]
    private var wantsPull = true
    /// A notice came during a pull, which may have missed what is new.
    private var wantsPullAgain = false
    /// The pull is wanted only because of a notice during a push, which may announce that push.
    private var isPullForNotice = false
    /// The highest seq that was announced since the last request was sent.
    private var noticedSeq: UInt64 = 0
    /// Whether the last page since the start was a pull's last one.
    package private(set) var isCaughtUp = false
    /// When a pull was last sent, milliseconds by a clock that is never set.
    private var lastPullUptime: UInt64?
    private var wantsCircle = false
    /// The newest version of the circle for which a page was dropped.
    private var awaitedCircle: UInt64 = 0
    /// Whether the server was asked for that version, and answered without it.
    package private(set) var isCircleWithheld = false
    /// Whether the circle was answered since a page last waited for the unlock.
    package private(set) var hasAskedForCircle = false
    /// Whether the batch on its way waits for the unlock before it is sent again.
    private var pushNeedsKeys = false
    /// Whether the next batch has only the edits that make room in a full account.
    private var makesRoom = false
    /// Whether what a server lost waits to be sent.
    private var isUploadDelayed = false
    private var wantsCircleReturn = false
    private var rewritePull = RewritePull.notDone
    private var failures: UInt64 = 0
    private var retryWait = RetryWait()
    /// Whether the server asked for the wait.
    private var isToldToWait = false
    /// How many writes were refused since the last accepted one, and how long writes wait.
    private var refusals: UInt64 = 0
    private var refusedWait = RetryWait()
    /// How many pushes in a row found newer edits when they were answered.
    private var burst: UInt64 = 0
    private var gatherWait = RetryWait()

    package init() {}

    /// The pull that comes before records are written back.
    private enum RewritePull {
        /// They were not pulled since they were due: another device may have written them back.
        case notDone
        /// A pull is wanted, or on its way.
        case wanted
        /// They have just been pulled.
        case done
    }

    package var isAwaitingAnswer: Bool { onItsWay != nil }

    /// Whether the circle is on its way back to the server, or goes next.
    var returnsCircle: Bool { wantsCircleReturn || onItsWay == .returnCircle }

    /// Whether everything the server was known to have has been pulled.
    package var hasPulled: Bool { !wantsPull && onItsWay == nil }

    /// Whether this device takes a new actor once the batch on its way is answered.
    package var wantsNewActor: Bool { due.contains(.takeNewActor) }

    // MARK: Events

    package mutating func handle(_ event: Event, nowMilliseconds: UInt64) {
        switch event {
        case .serverNotice(let seq): notice(seq)
        case .pushed(let seq):
            guard seq >= noticedSeq else { return }
            if isPullForNotice { wantsPull = false }
            isPullForNotice = false
        case .circleNotice: wantsCircle = true
        case .circleFirst(let version):
            succeeded()
            awaitedCircle = max(awaitedCircle, version)
            (wantsPull, wantsPullAgain, wantsCircle) = (true, false, true)
        case .circleTaken(let version, let isNewer):
            succeeded()
            (wantsCircle, hasAskedForCircle) = (false, true)
            // What was announced and not shown is waited for no more, until the circle grows.
            isCircleWithheld = !isNewer && (isCircleWithheld || version < awaitedCircle)
        case .circleIsOlder:
            onItsWay = nil
            (wantsCircle, hasAskedForCircle, wantsCircleReturn) = (false, true, true)
        case .circleRefused:
            onItsWay = nil
            (wantsCircle, hasAskedForCircle) = (false, true)
        case .pageKept: hasAskedForCircle = false
        case .waitsForUnlock(let step):
            succeeded()
            if step == .push { pushNeedsKeys = true }
        case .unlocked:
            due.insert(.lookForDamage)
            retryNow()
        case .done(let step, let hasMore): done(step, hasMore, nowMilliseconds)
        case .gatherNoMore: gatherWait.end()
        case .failed(let step, let jitter):
            onItsWay = nil
            // The circle is asked for again first: another device may have put it back.
            if step == .returnCircle { (wantsCircleReturn, hasAskedForCircle) = (false, false) }
            let wait = Self.doubled(failures, max: Self.retryMillisecondsMax)
            failures += 1
            isToldToWait = false
            retryWait.begin(Self.spread(wait, jitter), fromMilliseconds: nowMilliseconds)
        case .toldToWait(let seconds, let jitter):
            let wait = Self.spread(Self.toldMilliseconds(seconds), jitter)
            // The longer of the two waits counts.
            if nowMilliseconds + wait > retryWait.endMilliseconds {
                retryWait.begin(wait, fromMilliseconds: nowMilliseconds)
            }
            isToldToWait = true
        case .takenApart(_, let makesRoom, let jitter):
            succeeded()
            (wantsPull, self.makesRoom) = (true, makesRoom)
            // Each try to make room takes an edit made since the last one, so it need not wait.
            if !makesRoom { countRefusal(jitter: jitter, nowMilliseconds: nowMilliseconds) }
        case .madeSmaller:
            succeeded()
            wantsPull = true
        case .serverHeard:
            guard !isToldToWait else { return }
            failures = 0
            retryWait.end()
        case .retryNow: retryNow()
        case .serverWentBack:
            onItsWay = nil
            (wantsPull, wantsPullAgain, isPullForNotice) = (true, false, false)
            (isCaughtUp, hasAskedForCircle, pushNeedsKeys) = (false, false, false)
        }
    }

    private mutating func notice(_ seq: UInt64) {
        if onItsWay == .push || onItsWay == .rewrite, !wantsPull { isPullForNotice = true }
        noticedSeq = max(noticedSeq, seq)
        wantsPull = true
        wantsPullAgain = onItsWay == .pull
    }

    private mutating func done(_ step: Step, _ hasMore: Bool, _ now: UInt64) {
        succeeded()
        switch step {
        case .push, .rewrite:
            refusals = 0
            gather(hasMore, nowMilliseconds: now)
        case .pull:
            wantsPull = hasMore || wantsPullAgain
            wantsPullAgain = false
            isCaughtUp = !hasMore
            if !hasMore, rewritePull == .wanted { rewritePull = .done }
        case .circle: wantsCircle = false
        case .returnCircle:
            wantsCircleReturn = false
            // Whether the server has it now, and what it has.
            (wantsPull, hasAskedForCircle) = (true, false)
        case .raise: break
        }
    }

    private mutating func retryNow() {
        retryWait.end()
        isToldToWait = false
        refusedWait.end()
        gatherWait.end()
        failures = 0
    }

    /// How long a device waits when the server asks for this many seconds, milliseconds.
    static func toldMilliseconds(_ seconds: UInt64) -> UInt64 {
        min(seconds, toldMillisecondsMax / 1000) * 1000
    }

    /// Adds up to half of the wait, so that many devices do not return at the same moment.
    static func spread(_ wait: UInt64, _ jitter: UInt64) -> UInt64 {
        wait + jitter % (wait / 2 + 1)
    }

    /// The wait after this many earlier failures, milliseconds.
    private static func doubled(_ failures: UInt64, max: UInt64) -> UInt64 {
        min(retryMilliseconds << min(failures, 12), max)
    }

    private mutating func succeeded() {
        onItsWay = nil
        failures = 0
        retryWait.end()
        isToldToWait = false
    }

    private mutating func gather(_ hasMore: Bool, nowMilliseconds now: UInt64) {
        guard hasMore else { return burst = 0 }
        gatherWait.begin(Self.gatherMilliseconds << min(burst, 3), fromMilliseconds: now)
        burst += 1
    }

    /// The first refusal adds no wait: sealing the edits again usually removes its reason.
    private mutating func countRefusal(jitter: UInt64, nowMilliseconds now: UInt64) {
        if refusals > 0 {
            let wait = Self.doubled(refusals - 1, max: Self.refusedMillisecondsMax)
            refusedWait.begin(Self.spread(wait, jitter), fromMilliseconds: now)
        }
        refusals += 1
    }

    // MARK: Steps

    /// What is to be done before the next step, if the keys are there.
    package func preparations(_ facts: SyncFacts) -> [Preparation] {
        Preparation.allCases.filter { preparation in
            switch preparation {
            case .openWaiting: facts.hasWaiting
            case .beginDownload:
                facts.reconciling == .batch && !facts.hasBatch && hasAskedForCircle
                    && !wantsCircleReturn
            case .takeNewActor: wantsNewActor && !facts.hasBatch
            case .lookForDamage, .askAgain: due.contains(preparation)
            }
        }
    }

    /// False for a preparation that is not due whatever the tables say.
    func mayBeDue(_ preparation: Preparation) -> Bool {
        switch preparation {
        case .openWaiting, .beginDownload: true
        case .takeNewActor, .lookForDamage, .askAgain: due.contains(preparation)
        }
    }

    package mutating func require(_ preparation: Preparation) { due.insert(preparation) }

    package mutating func finish(_ preparation: Preparation) { due.remove(preparation) }

    /// Whether the next batch has only the edits that make room; asked once for each batch.
    mutating func takeMakesRoom() -> Bool {
        defer { makesRoom = false }
        return makesRoom
    }

    /// Notes how the pull that is due is answered: by a page that came with an event, or by the
    /// server, which is asked at least once in `pullMilliseconds`.
    ///
    /// Only pulls and pushes tell the server what this device has applied.
    mutating func answerPull(isAnnounced: Bool, uptimeMilliseconds now: UInt64) {
        guard isAnnounced else { return lastPullUptime = now }
        if lastPullUptime.map({ now - min($0, now) >= Self.pullMilliseconds }) ?? true {
            wantsPullAgain = true
        }
    }

    /// The next step.
    ///
    /// The circle goes first, since records may need its keys. A pull goes before a push, since
    /// joining first makes fewer siblings. Writing back comes last, and only right after a pull of
    /// its own. While sync is paused, nothing goes.
    ///
    /// When the server went back, a batch on its way goes before the pull, since the server may
    /// have accepted it; and nothing goes before the unlock. What the server lost goes up after a
    /// random wait and a further pull: then another device may have sent it. Its vector is raised
    /// when all of that is there.
    ///
    /// Without keys, a batch that was sealed before is sent, and pages are pulled.
    /// - Returns: what to do; a step in ``SyncDecision/send(_:)`` counts as on its way from now on.
    package mutating func next(_ facts: SyncFacts, nowMilliseconds: UInt64) -> Decision {
        guard onItsWay == nil else { return .awaitAnswer }
        if facts.hasKeys { pushNeedsKeys = false }
        // A cleared cursor means that everything has to be pulled again.
        if !facts.hasCursor || facts.isPullingAll, facts.pause == nil { wantsPull = true }
        if facts.reconciling != nil {
            guard facts.hasKeys, facts.pause == nil else { return .rest }
            if facts.reconciling != .upload, let end = facts.reconcilingWaitMilliseconds {
                return .waitUntil(end)
            }
        }
        let uploadTime = facts.reconciling == .upload ? facts.reconcilingWaitMilliseconds : nil
        if uploadTime == nil, isUploadDelayed { wantsPull = true }
        isUploadDelayed = uploadTime != nil
        let hasUnsent = facts.hasBatch ? !pushNeedsKeys : facts.hasKeys && facts.hasEdits
        let rewriteDue = facts.hasKeys ? facts.rewriteDueMilliseconds : nil
        let waits = [refusedWait, gatherWait].filter { !$0.isOver(atMilliseconds: nowMilliseconds) }
        let writeTime = (waits.map(\.endMilliseconds) + [uploadTime].compactMap(\.self)).max()
        // In the middle of a whole download the cursor does not say what this device has missed.
        let mayWrite = writeTime == nil && !facts.isPullingAll
        let isRewriteDue = writeTime == nil && rewriteDue.map { $0 <= nowMilliseconds } ?? false
        if !isRewriteDue {
            rewritePull = .notDone
        } else if rewritePull == .notDone {
            rewritePull = .wanted
            wantsPull = true
        }
        var wanted: [(step: Step, isWanted: Bool)] = [
            (.returnCircle, wantsCircleReturn),
            // Without keys the circle's key envelopes could not be checked.
            (.circle, wantsCircle && facts.hasKeys), (.pull, wantsPull),
            (.push, hasUnsent && mayWrite), (.rewrite, isRewriteDue && mayWrite),
            (.raise, facts.reconciling == .upload && !facts.hasBatch && !facts.hasPutUps),
        ]
        if facts.reconciling == .batch {
            wanted = [
                (.returnCircle, wantsCircleReturn),
                (.circle, wantsCircle || !hasAskedForCircle), (.push, facts.hasBatch),
            ]
        }
        guard facts.pause == nil else { return .rest }
        guard let step = wanted.first(where: \.isWanted)?.step else {
            if hasUnsent, let writeTime { return .waitUntil(writeTime) }
            guard let rewriteDue else { return .rest }
            return .waitUntil(max(rewriteDue, writeTime ?? 0))
        }
        guard retryWait.isOver(atMilliseconds: nowMilliseconds) else {
            return .waitUntil(retryWait.endMilliseconds)
        }
        onItsWay = step
        noticedSeq = 0
        isPullForNotice = false
        if step == .rewrite { rewritePull = .notDone }
        return .send(step)
    }

    /// Goes back to an earlier state, since the device was locked in the middle of a step.
    ///
    /// What is on the disk since stays, and with it the preparations that are due.
    mutating func goBack(to earlier: SyncMachine) {
        let due = due
        self = earlier
        self.due = due
    }

    /// Forgets the request on its way, which will get no answer.
    package mutating func forgetRequest() {
        onItsWay = nil
    }
}
