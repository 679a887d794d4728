import KSTestPrograms
import Testing

import KSSyncServer

/// The TLS versions and ciphers that the built program accepts.
@Suite(.timeLimit(.minutes(10)))
struct HandshakeTests {
    /// The server's answer to a ClientHello.
    private enum Reply: Equatable {
        case hello
        case alert(UInt8)
        case nothing
    }

    /// A ClientHello by RFC 5246, with one version and one cipher suite.
    private static func hello(version: UInt16, cipher: UInt16) -> [UInt8] {
        func pair(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
        let extensions: [UInt8] = [
            // The curves X25519 and P-256, points uncompressed.
            0x00, 0x0A, 0x00, 0x06, 0x00, 0x04, 0x00, 0x1D, 0x00, 0x17,
            0x00, 0x0B, 0x00, 0x02, 0x01, 0x00,
            // Signatures by ECDSA on P-256 and by RSA-PSS.
            0x00, 0x0D, 0x00, 0x06, 0x00, 0x04, 0x04, 0x03, 0x08, 0x04,
        ]
        var body = pair(Int(version)) + [UInt8](repeating: 7, count: 32) + [0]
        body += pair(2) + pair(Int(cipher)) + [1, 0]
        body += pair(extensions.count) + extensions
        let message = [1, 0] + pair(body.count) + body
        return [0x16, 0x03, 0x01] + pair(message.count) + message
    }

    private static func reply(of port: Int, to hello: [UInt8]) async throws -> Reply {
        try await onThread {
            guard let connection = LoopbackConnection(port: port) else { return .nothing }
            connection.send(hello)
            var bytes: [UInt8] = []
            while bytes.count < 7 {
                guard let more = try connection.receive() else { return .nothing }
                bytes += more
            }
            return switch (bytes[0], bytes[5]) {
            case (0x15, _): .alert(bytes[6])
            case (0x16, 2): .hello
            default: .nothing
            }
        }
    }

    @Test
    func `only TLS 1.2 and later, and only ciphers that authenticate`() async throws {
        try await withTemporaryDirectory { directory in
            let server = try await ServerProcess.start(data: directory)
            // RFC 5246: 40 is handshake_failure, 70 protocol_version.
            for (version, cipher, expected) in [
                // TLS 1.2 with ECDHE, ECDSA and AES-128-GCM; with AES-128-CBC; with AES-256-CBC.
                (0x0303, 0xC02B, Reply.hello), (0x0303, 0xC009, .alert(40)),
                (0x0303, 0xC00A, .alert(40)),
                // TLS 1.1 and 1.0, with their suites.
                (0x0302, 0xC009, .alert(70)), (0x0301, 0xC009, .alert(70)),
            ] as [(UInt16, UInt16, Reply)] {
                let reply = try await Self.reply(
                    of: server.port,
                    to: Self.hello(version: version, cipher: cipher)
                )
                #expect(reply == expected, "\(version), \(cipher)")
            }
            #expect(await server.stop().status == 0)
        }
    }
}
