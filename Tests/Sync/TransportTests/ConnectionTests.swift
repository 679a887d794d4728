import Foundation
import Glibc
import NIOSSL
import Testing

import KSTransport

/// The protocols and ciphers of a connection, and the time limits for connecting.
@Suite(.timeLimit(.minutes(10)))
struct ConnectionTests {
    private let hello = TransportRequest(.get, "/hello")

    @Test
    func `proxy variables of the environment are ignored`() async {
        // In a process of its own, whose environment no other test reads.
        await #expect(processExitsWith: .success) {
            for name in ["no_proxy", "NO_PROXY"] { unsafe unsetenv(name) }
            for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
                unsafe setenv(name, "http://127.0.0.1:1", 1)
            }
            let identity = try ServerIdentity.make(nowSeconds: UInt64(time(nil)))
            try await withServer(identity) { server in
                let transport = try server.transport(pins: [try identity.pin])
                _ = try await transport.send(TransportRequest(.get, "/hello"))
            }
        }
    }

    /// A cipher that HTTP/2 allows, and an older one.
    @Test(arguments: [
        (NIOTLSCipher.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, true),
        (.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, false),
    ])
    func `a cipher that does not authenticate is refused`(
        cipher: NIOTLSCipher,
        isGood: Bool
    ) async throws {
        let identity = try ServerIdentity.make(nowSeconds: UInt64(time(nil)))
        let hello = hello
        try await withServer(
            identity,
            configuring: { tls in
                tls.maximumTLSVersion = .tlsv12
                tls.cipherSuiteValues = [cipher]
            },
            { server in
                let transport = try server.transport(pins: [try identity.pin])
                if isGood {
                    #expect(try await transport.send(hello).status == 200)
                } else {
                    await #expect(throws: TransportError.outOfReach(code: 35)) {
                        try await transport.send(hello)
                    }
                }
            }
        )
    }

    /// A certificate made 40 days ago for 30 days; and one that is valid in ten days.
    @Test(arguments: [40, -10])
    func `wrong dates are reported even with a trusted authority`(
        daysAgo: Int
    ) async throws {
        let identity = try ServerIdentity.make(daysAgo: daysAgo, nowSeconds: UInt64(time(nil)))
        let hello = hello
        try await withServer(identity) { server in
            let file = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).pem"
            try Data(identity.certificatePEM.utf8).write(to: URL(filePath: file))
            // A leftover temporary folder does no harm.
            defer { try? FileManager.default.removeItem(atPath: file) }
            let transport = try server.transport(pins: [], authorityFile: file)
            await #expect(throws: TransportError.untrusted(.expired)) {
                try await transport.send(hello)
            }
        }
    }

    @Test
    func `a server that accepts no connection is waited for up to the limit`() async throws {
        let port = try FullPort()
        var limits = TransportLimits()
        limits.connectSeconds = 1
        let transport = try CurlTransport(
            server: ServerEndpoint(
                origin: "http://127.0.0.1:\(port.number)",
                allowsPlaintextToLoopback: true
            ),
            limits: limits
        )
        await #expect(throws: TransportError.timedOut) {
            try await transport.send(TransportRequest(.get, "/hello", timeoutSeconds: 600))
        }
        withExtendedLifetime(port) {}
    }

    @Test
    func `a large body is sent without 100 Continue`() async throws {
        let server = try KilledServer(saying: "HTTP/1.1 413 Content Too Large\r\n\r\n")
        let transport = try CurlTransport(
            server: ServerEndpoint(
                origin: "http://127.0.0.1:\(server.port)",
                allowsPlaintextToLoopback: true
            )
        )
        let body = [UInt8](repeating: 0, count: 3 << 20)
        // It hangs up in the middle of the body, which may be an error or not.
        _ = try? await transport.send(TransportRequest(.put, "/echo", body: body))
        #expect(server.heard.hasPrefix("PUT /echo HTTP/1.1\r\n"))
        #expect(!server.heard.lowercased().contains("\r\nexpect:"))
    }

    @Test
    func `headers above the limit abort the transfer`() async throws {
        let line = "X-Filler: " + String(repeating: "x", count: 1000) + "\r\n"
        let server = try KilledServer(
            saying: "HTTP/1.1 204 No Content\r\n" + String(repeating: line, count: 70) + "\r\n"
        )
        let transport = try CurlTransport(
            server: ServerEndpoint(
                origin: "http://127.0.0.1:\(server.port)",
                allowsPlaintextToLoopback: true
            )
        )
        await #expect(throws: TransportError.tooLarge) { try await transport.send(hello) }
    }
}

/// A port with a full queue, at which the system accepts no more connections.
private final class FullPort: Sendable {
    private let descriptors: [Int32]
    let number: Int

    init() throws {
        let server = KilledServer.socketOnFreePort()
        number = server.port
        listen(server.descriptor, 0)
        let callers = (0..<8).map { _ in
            KilledServer.call(server.port)
        }
        descriptors = [server.descriptor] + callers
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}
