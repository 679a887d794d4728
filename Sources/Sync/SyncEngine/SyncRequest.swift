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
}

extension SyncRequest {
    /// The cursor up to which the replica has applied; nil if the request states none.
    var cursor: Cursor? {
        switch self {
        case .push(_, let cursor), .pull(let cursor): cursor
        case .circle: nil
        }
    }

    var step: SyncMachine.Step {
        switch self {
        case .push: .push
        case .pull: .pull
        case .circle: .circle
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
}

/// The result of a request.
package enum SyncAnswer: Equatable, Sendable {
    case pushed(PushAnswer)
    case page(PageAnswer)
    /// The circle's entries, and the key envelope of the newest one for this device.
    case circle([SignedEntry], KeyEnvelope? = nil)
    /// The server answered with an error, and perhaps named the records that it refuses.
    case refused(ErrorCode, records: [RefusedRecord] = [])
    /// No answer, or none that could be read.
    case failed
}
