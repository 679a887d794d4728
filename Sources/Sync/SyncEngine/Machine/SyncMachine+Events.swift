extension SyncMachine {
    /// A request to the server.
    package enum Step: Equatable, Sendable {
        case push
        case pull
        case circle
        /// Push the joined state of records that hold too many siblings.
        case rewrite
        /// Raise the vector of a server that went back to the device's own.
        case raise
        /// Put entries of the circle back that the server has lost.
        case returnCircle
    }

    package enum Event: Equatable, Sendable {
        /// The server has something new: writes up to this seq, if that is known.
        case serverNotice(seq: UInt64 = .max)
        /// The push that has just ended left no gap up to this seq: what was announced below it
        /// was that push.
        case pushed(upTo: UInt64)
        /// The circle has entries that this device has not seen.
        case circleNotice
        /// A page was dropped since its records may need the keys of this version of the circle.
        case circleFirst(version: UInt64)
        /// The circle is known up to this version now.
        case circleTaken(version: UInt64, isNewer: Bool)
        /// The server shows an older circle than this device knows, or may have lost its own entry.
        case circleIsOlder
        /// This device refused the circle's new entries: it asks for them after the next notice.
        case circleRefused
        /// The records of a page wait for the unlock.
        case pageKept
        /// Without keys, the step's answer could not be applied, or its request not be made.
        case waitsForUnlock(Step)
        /// The keys are back.
        case unlocked
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
        /// In a full account those that make room go first, without a wait.
        case takenApart(Step, makesRoom: Bool = false, jitter: UInt64)
        /// A batch was too large for a proxy: its edits are sealed in smaller ones, after a pull.
        case madeSmaller(Step)
        /// The server was heard again: a wait after failures is over, one that it asked for is not.
        case serverHeard
        /// The user asks to try now.
        case retryNow
        /// The server went back: all records are to be compared with its own.
        case serverWentBack
    }

    /// What the device does with its own rows before a step, in this order.
    ///
    /// It needs the keys.
    package enum Preparation: CaseIterable, Sendable {
        /// Apply the records that were pulled while the device was locked.
        case openWaiting
        /// Prepare the download of all records of a server that went back, once the circle was
        /// asked for and the batch on its way is answered.
        case beginDownload
        /// Continue under a new actor, once the batch on its way is answered.
        case takeNewActor
        /// Pull everything if a damaged record waits for it: after a start or an unlock.
        case lookForDamage
        /// Pull everything if something is quarantined: after a start.
        case askAgain
    }
}
