import Foundation
import Testing

import KSSyncServer

/// A slow link is served, but memory is not reserved for idle ones.
struct SlowUploadTests {
    private static func answer(
        from server: TestServer,
        parts: Int,
        bytesOfPart: Int,
        pauseMilliseconds: Int32
    ) async throws -> String {
        let connection = try #require(LoopbackConnection(port: server.port))
        let answer = try await onThread {
            connection.send(
                Array(
                    """
                    POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\
                    Content-Type: application/x-protobuf\r\n\
                    Content-Length: \(parts * bytesOfPart)\r\n\r\n
                    """.utf8
                )
            )
            for _ in 0..<parts {
                connection.send([UInt8](repeating: 0, count: bytesOfPart))
                _ = connection.ends(withinMilliseconds: pauseMilliseconds)
            }
            return try connection.receive() ?? []
        }
        return String(decoding: answer, as: UTF8.self)
    }

    @Test
    func `a longer body has more time`() async throws {
        var options = SyncService.Options()
        options.uploadTimeMax = .milliseconds(100)
        // 4,000 bytes may take another 40 s.
        options.uploadBytesPerSecondMin = 100
        try await withServer(options: options) { server in
            let answer = try await Self.answer(
                from: server,
                parts: 40,
                bytesOfPart: 100,
                pauseMilliseconds: 25
            )
            // The whole body arrived, and is no message; its last byte may be missing.
            #expect(answer.contains("/1.1 400 "))
            // 40 bytes may take less than half a second.
            let cutOff = try await Self.answer(
                from: server,
                parts: 40,
                bytesOfPart: 1,
                pauseMilliseconds: 100
            )
            #expect(cutOff == "")
        }
    }
}
