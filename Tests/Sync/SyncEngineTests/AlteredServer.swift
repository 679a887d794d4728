import KSTransport
import KSWire
import Synchronization

/// A server of which a test replaces single answers, and what it states of its protocol.
final class AlteredServer: Transport {
    private struct State {
        var statement: String?
        var answers: [String: (response: TransportResponse, count: Int)] = [:]
        var requests: [TransportRequest] = []
        var hasOpenedStream = false
        var streamRefusal: Int?
    }

    /// What other services answer, with status 200.
    static let foreignAnswers: [TransportResponse] = {
        let answers: [(String, [UInt8])] = [
            ("application/x-protobuf", [0xFF, 0xFF, 0x01]), ("application/x-protobuf", [0x0A]),
            ("text/plain", []), ("text/html", Array("<!DOCTYPE html><h1>Sign in</h1>".utf8)),
            ("application/json", Array(#"{"status":"ok"}"#.utf8)),
        ]
        return answers.map { type, body in
            TransportResponse(status: 200, headers: ["content-type": type], body: body)
        }
    }()

    private let inner: any Transport
    private let state = Mutex(State())

    init(_ inner: any Transport) { self.inner = inner }

    /// What the requests stated, in their order.
    var stated: [String?] {
        state.withLock { $0.requests.map { $0.headers[SpokenProtocol.headerName] } }
    }

    var hasOpenedStream: Bool { state.withLock(\.hasOpenedStream) }

    func count(of path: String) -> Int {
        state.withLock { state in state.requests.count { $0.path == path } }
    }

    func hasHeard(_ path: String) -> Bool { count(of: path) > 0 }

    /// Refuses every stream of events with this status.
    func refuseStreams(_ status: Int) { state.withLock { $0.streamRefusal = status } }

    /// What the server states from now on; nil for nothing.
    func claim(_ statement: String?) { state.withLock { $0.statement = statement } }

    /// Gives this answer to the next `count` requests to a path; nil for the server's own.
    func answer(_ path: String, _ response: TransportResponse?, count: Int = .max) {
        state.withLock { $0.answers[path] = response.map { (response: $0, count: count) } }
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let (statement, altered) = state.withLock { state -> (String?, TransportResponse?) in
            state.requests.append(request)
            let path = String(request.path.prefix { $0 != "?" })
            guard let answer = state.answers[path] else {
                return (state.statement, nil)
            }
            state.answers[path] =
                answer.count > 1 ? (response: answer.response, count: answer.count - 1) : nil
            return (state.statement, answer.response)
        }
        let response = if let altered { altered } else { try await inner.send(request) }
        guard let statement else { return response }
        return TransportResponse(
            status: response.status,
            headers: response.headers.merging(["sync-protocol": statement]) { $1 },
            body: response.body
        )
    }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        let refusal = state.withLock { state in
            state.hasOpenedStream = true
            return state.streamRefusal
        }
        guard let refusal else { return inner.events(request) }
        return AsyncThrowingStream {
            $0.finish(throwing: TransportError.unexpectedStatus(refusal))
        }
    }
}
