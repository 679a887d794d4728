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
    /// The answer is not one of this protocol: another service, or a newer server.
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
        case .transport, .contradictory, .circleRefused: nil
        }
    }
}

extension ErrorCode {
    /// Whether the same request may succeed later by itself.
    package var isWorthRetrying: Bool {
        switch self {
        case .tooManyRequests, .storageFailed, .internalError, .unavailable, .unauthenticated,
            .accountSuspended:
            true
        default: false
        }
    }
}
