internal import KSRedaction
internal import Synchronization

/// Sends requests to one server and returns its answers; it does not interpret the bytes.
package protocol Transport: Sendable {
    /// Sends a request and waits for the whole answer, whatever its status is.
    ///
    /// A cancelled task aborts the transfer and throws ``TransportError/cancelled``.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse

    /// Opens a stream of server-sent events.
    ///
    /// The stream ends with a ``TransportError`` when the server closes it, when it has been silent
    /// for too long, or at once when the status is not 200. Dropping the stream, or cancelling the
    /// task that reads it, aborts the transfer and ends the stream without an error. Of unread
    /// events only the newest are kept.
    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error>
}

/// A request to the server.
package struct TransportRequest: Sendable, Equatable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    package var method: Method
    /// Starts with a slash; includes the escaped query.
    package var path: String
    package var headers: [String: String]
    package var body: [UInt8]
    /// The time for the whole exchange, beside the time of its bytes.
    ///
    /// An events stream has only a limit on silence.
    package var timeoutSeconds: Int
    /// Set by the transport if the request fails before any of it was sent.
    package var unsentProof: UnsentProof?

    package init(
        _ method: Method,
        _ path: String,
        headers: [String: String] = [:],
        body: [UInt8] = [],
        timeoutSeconds: Int = 30,
        unsentProof: UnsentProof? = nil
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.timeoutSeconds = timeoutSeconds
        self.unsentProof = unsentProof
    }
}

/// Proves that a failed request never left this machine, so the server cannot have acted on it.
///
/// The error alone does not say so: a request that was cancelled or timed out may have arrived.
package final class UnsentProof: Sendable, Equatable {
    private let isSet = Atomic(false)

    package init() {}

    /// False for a request that was sent, and for one of which the transport does not know.
    package var isProven: Bool { isSet.load(ordering: .acquiring) }

    package func prove() { isSet.store(true, ordering: .releasing) }

    package static func == (left: UnsentProof, right: UnsentProof) -> Bool { left === right }
}

/// An answer of the server.
package struct TransportResponse: Sendable, Equatable {
    package let status: Int
    /// By their names in lower case; the first of each name.
    package let headers: [String: String]
    package let body: [UInt8]
    /// The server's clock when it answered (its Date header), in milliseconds since 1970-01-01
    /// UTC.
    ///
    /// The header has whole seconds only.
    package let dateMilliseconds: UInt64?
    /// Whether it arrived over HTTP/2, where many requests share one connection.
    package let isOverHTTP2: Bool

    package init(
        status: Int,
        headers: [String: String] = [:],
        body: [UInt8] = [],
        dateMilliseconds: UInt64? = nil,
        isOverHTTP2: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.dateMilliseconds = dateMilliseconds
        self.isOverHTTP2 = isOverHTTP2
    }

    /// After how many seconds the server allows a retry, if its status and header say so.
    ///
    /// Of the two forms of RFC 9110 §10.2.3 this reads the seconds, which our server uses.
    package var retryAfterSeconds: UInt64? {
        guard status == 429 || status == 503 else { return nil }
        return headers["retry-after"].flatMap { UInt64($0) }
    }
}

// Its headers hold a session's token, and its body may hold proofs.
extension TransportRequest: Redacted {
    package var shownPart: String { "\(method) \(path), \(body.count) bytes" }
}
