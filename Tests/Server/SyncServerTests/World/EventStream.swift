import Synchronization
import Testing

/// A client of `GET /v1/events` that reads block by block.
final class EventStream: Sendable {
    let head: String
    private let connection: LoopbackConnection
    private let buffer: Mutex<[UInt8]>

    init(server: TestServer, token: String) async throws {
        let connection = try #require(LoopbackConnection(port: server.port))
        let request = """
            GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\
            Authorization: Bearer \(token)\r\n\r\n
            """
        let separator = Array("\r\n\r\n".utf8)
        let received = try await onThread {
            connection.send(Array(request.utf8))
            var bytes: [UInt8] = []
            while bytes.firstRange(of: separator) == nil,
                let more = try connection.receive()
            {
                bytes += more
            }
            return bytes
        }
        let end = try #require(received.firstRange(of: separator))
        head = String(decoding: received[..<end.lowerBound], as: UTF8.self).lowercased()
        buffer = Mutex(Array(received[end.upperBound...]))
        self.connection = connection
    }

    /// The next block, its lines joined by spaces; nil when the stream has ended.
    func next() async throws -> String? {
        try await onThread { [self] in
            while true {
                if let block = takeBlock() { return block }
                guard let more = try connection.receive() else { return nil }
                buffer.withLock { $0 += more }
            }
        }
    }

    /// The next block that is not a comment; nil when the stream has ended.
    func nextEvent() async throws -> String? {
        let end = ContinuousClock.now + .milliseconds(Int(LoopbackConnection.patienceMilliseconds))
        while let block = try await next() {
            if block != ":" { return block }
            // Without a limit a stream of heartbeats would be read forever.
            guard ContinuousClock.now < end else { throw LoopbackConnection.Silence() }
        }
        return nil
    }

    func hangUp() {
        connection.hangUp()
    }

    /// Each block is written at once, so it is one chunk of HTTP/1.1.
    private func takeBlock() -> String? {
        buffer.withLock { buffer in
            guard let line = buffer.firstRange(of: Array("\r\n".utf8)),
                let count = Int(
                    String(decoding: buffer[..<line.lowerBound], as: UTF8.self),
                    radix: 16
                ),
                count > 0, buffer.count >= line.upperBound + count + 2
            else { return nil }
            let chunk = buffer[line.upperBound..<line.upperBound + count]
            let text = String(decoding: chunk, as: UTF8.self)
            buffer.removeFirst(line.upperBound + count + 2)
            return text.split(separator: "\n").joined(separator: " ")
        }
    }
}
