package import Transport
package import Wire

/// Why the server did not do what it was asked.
package enum ServerError: Error, Equatable {
    /// There was no answer.
    case transport(TransportError)
    /// The server answered with this code.
    case refused(ErrorCode)
    /// The answer is not one of this protocol: another service, or a newer server.
    case unreadable(status: Int)

    package var isWorthRetrying: Bool {
        switch self {
        case .transport(let error): error.isWorthRetrying
        case .refused(let code): code.isWorthRetrying
        case .unreadable(let status): status >= 500
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
