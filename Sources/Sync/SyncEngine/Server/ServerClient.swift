internal import Foundation
internal import KSRecords
package import SwiftProtobuf
package import KSTransport
package import KSWire

/// The server's calls, as one request and one answer each.
package struct ServerClient: Sendable {
    /// The server's message, and its date if it gave one.
    package struct Answer<Message: Sendable>: Sendable {
        package let message: Message
        /// Milliseconds since 1970-01-01 00:00 UTC.
        package let serverMilliseconds: UInt64?
        /// The optional parts of the protocol that the server has.
        let features: Set<SpokenProtocol.Feature>

        /// The message's value.
        ///
        /// - Throws: ``ServerError/unreadable(status:retryAfterSeconds:)`` if the message lacks a
        ///   field that its call requires.
        func read<Value>(
            _ body: (Message) throws(WireError) -> Value
        ) throws(ServerError) -> Answer<Value> {
            do throws(WireError) {
                return .init(
                    message: try body(message),
                    serverMilliseconds: serverMilliseconds,
                    features: features
                )
            } catch {
                throw .unreadable(status: 200)
            }
        }
    }

    private static let mediaType = "application/x-protobuf"
    private static let protocolHeader = SpokenProtocol.headerName.lowercased()
    /// Many times the size of a problem that names every record of a batch.
    private static let problemBytesMax = 128 << 10

    package let transport: any Transport
    /// As in ``ServerEndpoint/origin``; it is part of what is signed.
    package let origin: String
    private let spoken: SpokenProtocol

    /// `spoken`: other than this program's only in tests.
    package init(transport: any Transport, origin: String, spoken: SpokenProtocol = .own) {
        self.transport = transport
        self.origin = origin
        self.spoken = spoken
    }

    /// The headers of every request.
    func headers(token: String?, accept: String) -> [String: String] {
        var headers = ["Accept": accept, SpokenProtocol.headerName: spoken.text]
        if let token { headers["Authorization"] = "Bearer " + token }
        return headers
    }

    func call<Answered: CountedMessage>(
        _ method: TransportRequest.Method,
        _ path: String,
        token: String? = nil,
        ifMatch version: UInt64? = nil,
        body: (any Message)? = nil,
        unsentProof: UnsentProof? = nil
    ) async throws(ServerError) -> Answer<Answered> {
        var headers = headers(token: token, accept: Self.mediaType)
        if let version { headers["If-Match"] = "\"\(version)\"" }
        var bytes: [UInt8] = []
        if let body {
            headers["Content-Type"] = Self.mediaType
            bytes = Self.encode(body)
        }
        let response: TransportResponse
        do throws(TransportError) {
            response = try await transport.send(
                TransportRequest(
                    method,
                    path,
                    headers: headers,
                    body: bytes,
                    timeoutSeconds: 30,
                    unsentProof: unsentProof
                )
            )
        } catch {
            throw .transport(error)
        }
        // A header that cannot be read is another service's.
        guard let server = try? SpokenProtocol(response.headers[Self.protocolHeader]) else {
            throw .unreadable(status: response.status)
        }
        if let code = SpokenProtocol.refusal(client: spoken, server: server) {
            throw .refused(code)
        }
        guard (200..<300).contains(response.status) else { throw Self.error(of: response) }
        // Only a deletion has no answer; the empty page of another service would be a message too.
        let isMessage =
            method == .delete && response.status == 204
            ? response.body.isEmpty : response.headers["content-type"] == Self.mediaType
        // Why the body does not decode makes no difference: it is not an answer of this protocol.
        guard isMessage, let message = try? Answered(counting: response.body) else {
            throw .unreadable(status: response.status)
        }
        return Answer(
            message: message,
            serverMilliseconds: response.dateMilliseconds,
            features: server.features
        )
    }

    package static func encode(_ message: any Message) -> [UInt8] {
        do {
            return try message.serializedBytes()
        } catch {
            // Only a missing required field or invalid UTF-8 could fail; there are neither.
            preconditionFailure("a message of ours could not be encoded")
        }
    }

    private static func error(of response: TransportResponse) -> ServerError {
        struct Problem: Decodable {
            struct Record: Decodable {
                let counter: UInt64
                let code: String
            }
            let code: String
            /// Whether the request may succeed later by itself.
            let retry: Bool?
            let refused: [Record]?

            /// The records that the server names, in order and each once.
            var records: [RefusedRecord] {
                let named = (refused ?? []).map { record in
                    // A later version may know other reasons; the record waits for it.
                    (record.counter, ErrorCode(rawValue: record.code) ?? .malformed)
                }
                return Dictionary(named) { first, _ in first }.sorted { $0.key < $1.key }
                    .map { RefusedRecord(counter: $0.key, code: $0.value) }
            }
        }
        let (status, retryAfter) = (response.status, response.retryAfterSeconds)
        guard
            response.body.count <= problemBytesMax,
            // Not a problem of this protocol, such as a proxy's page: only the status counts.
            let problem = try? JSONDecoder().decode(Problem.self, from: Data(response.body))
        else { return .unreadable(status: status, retryAfterSeconds: retryAfter) }
        if let code = ErrorCode(rawValue: problem.code) {
            return .refused(code, retryAfterSeconds: retryAfter, records: problem.records)
        }
        // Other services have codes too, and a terminal shows this one.
        guard response.headers["content-type"] == "application/problem+json",
            problem.code.wholeMatch(of: /[a-z][a-z0-9_]{1,39}/) != nil
        else { return .unreadable(status: status, retryAfterSeconds: retryAfter) }
        return .unknown(
            UnknownRefusal(
                code: problem.code,
                status: status,
                canPass: problem.retry,
                retryAfterSeconds: retryAfter,
                records: problem.records
            )
        )
    }
}
