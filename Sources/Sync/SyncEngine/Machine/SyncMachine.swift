internal import KSWire

/// What to do now.
package enum NextStep<Sent: Equatable & Sendable>: Equatable, Sendable {
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
    package enum Step: Equatable, Sendable {
        case push
        case pull
        case circle
        /// Push the joined state of records that hold too many siblings.
        case rewrite
    }

    package enum Event: Equatable, Sendable {
        /// An event or an answer says that the server has something new.
        case serverNotice
        /// The answer to the push that has just ended covers all notices that came during it.
        case noticesWereOfPush
        /// The circle has entries that this device has not seen.
        case circleNotice
        /// This device refused the circle's new entries: it asks for them after the next notice.
        case circleRefused
        /// The answer to a step was applied. After a push, `hasMore` says that edits have come
        /// meanwhile which do not fill a batch.
        case done(Step, hasMore: Bool)
        /// Edits are wanted on the server now, however few they are.
        case gatherNoMore
        /// A step got no answer, or one that a retry may change.
        case failed(Step, jitter: UInt64)
        /// The server asks to wait before the next request.
        case toldToWait(seconds: UInt64, jitter: UInt64)
        /// The server refused a batch, whose edits are unsent again; they are sealed after a pull.
        case takenApart(Step, jitter: UInt64)
        /// A batch was too large for a proxy or the account: other batches are sealed of its edits,
        /// after a pull.
        case madeSmaller(Step)
        /// The server was heard again: a wait after failures is over, one that it asked for is not.
        case serverHeard
        /// The user asks to try now.
        case retryNow
    }

    package typealias Decision = NextStep<Step>

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

    private var onItsWay: Step?
    private var wantsPull = true
    /// A notice came during a pull, which may have missed what is new.
    private var wantsPullAgain = false
    /// The pull is wanted only because of a notice during a push, which may announce that push.
    private var isPullForNotice = false
    private var wantsCircle = false
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

    /// Whether everything the server was known to have has been pulled.
    package var hasPulled: Bool { !wantsPull && onItsWay == nil }

    package mutating func handle(_ event: Event, nowMilliseconds: UInt64) {
        switch event {
        case .serverNotice:
            if onItsWay == .push || onItsWay == .rewrite, !wantsPull { isPullForNotice = true }
            wantsPull = true
            wantsPullAgain = onItsWay == .pull
        case .noticesWereOfPush:
            if isPullForNotice { wantsPull = false }
            isPullForNotice = false
        case .circleNotice: wantsCircle = true
        case .done(.push, let hasMore), .done(.rewrite, let hasMore):
            succeeded()
            refusals = 0
            gather(hasMore, nowMilliseconds: nowMilliseconds)
        case .gatherNoMore: gatherWait.end()
        case .done(.pull, let hasMore):
            succeeded()
            wantsPull = hasMore || wantsPullAgain
            wantsPullAgain = false
            if !hasMore, rewritePull == .wanted { rewritePull = .done }
        case .done(.circle, _):
            succeeded()
            wantsCircle = false
        case .circleRefused:
            onItsWay = nil
            wantsCircle = false
        case .failed(_, let jitter):
            onItsWay = nil
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
        case .takenApart(_, let jitter):
            succeeded()
            wantsPull = true
            countRefusal(jitter: jitter, nowMilliseconds: nowMilliseconds)
        case .madeSmaller:
            succeeded()
            wantsPull = true
        case .serverHeard:
            guard !isToldToWait else { return }
            failures = 0
            retryWait.end()
        case .retryNow:
            retryWait.end()
            isToldToWait = false
            refusedWait.end()
            gatherWait.end()
            failures = 0
        }
    }

    /// How long a device waits when the server asks for this many seconds, milliseconds.
    static func toldMilliseconds(_ seconds: UInt64) -> UInt64 {
        min(seconds, toldMillisecondsMax / 1000) * 1000
    }

    /// Adds up to half of the wait, so that many devices do not return at the same moment.
    private static func spread(_ wait: UInt64, _ jitter: UInt64) -> UInt64 {
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

    /// The next step.
    ///
    /// A pull goes before a push, since joining first makes fewer siblings. Writing back comes
    /// last, and only right after a pull of its own.
    /// - Parameters:
    ///   - hasUnsent: a batch is on its way or an edit may be sealed now.
    ///   - rewriteDue: when the next record is to be written back, milliseconds since 1970.
    ///   - nowMilliseconds: milliseconds since 1970.
    /// - Returns: what to do; a step in ``NextStep/send(_:)`` counts as on its way from now on.
    package mutating func next(
        hasUnsent: Bool,
        rewriteDueMilliseconds rewriteDue: UInt64? = nil,
        nowMilliseconds: UInt64
    ) -> Decision {
        guard onItsWay == nil else { return .awaitAnswer }
        let waits = [refusedWait, gatherWait].filter { !$0.isOver(atMilliseconds: nowMilliseconds) }
        let writeTime = waits.map(\.endMilliseconds).max()
        let mayWrite = writeTime == nil
        let isRewriteDue = mayWrite && rewriteDue.map { $0 <= nowMilliseconds } ?? false
        if !isRewriteDue {
            rewritePull = .notDone
        } else if rewritePull == .notDone {
            rewritePull = .wanted
            wantsPull = true
        }
        let step: Step
        if wantsCircle {
            step = .circle
        } else if wantsPull {
            step = .pull
        } else if hasUnsent && mayWrite {
            step = .push
        } else if isRewriteDue {
            step = .rewrite
        } else if hasUnsent, let writeTime {
            return .waitUntil(writeTime)
        } else {
            guard let rewriteDue else { return .rest }
            return .waitUntil(max(rewriteDue, writeTime ?? 0))
        }
        guard retryWait.isOver(atMilliseconds: nowMilliseconds) else {
            return .waitUntil(retryWait.endMilliseconds)
        }
        onItsWay = step
        isPullForNotice = false
        if step == .rewrite { rewritePull = .notDone }
        return .send(step)
    }

    /// Forgets the request on its way, which will get no answer.
    package mutating func forgetRequest() {
        onItsWay = nil
    }
}
