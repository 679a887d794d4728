package import KSCausality
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

/// What the server says of an accepted batch.
package struct PushAnswer: Equatable, Sendable {
    /// A record after the push.
    package struct Accepted: Equatable, Sendable {
        package let seq: UInt64
        /// Its siblings, in order.
        package let dots: [Dot]

        package init(seq: UInt64, dots: [Dot]) {
            self.seq = seq
            self.dots = dots
        }
    }

    /// One for each envelope, in the batch's order.
    package let records: [Accepted]
    /// At the last of them.
    package let cursor: Cursor
    package let circleVersion: UInt64

    package init(records: [Accepted], cursor: Cursor, circleVersion: UInt64) {
        self.records = records
        self.cursor = cursor
        self.circleVersion = circleVersion
    }
}

/// A page of changes.
package struct PageAnswer: Equatable, Sendable {
    /// A record at its latest seq.
    package struct Record: Equatable, Sendable {
        package let id: RecordID
        package let seq: UInt64
        package let siblings: [Envelope]

        package init(id: RecordID, seq: UInt64, siblings: [Envelope]) {
            self.id = id
            self.seq = seq
            self.siblings = siblings
        }
    }

    package let records: [Record]
    package let cursor: Cursor
    package let hasMore: Bool
    package let vector: VersionVector
    package let circleVersion: UInt64

    package init(
        records: [Record],
        cursor: Cursor,
        hasMore: Bool,
        vector: VersionVector,
        circleVersion: UInt64
    ) {
        self.records = records
        self.cursor = cursor
        self.hasMore = hasMore
        self.vector = vector
        self.circleVersion = circleVersion
    }
}
