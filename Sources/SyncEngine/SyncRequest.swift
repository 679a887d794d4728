package import KSRecords
package import KSWire

/// What a replica asks of the server.
package enum SyncRequest: Equatable, Sendable {
    /// Upload the batch on its way, unchanged on every retry.
    case push(Batch, applied: Cursor?)
    /// A page of changes after the cursor; from the beginning without one.
    case pull(after: Cursor?)
    /// The circle's entries after this version.
    case circle(after: UInt64)
}

extension SyncRequest {
    /// Up to where the replica says to have applied; nil where it says nothing.
    var cursor: Cursor? {
        switch self {
        case .push(_, let cursor), .pull(let cursor): cursor
        case .circle: nil
        }
    }
}

/// A request with the number that its answer has to bear.
///
/// A replica has one request on its way at a time. An answer to any other is thrown away: it speaks
/// of a state that has been stepped over since.
package struct NumberedRequest: Equatable, Sendable {
    package let number: UInt64
    package let request: SyncRequest
}

/// What came of a request.
package enum SyncAnswer: Equatable, Sendable {
    case pushed(PushAnswer)
    case page(PageAnswer)
    case circle([SignedEntry])
    /// The server answered with an error, and may have named the records of the batch that it
    /// cannot take.
    case refused(ErrorCode, records: [RefusedRecord] = [])
    /// No answer, or none that could be read.
    case failed
}
