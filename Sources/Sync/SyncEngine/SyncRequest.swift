package import KSCausality
package import KSRecords
package import KSWire

/// A replica's request to the server.
package enum SyncRequest: Equatable, Sendable {
    /// Upload the batch on its way, unchanged on every retry.
    case push(Batch, applied: Cursor?)
    /// A page of changes after the cursor; from the beginning without one.
    case pull(after: Cursor?)
    /// The circle's entries after this version.
    case circle(after: UInt64)
    /// Raise the account vector to this one, of writes that a store of this epoch has lost.
    case raise(to: VersionVector, epoch: StoreEpoch)
    /// Put entries of the circle back that the server has lost.
    case returnCircle(CircleReturn)
}

extension SyncRequest {
    /// The cursor up to which the replica has applied; nil if the request states none.
    var cursor: Cursor? {
        switch self {
        case .push(_, let cursor), .pull(let cursor): cursor
        case .circle, .raise, .returnCircle: nil
        }
    }

    var step: SyncMachine.Step {
        switch self {
        case .push: .push
        case .pull: .pull
        case .circle: .circle
        case .raise: .raise
        case .returnCircle: .returnCircle
        }
    }
}

/// A request with the number that its answer must carry.
///
/// A replica has one request on its way at a time. It drops the answer to an earlier request, which
/// is outdated.
package struct NumberedRequest: Equatable, Sendable {
    package let number: UInt64
    package let request: SyncRequest
    /// Of a pull.
    package var pullNote = PullNote()
}

/// What a pull says beside its cursor, for the removal of deleted records.
package struct PullNote: Equatable, Sendable {
    /// Of a device that pulls everything again, the seq up to which it has missed no removal;
    /// otherwise nil, and the cursor says it.
    package var completeSeq: UInt64?
    /// Whether a batch without an answer was sealed before this pull: what the pull brings does not
    /// count as applied.
    package var hasBatch = false

    package init() {}
}

/// The result of a request.
package enum SyncAnswer: Equatable, Sendable {
    case pushed(PushAnswer)
    case page(PageAnswer)
    /// The circle's entries, and the key envelope of the newest one for this device.
    ///
    /// And what the server keeps beside it, for the day when it has lost it.
    case circle([SignedEntry], KeyEnvelope? = nil, CircleState? = nil)
    /// The circle was put back.
    case circleReturned
    /// The account vector was raised.
    case raised
    /// The server answered with an error, and perhaps named the records that it refuses.
    case refused(ErrorCode, records: [RefusedRecord] = [])
    /// No answer, or none that could be read.
    case failed

    /// How full the account is; nil if the answer does not say.
    var usage: AccountUsage? {
        switch self {
        case .pushed(let answer): answer.usage
        case .page(let page): page.usage
        default: nil
        }
    }
}
