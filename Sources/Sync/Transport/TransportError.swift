/// Why a request has no answer.
///
/// No case carries contents, names or addresses, so an error is always safe to log.
package enum TransportError: Error, Equatable, Sendable {
    /// The server cannot be reached or the connection broke; the number is curl's.
    case outOfReach(code: Int32)
    /// The peer could not prove that it is the server.
    case untrusted(TrustProblem)
    /// No answer, or nothing on a stream, within the time limit.
    case timedOut
    /// The answer is larger than any answer of the protocol.
    case tooLarge
    /// The task was cancelled, or the transport closed.
    case cancelled
    /// The server's address is not `https://host[:port]`.
    case malformedOrigin
    /// `http://` is allowed only to this machine, and only with a flag.
    case plaintextForbidden
    /// The request has a control character where none is allowed.
    case malformedRequest
    /// An events stream was refused with this status; the server may say when to retry.
    case unexpectedStatus(Int, retryAfterSeconds: UInt64? = nil)
    /// curl refused something that cannot fail with valid arguments.
    case library(code: Int32)

    /// Whether the same request may succeed later without anybody's action.
    package var isWorthRetrying: Bool {
        switch self {
        case .outOfReach, .timedOut: true
        case .unexpectedStatus(let status, _): status == 429 || status >= 500
        case .untrusted, .tooLarge, .cancelled, .malformedOrigin, .plaintextForbidden,
            .malformedRequest, .library:
            false
        }
    }
}

/// Why a server's certificate is refused.
package enum TrustProblem: Error, Equatable, Sendable {
    /// The certificate's key matches none of the pins.
    case pinMismatch
    /// No authority that this machine trusts signed the certificate.
    case unverifiedChain
    /// The certificate is valid, but for another host.
    case wrongHost
    /// The certificate has expired, or is not valid yet.
    case expired
    /// A pin is not `sha256//` and 44 characters of base64.
    case malformedPin
    /// The file of certificate authorities cannot be read.
    case authorityFileUnreadable
}
