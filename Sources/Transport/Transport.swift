internal import KSRedaction

/// Carries requests to one server and brings back what it says.
///
/// It knows nothing of what the bytes mean.
package protocol Transport: Sendable {
    /// Sends a request and waits for the whole answer, whatever its status is.
    ///
    /// A cancelled task aborts the transfer and throws ``TransportError/cancelled``.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse

    /// Opens a stream of server-sent events.
    ///
    /// The stream ends with a ``TransportError``: when the server closes it, when it has been
    /// silent for too long, or at once when the status is not 200. Dropping the stream, or
    /// cancelling the task that reads it, aborts the transfer and ends the stream without an
    /// error. Of events that nobody takes only the newest are kept.
    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error>
}

/// A name and a value of a request's or an answer's head.
package struct HeaderField: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// What is asked of the server.
package struct TransportRequest: Sendable, Equatable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    package var method: Method
    /// Starts with a slash; holds the query, already escaped.
    package var path: String
    package var headers: [HeaderField]
    package var body: [UInt8]
    /// For the whole exchange, beside the time that its bytes may take.
    ///
    /// An events stream has no such limit, only one on silence.
    package var timeoutSeconds: Int

    package init(
        _ method: Method,
        _ path: String,
        headers: [HeaderField] = [],
        body: [UInt8] = [],
        timeoutSeconds: Int = 30
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.timeoutSeconds = timeoutSeconds
    }
}

/// What the server answered.
package struct TransportResponse: Sendable, Equatable {
    package let status: Int
    /// In the order they came, names in lower case.
    package let headers: [HeaderField]
    package let body: [UInt8]
    /// The server's clock when it answered (its Date header), in milliseconds since 1970-01-01
    /// UTC.
    ///
    /// A whole second is as fine as the header goes.
    package let dateMilliseconds: UInt64?
    /// Whether it came over HTTP/2, where many requests share one connection.
    package let isOverHTTP2: Bool

    package init(
        status: Int,
        headers: [HeaderField] = [],
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

    /// The first header of this name, which is given in lower case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    /// How long the server asks not to be asked again, with a status that means "later"; nil when
    /// it says nothing of the kind.
    ///
    /// Of the two forms of RFC 9110 §10.2.3 this reads the seconds, which is what our server says.
    package var retryAfterSeconds: UInt64? {
        guard status == 429 || status == 503 else { return nil }
        return header("retry-after").flatMap { UInt64($0) }
    }
}

// Its headers hold a session's token, and its body may hold proofs.
extension TransportRequest: Redacted {
    package var shownPart: String { "\(method) \(path), \(body.count) bytes" }
}
