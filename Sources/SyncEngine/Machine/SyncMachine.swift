internal import KSWire

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
        /// The server has something new, says an event or an answer.
        case serverNotice
        /// The circle has entries that this device has not seen.
        case circleNotice
        /// The circle's new entries were not taken: they are asked for after the next notice.
        case circleRefused
        /// The answer to a step came and was applied.
        case done(Step, hasMore: Bool)
        /// A step got no answer, or one that another try may change.
        case failed(Step, jitter: UInt64)
        /// The server asks not to be asked again before so much time has gone.
        case toldToWait(seconds: UInt64, jitter: UInt64)
        /// The server refused a write, and what it refused has been taken apart: it is to be sealed
        /// anew, after a pull.
        case dealtWith(Step, jitter: UInt64)
        /// The user, or a connection that came back, asks to try now.
        case retryNow
    }

    /// What to do now.
    package enum Decision: Equatable, Sendable {
        case send(Step)
        /// A request is on its way.
        case awaitAnswer
        /// Nothing before this time, milliseconds since 1970.
        case waitUntil(UInt64)
        /// Nothing until something happens.
        case rest
    }

    /// The first wait after a failure; it doubles with each further one.
    package static let retryMilliseconds: UInt64 = 1000
    package static let retryMillisecondsMax: UInt64 = 60_000
    /// The longest that a server may ask for: one whose word is wrong is asked again after that.
    package static let toldMillisecondsMax: UInt64 = 300_000

    /// The longest wait before what was refused again and again is sealed once more.
    ///
    /// Each time costs the account an actor and the edit a stamp, and both stay for good.
    package static let refusedMillisecondsMax: UInt64 = 3_600_000

    private var onItsWay: Step?
    private var wantsPull = true
    /// Something new was told of while a pull was on its way, which may have missed it.
    private var wantsPullAgain = false
    private var wantsCircle = false
    private var rewriteSight = RewriteSight.old
    private var failures: UInt64 = 0
    private var retryWait = RetryWait()
    /// Refused writes since one was taken, and what only writes wait for because of them.
    private var refusals: UInt64 = 0
    private var refusedWait = RetryWait()

    /// What is known of the records that are to be written back.
    private enum RewriteSight {
        /// Nothing since they were due: somebody else may have done it.
        case old
        /// A pull is wanted, or on its way.
        case asked
        /// They have just been pulled.
        case fresh
    }

    package init() {}

    package var isAwaitingAnswer: Bool { onItsWay != nil }

    /// Whether everything the server was known to have has been pulled.
    package var hasPulled: Bool { !wantsPull && onItsWay == nil }

    package mutating func handle(_ event: Event, nowMilliseconds: UInt64) {
        switch event {
        case .serverNotice:
            wantsPull = true
            wantsPullAgain = onItsWay == .pull
        case .circleNotice:
            wantsCircle = true
        case .done(.push, _), .done(.rewrite, _):
            succeeded()
            refusals = 0
        case .done(.circle, hasMore: true):
            succeeded()
        case .done(.pull, let hasMore):
            succeeded()
            wantsPull = hasMore || wantsPullAgain
            wantsPullAgain = false
            if !hasMore, rewriteSight == .asked { rewriteSight = .fresh }
        case .done(.circle, hasMore: false):
            succeeded()
            wantsCircle = false
        case .circleRefused:
            onItsWay = nil
            wantsCircle = false
        case .failed(_, let jitter):
            onItsWay = nil
            let wait = Self.doubled(failures, max: Self.retryMillisecondsMax)
            failures += 1
            retryWait.begin(Self.spread(wait, jitter), fromMilliseconds: nowMilliseconds)
        case .toldToWait(let seconds, let jitter):
            let wait = Self.spread(Self.toldMilliseconds(seconds), jitter)
            // Of the two waits the longer one.
            if nowMilliseconds + wait > retryWait.endMilliseconds {
                retryWait.begin(wait, fromMilliseconds: nowMilliseconds)
            }
        case .dealtWith(_, let jitter):
            succeeded()
            wantsPull = true
            dealtWithRefusal(jitter: jitter, nowMilliseconds: nowMilliseconds)
        case .retryNow:
            retryWait.end()
            refusedWait.end()
            failures = 0
        }
    }

    /// What a server's word makes a device wait, milliseconds.
    static func toldMilliseconds(_ seconds: UInt64) -> UInt64 {
        min(seconds, toldMillisecondsMax / 1000) * 1000
    }

    /// Up to a half more, so that many devices do not come back at one moment.
    private static func spread(_ wait: UInt64, _ jitter: UInt64) -> UInt64 {
        wait + jitter % (wait / 2 + 1)
    }

    /// The wait after so many failures before, milliseconds.
    private static func doubled(_ failures: UInt64, max: UInt64) -> UInt64 {
        min(retryMilliseconds << min(failures, 12), max)
    }

    private mutating func succeeded() {
        onItsWay = nil
        failures = 0
        retryWait.end()
    }

    /// The first refusal has a reason that goes away when the write is made anew: it is, at once.
    private mutating func dealtWithRefusal(jitter: UInt64, nowMilliseconds now: UInt64) {
        if refusals > 0 {
            let wait = Self.doubled(refusals - 1, max: Self.refusedMillisecondsMax)
            refusedWait.begin(Self.spread(wait, jitter), fromMilliseconds: now)
        }
        refusals += 1
    }

    /// The next step.
    ///
    /// A pull goes before a push: joining what is there first makes fewer siblings. What is to be
    /// written back comes last, and only right after a pull of its own.
    /// - Parameters:
    ///   - hasUnsent: a batch is on its way or an edit may be sealed now.
    ///   - rewriteDue: when the next record is to be written back, milliseconds since 1970.
    ///   - nowMilliseconds: milliseconds since 1970.
    /// - Returns: what to do; ``Decision/send(_:)`` is then counted as being on its way.
    package mutating func next(
        hasUnsent: Bool,
        rewriteDueMilliseconds rewriteDue: UInt64? = nil,
        nowMilliseconds: UInt64
    ) -> Decision {
        guard onItsWay == nil else { return .awaitAnswer }
        let mayWrite = refusedWait.isOver(atMilliseconds: nowMilliseconds)
        let isRewriteDue = mayWrite && rewriteDue.map { $0 <= nowMilliseconds } ?? false
        if !isRewriteDue {
            rewriteSight = .old
        } else if rewriteSight == .old {
            rewriteSight = .asked
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
        } else if hasUnsent {
            return .waitUntil(refusedWait.endMilliseconds)
        } else {
            guard let rewriteDue else { return .rest }
            return .waitUntil(mayWrite ? rewriteDue : max(rewriteDue, refusedWait.endMilliseconds))
        }
        guard retryWait.isOver(atMilliseconds: nowMilliseconds) else {
            return .waitUntil(retryWait.endMilliseconds)
        }
        onItsWay = step
        if step == .rewrite { rewriteSight = .old }
        return .send(step)
    }

    /// Gives up the request on its way, unanswered, after a restart of what carries it.
    package mutating func forgetRequest() {
        onItsWay = nil
    }
}
