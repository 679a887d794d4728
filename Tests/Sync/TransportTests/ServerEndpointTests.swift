import Glibc
import Testing

import KSTransport

/// A server is named by its address and its pins.
struct ServerEndpointTests {
    static let pin = "sha256//" + String(repeating: "A", count: 43) + "="

    @Test(arguments: [
        ("https://Example.COM/", "https://example.com"),
        ("HTTPS://example.com:443", "https://example.com"),
        ("https://example.com:8443", "https://example.com:8443"),
        ("https://127.0.0.1:8443", "https://127.0.0.1:8443"),
        ("https://[::1]:8443", "https://[::1]:8443"),
        ("https://[2001:DB8::1]", "https://[2001:db8::1]"),
    ])
    func `an address has one form`(typed: String, origin: String) throws {
        #expect(try ServerEndpoint(origin: typed).origin == origin)
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com", "https://", "https:///", "https://example.com/path",
        "https://user@example.com", "https://user:pw@example.com", "https://example.com?x",
        "https://example.com#x", "https://example.com:", "https://example.com:0",
        "https://example.com:65536", "https://example.com:+1", "https://exa mple.com",
        "https://example.com\r\n", "https://ex%61mple.com", "https://[::1", "https://::1",
        "https://-o", "https://exämple.com", "file:///etc/passwd",
    ])
    func `anything else is refused`(typed: String) {
        #expect(throws: TransportError.malformedOrigin) { try ServerEndpoint(origin: typed) }
    }

    @Test
    func `plaintext is for this machine alone, and only when allowed`() throws {
        for host in ["localhost", "127.0.0.1", "[::1]"] {
            let origin = "http://\(host):8080"
            #expect(throws: TransportError.plaintextForbidden) {
                try ServerEndpoint(origin: origin)
            }
            let endpoint = try ServerEndpoint(origin: origin, allowsPlaintextToLoopback: true)
            #expect(endpoint.isPlaintext)
        }
        for host in ["example.com", "127.0.0.1.example.com", "localhost.example.com", "10.0.0.1"] {
            #expect(throws: TransportError.plaintextForbidden) {
                try ServerEndpoint(origin: "http://\(host)", allowsPlaintextToLoopback: true)
            }
        }
    }

    @Test(arguments: [
        "", "sha256//", String(repeating: "A", count: 43) + "=",
        "sha256//" + String(repeating: "A", count: 44),
        "sha256//" + String(repeating: "A", count: 42) + "=",
        "sha256//" + String(repeating: "A", count: 42) + "B=",
        "sha256//" + String(repeating: "-", count: 43) + "=",
        "SHA256//" + String(repeating: "A", count: 43) + "=",
        "sha256//" + String(repeating: "A", count: 41) + "==",
        "sha256//" + String(repeating: "A", count: 21) + " " + String(repeating: "A", count: 21)
            + "=",
        "sha256/" + String(repeating: "A", count: 43) + "=",
        pin + ";" + pin, pin + " ", pin + "\n", "/etc/passwd",
    ])
    func `a malformed pin is refused, even among valid ones`(written: String) {
        #expect(throws: TransportError.untrusted(.malformedPin)) {
            try ServerEndpoint(origin: "https://a.example", pins: [Self.pin, written])
        }
    }

    @Test
    func `a well-formed pin is accepted`() throws {
        #expect(ServerEndpoint.isWellFormed(pin: Self.pin))
        #expect(
            try ServerEndpoint(origin: "https://a.example", pins: [Self.pin]).pins == [Self.pin]
        )
    }

    @Test
    func `only temporary errors are worth retrying`() {
        #expect(TransportError.outOfReach(code: 7).isWorthRetrying)
        #expect(TransportError.timedOut.isWorthRetrying)
        #expect(TransportError.unexpectedStatus(503).isWorthRetrying)
        #expect(!TransportError.unexpectedStatus(401).isWorthRetrying)
        #expect(!TransportError.untrusted(.pinMismatch).isWorthRetrying)
        #expect(!TransportError.cancelled.isWorthRetrying)
    }

    @Test(
        arguments: [
            (429, "7", 7), (503, "30", 30), (503, "0", 0), (503, nil, nil), (500, "7", nil),
            (401, "7", nil), (200, "7", nil), (429, "-1", nil), (429, "", nil), (429, "1.5", nil),
            (503, "Fri, 31 Dec 1999 23:59:59 GMT", nil), (429, "99999999999999999999", nil),
        ] as [(Int, String?, UInt64?)]
    )
    func `an answer may say when to ask again`(
        status: Int,
        value: String?,
        seconds: UInt64?
    ) {
        let headers = value.map { ["retry-after": $0] } ?? [:]
        let response = TransportResponse(status: status, headers: headers)
        #expect(response.retryAfterSeconds == seconds)
    }

    @Test
    func `session keys are not written down and no foreign code is loaded`() async {
        #expect(TransportEnvironment.refusedVariables.contains("SSLKEYLOGFILE"))
        // In a process of its own: another thread may be reading the environment here.
        await #expect(processExitsWith: .success) {
            let names = TransportEnvironment.refusedVariables
            for name in names { unsafe setenv(name, "/dev/null", 1) }
            TransportEnvironment.harden()
            for name in names { #expect(unsafe getenv(name) == nil) }
        }
    }
}

/// Parsing a stream of bytes into events.
struct ServerEventTests {
    private func events(_ text: String) throws -> [ServerEvent] {
        var parser = ServerEventParser()
        return try parser.receive(Array(text.utf8))
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func `lines end in any of three ways`(end: String) throws {
        let lines = [
            ": comment", "event: changes", "data: {\"seq\":1}", "id: 4", "", "data:a", "data: b",
            "", "",
        ]
        #expect(
            try events(lines.joined(separator: end) + end) == [
                ServerEvent(name: "changes", data: "{\"seq\":1}"),
                ServerEvent(name: "message", data: "a\nb"),
            ]
        )
    }

    @Test
    func `an event is complete at its empty line, however the bytes are cut`() throws {
        var parser = ServerEventParser()
        var found: [ServerEvent] = []
        for byte in Array("\u{FEFF}event: é\r\ndata: x\r\n\r\ndata: unfinished\r\n".utf8) {
            found += try parser.receive([byte])
        }
        #expect(found == [ServerEvent(name: "é", data: "x")])
    }

    @Test
    func `an event without data is dropped, and fields without a colon are names`() throws {
        #expect(try events("event: ping\n\ndata\n\n").map(\.data) == [""])
    }

    @Test
    func `an event that never ends is refused`() {
        let line = "data: " + String(repeating: "x", count: 1000) + "\n"
        #expect(throws: TransportError.tooLarge) {
            try events(String(repeating: line, count: 100))
        }
        #expect(throws: TransportError.tooLarge) {
            try events(String(repeating: "x", count: ServerEventParser.eventBytesMax + 1))
        }
    }
}
