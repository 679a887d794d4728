import Foundation
import KSCausality
import KSRecords
import SwiftProtobuf
import Synchronization
import KSTransport
import KSWire

import KSSyncEngine

/// A server that holds nothing and accepts everything, until a test tells it otherwise.
final class EngineServer: Transport {
    static let sessionSeconds: UInt64 = 3600

    /// The answer to a pull.
    enum PullAnswer: Equatable {
        case page
        case firstOfTwoPages
        /// The page promises more but does not move the cursor.
        case standstill
        case failure
        /// The server asks for a wait.
        case busy(seconds: Int)
        case silence
        /// The server reports that it never gave the cursor.
        case unknownCursor
    }

    private struct State {
        var sessionCount = 0
        /// The newest session that has ended, and the newest that gets no event stream.
        var endedSession = 0
        var streamlessSession = 0
        var pullAnswers: [PullAnswer] = []
        var pushRefusal: ErrorCode?
        var refusesSessions = false
        var removesAfterSession = false
        /// Why it does not take the circle back; nil for a server that fails.
        var returnRefusal: ErrorCode? = .refused
        /// The evidence that devices have sent, and the answer to it.
        var evidence: [WireHistoryRequest] = []
        var knowsHistory = false
        var seq: UInt64 = 0
        /// The newest accepted write.
        var dot: WireDot?
        var requests: Set<String> = []
        var requestCount = 0
        var waiting: (path: String, continuation: CheckedContinuation<Void, Never>)?
        var stream: AsyncThrowingStream<ServerEvent, any Error>.Continuation?
        var listener: CheckedContinuation<Void, Never>?
    }

    private let account: ReplicaAccount
    private let state = Mutex(State())

    init(_ account: ReplicaAccount) {
        self.account = account
    }

    // MARK: The test's part

    var sessionCount: Int { state.withLock(\.sessionCount) }

    func endSessions() {
        state.withLock { $0.endedSession = $0.sessionCount }
    }

    func refuseStreams(ofSessionsUpTo session: Int) {
        state.withLock { $0.streamlessSession = session }
    }

    func answerPulls(_ answers: PullAnswer...) {
        state.withLock { $0.pullAnswers = answers }
    }

    func refusePushes(_ code: ErrorCode?) {
        state.withLock { $0.pushRefusal = code }
    }

    /// Ends all sessions, and refuses the device, as when it was removed from the account.
    func refuseSessions(_ refuses: Bool) {
        endSessions()
        state.withLock { $0.refusesSessions = refuses }
    }

    /// Ends all sessions, and removes the device when it has opened the next one.
    func removeAfterNextSession() {
        endSessions()
        state.withLock { $0.removesAfterSession = true }
    }

    /// Why a circle that is put back is refused; nil for no answer.
    func refuseReturns(_ code: ErrorCode?) {
        state.withLock { $0.returnRefusal = code }
    }

    func knowHistory(_ isKnown: Bool) {
        state.withLock { $0.knowsHistory = isKnown }
    }

    var evidence: [WireHistoryRequest] { state.withLock(\.evidence) }

    /// How many requests it has had, beside streams.
    var requestCount: Int { state.withLock(\.requestCount) }

    func hasHeard(_ path: String) -> Bool {
        state.withLock { $0.requests.contains(path) }
    }

    func forgetRequests() {
        state.withLock { $0.requests = [] }
    }

    /// Waits until the engine listens to events.
    func nextStream() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.stream == nil { state.listener = continuation }
                return state.stream != nil
            }
            if isThere { continuation.resume() }
        }
    }

    func endStream() {
        let ended = state.withLock { state in
            defer { state.stream = nil }
            return state.stream
        }
        ended?.finish()
    }

    func say(_ data: String) {
        _ = state.withLock(\.stream)?.yield(ServerEvent(name: "changes", data: data))
    }

    /// Waits for a request to this path, which may have come already.
    func request(to path: String) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                let isThere = state.requests.contains(path)
                if !isThere { state.waiting = (path, continuation) }
                return isThere
            }
            if isThere { continuation.resume() }
        }
    }

    // MARK: The engine's part

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        let path = String(request.path.prefix { $0 != "?" })
        let waiting = state.withLock { state in
            state.requests.insert(path)
            state.requestCount += 1
            guard let waiting = state.waiting, waiting.path == path else {
                return CheckedContinuation<Void, Never>?.none
            }
            state.waiting = nil
            return waiting.continuation
        }
        waiting?.resume()
        switch path {
        case "/v1/sessions/challenge":
            return answer(WireChallengeResponse.with { $0.nonce = Data([1]) })
        case "/v1/sessions": return openSession()
        case "/v1/history": return compareHistory(request)
        case "/v1/circle/return": return refuseReturn()
        default: break
        }
        if let refusal = refusal(ofSession: request) { return refusal }
        switch path {
        case "/v1/circle":
            var circle = WireCircleResponse()
            (circle.account, circle.epoch) = (Data(count: 16), Data(count: 16))
            return answer(circle)
        case "/v1/batches": return take(request)
        default: return try await pull()
        }
    }

    func events(_ request: TransportRequest) -> AsyncThrowingStream<ServerEvent, any Error> {
        AsyncThrowingStream { continuation in
            let session = session(of: request)
            let listener = state.withLock { state in
                guard session > max(state.endedSession, state.streamlessSession) else {
                    continuation.finish(throwing: TransportError.unexpectedStatus(401))
                    return CheckedContinuation<Void, Never>?.none
                }
                state.stream = continuation
                defer { state.listener = nil }
                return state.listener
            }
            listener?.resume()
        }
    }

    private func answer(_ message: some Message) -> TransportResponse {
        TransportResponse(message)
    }

    private func session(of request: TransportRequest) -> Int {
        let token = request.headers["Authorization"]
        return token.flatMap { Int($0.dropFirst("Bearer ".count)) } ?? 0
    }

    /// The answer to a request of a session that has ended.
    func refusal(ofSession request: TransportRequest) -> TransportResponse? {
        guard session(of: request) <= state.withLock(\.endedSession) else { return nil }
        let code = ErrorCode.unauthenticated.rawValue
        return TransportResponse(status: 401, body: Array(#"{"code":"\#(code)"}"#.utf8))
    }

    private func openSession() -> TransportResponse {
        guard !state.withLock(\.refusesSessions) else {
            let code = ErrorCode.refused.rawValue
            return TransportResponse(status: 403, body: Array(#"{"code":"\#(code)"}"#.utf8))
        }
        let number = state.withLock { state in
            state.sessionCount += 1
            if state.removesAfterSession {
                (state.endedSession, state.refusesSessions) = (state.sessionCount, true)
            }
            return state.sessionCount
        }
        var message = WireSessionResponse()
        message.token = "\(number)"
        message.lifetimeSeconds = Self.sessionSeconds
        message.account = Data(account.enrollment().account.bytes)
        return answer(message)
    }

    private func refuseReturn() -> TransportResponse {
        guard let refusal = state.withLock(\.returnRefusal) else {
            return TransportResponse(status: 500)
        }
        return TransportResponse(status: 403, body: Array(#"{"code":"\#(refusal.rawValue)"}"#.utf8))
    }

    private func compareHistory(_ request: TransportRequest) -> TransportResponse {
        // An unreadable body is no evidence.
        guard let message = try? WireHistoryRequest(serializedBytes: request.body) else {
            return TransportResponse(status: 400)
        }
        var answer = WireHistoryResponse()
        answer.epoch = Data(count: 16)
        answer.known = state.withLock { state in
            state.evidence.append(message)
            return state.knowsHistory
        }
        return self.answer(answer)
    }

    private func take(_ request: TransportRequest) -> TransportResponse {
        if let code = state.withLock(\.pushRefusal) {
            let problem = #"{"code":"\#(code.rawValue)"}"#
            return TransportResponse(status: 409, body: Array(problem.utf8))
        }
        // An unreadable body is no batch.
        guard let push = try? WirePushRequest(serializedBytes: request.body) else {
            return TransportResponse(status: 400)
        }
        var message = WirePushResponse()
        message.circleVersion = 1
        state.withLock { state in
            message.records = push.envelopes.map { envelope in
                state.seq += 1
                var record = WirePushedRecord()
                record.seq = state.seq
                record.dots = [envelope.dot]
                return record
            }
            state.dot = push.envelopes.last?.dot
            message.cursor = WireCursor(account.cursor(state.seq))
        }
        return answer(message)
    }

    private func pull() async throws(TransportError) -> TransportResponse {
        var message = WireChangesResponse()
        message.circleVersion = 1
        let behaviour = state.withLock { state in
            let behaviour = state.pullAnswers.isEmpty ? .page : state.pullAnswers.removeFirst()
            if behaviour == .firstOfTwoPages { state.seq += 1 }
            message.cursor = WireCursor(account.cursor(state.seq))
            // A write of another device, and the newest accepted one of this device.
            let others =
                state.seq > 0 ? [WireDot(Dot(actor: ActorID(rawValue: 1), counter: 1))] : []
            message.vector = (others + [state.dot].compactMap { $0 }).map { dot in
                var entry = WireVectorEntry()
                (entry.actor, entry.counter) = (dot.actor, dot.counter)
                return entry
            }
            return behaviour
        }
        switch behaviour {
        case .page: break
        case .firstOfTwoPages, .standstill: message.more = true
        case .failure: return TransportResponse(status: 500)
        case .unknownCursor:
            let code = ErrorCode.unknownCursor.rawValue
            return TransportResponse(status: 409, body: Array(#"{"code":"\#(code)"}"#.utf8))
        case .busy(let seconds):
            return TransportResponse(
                status: 503,
                headers: ["retry-after": "\(seconds)"],
                body: Array(#"{"code":"\#(ErrorCode.unavailable.rawValue)"}"#.utf8)
            )
        case .silence:
            // Ends when the task is cancelled.
            try? await Task.sleep(for: .seconds(600))
            throw .cancelled
        }
        return answer(message)
    }
}

extension TransportResponse {
    /// An answer of the protocol.
    init(_ message: any Message, status: Int = 200) {
        self.init(
            status: status,
            headers: ["content-type": "application/x-protobuf"],
            body: ServerClient.encode(message)
        )
    }
}
