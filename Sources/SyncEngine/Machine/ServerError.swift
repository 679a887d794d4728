package import KSTransport
package import KSWire

/// Why the server did not do what it was asked.
package enum ServerError: Error, Equatable {
    /// There was no answer.
    case transport(TransportError)
    /// The server answered with this code, and may have said when to ask again.
    ///
    /// Of a batch it may name the records that cannot be taken, each once, by counter.
    case refused(ErrorCode, retryAfterSeconds: UInt64? = nil, records: [RefusedRecord] = [])
    /// The answer is not one of this protocol: another service, or a newer server.
    case unreadable(status: Int, retryAfterSeconds: UInt64? = nil)
    /// The answer can be read and makes no sense: nothing of it was taken.
    ///
    /// Of a page it is said what is wrong with it.
    case contradictory(PageFault? = nil)
    /// The server's newest circle was not taken; records go on.
    case circleRefused(CircleTrouble)

    package var isWorthRetrying: Bool {
        switch self {
        case .transport(let error): error.isWorthRetrying
        case .refused(let code, _, _): code.isWorthRetrying
        case .unreadable(let status, _): status >= 500
        case .contradictory, .circleRefused: true
        }
    }

    /// How long the server asks not to be asked again; nil when it did not say.
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
    /// Whether the same request may succeed later without anybody doing anything.
    package var isWorthRetrying: Bool {
        switch self {
        case .tooManyRequests, .storageFailed, .internalError, .unavailable, .unauthenticated: true
        default: false
        }
    }
}
