internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import KSRecords
internal import NIOCore
internal import SwiftProtobuf
internal import KSWire

/// The encoding of bodies: Protocol Buffers, or JSON for people with curl.
enum MessageBody {
    static let protobufType = "application/x-protobuf"
    static let jsonType = "application/json"
    /// A member's body: the records of a batch, with space for its header, signature and dots.
    static let memberBytesMax =
        max(Limits.batchBytesMax, RecordKind.largestBoxBytes) + (256 << 10)
}

extension UInt64 {
    /// Reads decimal digits, without the sign that Swift's own initializer accepts.
    init?(digits: Substring) {
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        self.init(digits)
    }
}

extension Request {
    /// The answer with this message, in the encoding that the client asked for.
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

    /// A whole number in the query, or nil without one.
    func queryInteger(_ name: String) throws -> UInt64? {
        guard let text = uri.queryParameters[name[...]] else { return nil }
        guard let value = UInt64(digits: text) else { throw Problem(.malformed) }
        return value
    }

    private var wantsJSON: Bool {
        headers[values: .accept].flatMap { $0.split(separator: ",") }.contains { range in
            Self.mediaType(String(range)) == MessageBody.jsonType
        }
    }

    func mediaType(_ name: HTTPField.Name) -> String? {
        headers[name].map(Self.mediaType)
    }

    /// A media type without its parameters.
    private static func mediaType(_ text: String) -> String {
        let words = text.prefix { $0 != ";" }.split { $0 == " " || $0 == "\t" }
        return words.joined(separator: " ").lowercased()
    }
}
