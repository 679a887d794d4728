internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import SwiftProtobuf
internal import Wire

/// How the messages travel: Protocol Buffers, or JSON for people with curl.
enum MessageBody {
    static let protobufType = "application/x-protobuf"
    static let jsonType = "application/json"
    /// For what surrounds the records of a batch: header, signature, dots.
    static let slackBytes = 256 << 10
}

extension Request {
    /// The bytes of the body.
    ///
    /// A length that is declared too large is refused before anything is read.
    func bodyBytes(atMost limit: Int) async throws -> [UInt8] {
        if let declared = headers[.contentLength] {
            guard let length = Int(declared), length >= 0 else { throw Problem(.malformed) }
            guard length <= limit else { throw Problem(.tooLarge) }
        }
        do {
            let buffer = try await body.collect(upTo: limit)
            return Array(buffer.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw Problem(.tooLarge)
        }
    }

    /// The message in the body.
    func message<Message: SwiftProtobuf.Message>(
        _ type: Message.Type = Message.self,
        atMost limit: Int
    ) async throws -> Message {
        let bytes = try await bodyBytes(atMost: limit)
        do {
            switch mediaType(.contentType) {
            case MessageBody.protobufType: return try Message(serializedBytes: bytes)
            case MessageBody.jsonType: return try Message(jsonUTF8Bytes: bytes)
            case nil where bytes.isEmpty: return Message()
            default: throw Problem(.malformed, status: .unsupportedMediaType)
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(.malformed)
        }
    }

    /// The answer that holds this message, in the form the client asked for.
    func response(
        _ message: some SwiftProtobuf.Message,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let bytes: [UInt8]
        let type: String
        if wantsJSON {
            bytes = try message.jsonUTF8Bytes()
            type = MessageBody.jsonType
        } else {
            bytes = try message.serializedBytes()
            type = MessageBody.protobufType
        }
        return Response(
            status: status,
            headers: [.contentType: type],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    /// A whole number in the query, or nil when it is not given.
    func queryInteger(_ name: String) throws -> UInt64? {
        guard let text = uri.queryParameters[name[...]] else { return nil }
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let value = UInt64(text) else {
            throw Problem(.malformed)
        }
        return value
    }

    private var wantsJSON: Bool {
        headers[values: .accept].flatMap { $0.split(separator: ",") }.contains { range in
            Self.mediaType(String(range)) == MessageBody.jsonType
        }
    }

    private func mediaType(_ name: HTTPField.Name) -> String? {
        headers[name].map(Self.mediaType)
    }

    /// A media type without its parameters.
    private static func mediaType(_ text: String) -> String {
        let type = text.prefix { $0 != ";" }
        return type.trimmingCharacters(in: .whitespaces).lowercased()
    }
}
