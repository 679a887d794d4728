import KSCertificates
import Foundation
import KSTestPrograms
import Testing

/// A TLS server that writes what it reads to its output, and answers nothing but the questions
/// before a sign-up.
struct MuteServer {
    let program: RunningProgram
    let url: String
    let pin: String

    static func start(in world: World) async throws -> MuteServer {
        let made = try SelfSignedCertificate.make(
            hostNames: ["localhost"],
            addresses: ["127.0.0.1"],
            validDays: 30,
            now: UInt64(Date().timeIntervalSince1970)
        )
        return try await start(
            in: world,
            port: 0,
            certificate: world.write(made.certificatePEM, to: "mute.pem"),
            key: world.write(made.keyPEM, to: "mute.key"),
            pin: try CertificatePin.pin(certificatePEM: made.certificatePEM)
        )
    }

    /// Stops the world's server, and takes its place until it is started again.
    static func replaceServer(of world: World) async throws -> MuteServer {
        let port = try #require(URL(string: world.server.url)?.port)
        let pin = try world.server.pin
        try await world.server.stop()
        return try await start(
            in: world,
            port: port,
            certificate: world.serverData + "/certificate.pem",
            key: world.serverData + "/certificate.key",
            pin: pin
        )
    }

    private static func start(
        in world: World,
        port: Int,
        certificate: String,
        key: String,
        pin: String
    ) async throws -> MuteServer {
        let program = try await RunningProgram(
            "/usr/bin/openssl",
            [
                "s_server", "-accept", "127.0.0.1:\(port)", "-alpn", "http/1.1",
                "-cert", certificate, "-key", key,
            ],
            folder: world.folder,
            // It ends with its input.
            input: .typed
        )
        _ = await program.waitForOutput { $0.contains("ACCEPT") }
        guard port == 0 else {
            return MuteServer(program: program, url: "https://127.0.0.1:\(port)", pin: pin)
        }
        // It names the port only if the system chose it.
        let match = try #require(
            program.output.firstMatch(of: /ACCEPT 127\.0\.0\.1:([0-9]+)/),
            "\(program.errors)"
        )
        return MuteServer(program: program, url: "https://127.0.0.1:\(match.1)", pin: pin)
    }

    /// Answers what a sign-up asks first, and waits for the sign-up itself.
    func waitForSignUp() async throws {
        // A nonce of 16 bytes, as a message of Protocol Buffers.
        try await answer("/v1/sessions/challenge", "\n\u{10}0123456789abcdef")
        try await answer("/v1/accounts/check", "")
        #expect(await program.waitForOutput { $0.contains("POST /v1/accounts HTTP") })
    }

    private func answer(_ path: String, _ body: String) async throws {
        #expect(await program.waitForOutput { $0.contains("POST \(path) HTTP") })
        let headers = """
            content-type: application/x-protobuf\r\ncontent-length: \(body.utf8.count)
            """
        try program.type("HTTP/1.1 200 OK\r\n\(headers)\r\n\r\n" + body)
    }
}
