import Foundation
import SwiftProtobuf
import KSWire

/// An answer of the server, as it came over the wire.
struct HTTPAnswer: Sendable {
    let status: Int
    /// Headers by name in lower case.
    let headers: [String: String]
    let body: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            .components(separatedBy: "\r\n")
        guard let status = Int(lines[0].split(separator: " ")[1]) else { return nil }
        self.status = status
        headers = lines.dropFirst().reduce(into: [:]) { headers, line in
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let rest = Array(bytes[end.upperBound...])
        body = headers["transfer-encoding"] == "chunked" ? Self.joinChunks(rest) : rest
    }

    static func joinChunks(_ bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        var body: [UInt8] = []
        while let line = rest.firstRange(of: Array("\r\n".utf8)),
            let count = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16),
            count > 0
        {
            body += rest[line.upperBound...].prefix(count)
            rest = rest[line.upperBound...].dropFirst(count + 2)
        }
        return body
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    func message<Message: SwiftProtobuf.Message>(_ type: Message.Type) throws -> Message {
        try Message(serializedBytes: body)
    }

    /// The code of a problem.
    var code: ErrorCode? {
        guard headers["content-type"] == "application/problem+json",
            // Text that is not JSON has no code.
            let json = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
            let code = json["code"] as? String
        else { return nil }
        return ErrorCode(rawValue: code)
    }
}
