internal import Foundation
internal import KSRecords
package import SwiftProtobuf
package import KSTransport
internal import KSWire

/// The server's calls, as one request and one answer each.
package struct ServerClient: Sendable {
    /// The server's message, and its date if it gave one.
    package struct Answer<Message: Sendable>: Sendable {
        package let message: Message
        /// Milliseconds since 1970-01-01 00:00 UTC.
        package let serverMilliseconds: UInt64?

        /// The message's value.
        ///
        /// - Throws: ``ServerError/unreadable(status:retryAfterSeconds:)`` if the message lacks a
        ///   field that its call requires.
        func read<Value>(
            _ body: (Message) throws(WireError) -> Value
        ) throws(ServerError) -> Answer<Value> {
            do throws(WireError) {
                return .init(message: try body(message), serverMilliseconds: serverMilliseconds)
            } catch {
                throw .unreadable(status: 200)
            }
        }
    }

    private static let mediaType = "application/x-protobuf"
    /// Many times the size of a problem that names every record of a batch.
    private static let problemBytesMax = 128 << 10

    package let transport: any Transport
    /// As in ``ServerEndpoint/origin``; it is part of what is signed.
    package let origin: String

    package init(transport: any Transport, origin: String) {
        self.transport = transport
        self.origin = origin
    }

    func call<Answered: CountedMessage>(
        _ method: TransportRequest.Method,
        _ path: String,
        token: String? = nil,
        ifMatch version: UInt64? = nil,
        body: (any Message)? = nil,
        unsentProof: UnsentProof? = nil
    ) async throws(ServerError) -> Answer<Answered> {
        var headers = ["Accept": Self.mediaType]
        if let token { headers["Authorization"] = "Bearer " + token }
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
        guard (200..<300).contains(response.status) else { throw Self.error(of: response) }
        // Why the body does not decode makes no difference: it is not an answer of this protocol.
        guard let message = try? Answered(counting: response.body) else {
            throw .unreadable(status: response.status)
        }
        return Answer(message: message, serverMilliseconds: response.dateMilliseconds)
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
            let refused: [Record]?

            /// The records that the server names, in order and each once, without unknown codes.
            var records: [RefusedRecord] {
                let named = (refused ?? []).compactMap { record in
                    ErrorCode(rawValue: record.code).map { (record.counter, $0) }
                }
                return Dictionary(named) { first, _ in first }.sorted { $0.key < $1.key }
                    .map { RefusedRecord(counter: $0.key, code: $0.value) }
            }
        }
        let retryAfter = response.retryAfterSeconds
        guard
            response.body.count <= problemBytesMax,
            // Not a problem of this protocol, such as a proxy's page: only the status counts.
            let problem = try? JSONDecoder().decode(Problem.self, from: Data(response.body)),
            let code = ErrorCode(rawValue: problem.code)
        else { return .unreadable(status: response.status, retryAfterSeconds: retryAfter) }
        return .refused(code, retryAfterSeconds: retryAfter, records: problem.records)
    }
}
