package import KSTransport
package import KSWire

/// Why a call to the server failed.
package enum ServerError: Error, Equatable {
    /// There was no answer.
    case transport(TransportError)
    /// The server answered with this code, and perhaps with a time to wait.
    ///
    /// For a batch it may name the records that it refuses, each once, by counter.
    case refused(ErrorCode, retryAfterSeconds: UInt64? = nil, records: [RefusedRecord] = [])
    /// The server refused with a code that this version does not know.
    case unknown(UnknownRefusal)
    /// The server does not have this part of the protocol, so nothing was asked of it.
    case lacks(SpokenProtocol.Feature)
    /// The answer is not one of this protocol: another service's, or a damaged one.
    case unreadable(status: Int, retryAfterSeconds: UInt64? = nil)
    /// The answer contradicts itself, so none of it was applied.
    ///
    /// For a page, its fault is given.
    case contradictory(PageFault? = nil)
    /// This device refused the server's newest circle; records still sync.
    case circleRefused(CircleTrouble)

    package var isWorthRetrying: Bool {
        switch self {
        case .transport(let error): error.isWorthRetrying
        case .refused(let code, _, _): code.isWorthRetrying
        case .unknown(let refusal): refusal.isWorthRetrying
        case .lacks: false
        case .unreadable(let status, _): status >= 500
        case .contradictory, .circleRefused: true
        }
    }

    /// How long the server asks to wait before the next call; nil if it did not say.
    var retryAfterSeconds: UInt64? {
        switch self {
        case .transport(.unexpectedStatus(_, let seconds)), .refused(_, let seconds, _),
            .unreadable(_, let seconds):
            seconds
        case .unknown(let refusal): refusal.retryAfterSeconds
        case .transport, .lacks, .contradictory, .circleRefused: nil
        }
    }

    /// Whether the session has ended.
    var endsSession: Bool {
        switch self {
        case .refused(.unauthenticated, _, _): true
        case .unknown(let refusal): refusal.status == 401
        default: false
        }
    }
}

/// A refusal of which this version does not know the code: it was added later.
package struct UnknownRefusal: Equatable, Sendable {
    /// The server's short code; ``ServerClient`` checks that it can be shown.
    package let code: String
    package let status: Int
    /// Whether the same request may succeed later by itself.
    package let isWorthRetrying: Bool
    package let retryAfterSeconds: UInt64?
    /// The records of a batch that it names; `malformed` stands for an unknown reason.
    package let records: [RefusedRecord]

    /// `canPass`: the server's hint; without it the class of the status decides.
    package init(
        code: String,
        status: Int,
        canPass: Bool? = nil,
        retryAfterSeconds: UInt64? = nil,
        records: [RefusedRecord] = []
    ) {
        (self.code, self.status, self.records) = (code, status, records)
        self.retryAfterSeconds = retryAfterSeconds
        isWorthRetrying = canPass ?? (status >= 500 || [401, 429].contains(status))
    }
}
