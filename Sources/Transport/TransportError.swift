/// Why a request has no answer.
///
/// No case carries contents, names or addresses, so an error is always safe to log.
package enum TransportError: Error, Equatable, Sendable {
    /// The server cannot be reached or the connection broke; the number is curl's.
    case outOfReach(code: Int32)
    /// Whoever answers could not show to be the server.
    case untrusted(TrustProblem)
    /// No answer, or no sign of life on a stream, in the time given.
    case timedOut
    /// The answer is larger than any the protocol has.
    case tooLarge
    /// The task was cancelled, or the transport closed.
    case cancelled
    /// The server's address is not `https://host[:port]`.
    case malformedOrigin
    /// `http://` is only for this machine itself, and only when allowed by a flag.
    case plaintextForbidden
    /// The request holds a line break or another control character where none may be.
    case malformedRequest
    /// An events stream was not opened: the server answered with this status, and may have said
    /// when to ask again.
    case unexpectedStatus(Int, retryAfterSeconds: UInt64? = nil)
    /// curl refused something that cannot fail with valid arguments.
    case library(code: Int32)

    /// The same request may well succeed later, with nobody doing anything about it.
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

/// Why a server's certificate is not believed.
package enum TrustProblem: Error, Equatable, Sendable {
    /// The certificate's key is none of the pinned ones.
    case pinMismatch
    /// No authority that this machine trusts vouches for the certificate.
    case unverifiedChain
    /// The certificate is good, but for another host.
    case wrongHost
    /// The certificate has expired, or is not valid yet.
    case expired
    /// A pin is not `sha256//` and 44 characters of base64.
    case malformedPin
    /// The file of certificate authorities cannot be read.
    case authorityFileUnreadable
}
