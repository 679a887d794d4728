import KSCertificates
import Foundation
import KSTestPrograms
import Testing

/// A TLS server with a certificate of two years ago; sync-server would refuse to start.
struct ExpiredServer {
    let program: RunningProgram
    let url: String
    let pin: String

    static func start(in world: World) async throws -> ExpiredServer {
        let twoYearsAgo = UInt64(Date().timeIntervalSince1970) - 2 * 365 * 86_400
        let made = try SelfSignedCertificate.make(
            hostNames: ["localhost"],
            addresses: ["127.0.0.1"],
            validDays: 30,
            now: twoYearsAgo
        )
        let program = try await start(
            certificate: world.write(made.certificatePEM, to: "expired.pem"),
            key: world.write(made.keyPEM, to: "expired.key"),
            port: 0,
            in: world
        )
        // With port 0 the server prints the port that it got.
        let match = try #require(
            program.output.firstMatch(of: /ACCEPT 127\.0\.0\.1:([0-9]+)/),
            "\(program.errors)"
        )
        return ExpiredServer(
            program: program,
            url: "https://127.0.0.1:\(match.1)",
            pin: try CertificatePin.pin(certificatePEM: made.certificatePEM)
        )
    }

    /// A server with any certificate, on a port that another server had before.
    static func start(
        certificate: String,
        key: String,
        port: Int,
        in world: World
    ) async throws -> RunningProgram {
        let arguments = [
            "s_server", "-accept", "127.0.0.1:\(port)", "-www", "-alpn", "h2,http/1.1",
            "-cert", certificate, "-key", key,
        ]
        var program = try await begin(arguments, in: world)
        // The system may have lent the port to another connection for a moment.
        for _ in 0..<20 where !program.isRunning {
            await pause(milliseconds: 500)
            program = try await begin(arguments, in: world)
        }
        try #require(program.isRunning, "\(program.errors)")
        return program
    }

    private static func begin(
        _ arguments: [String],
        in world: World
    ) async throws -> RunningProgram {
        let program = try await RunningProgram("/usr/bin/openssl", arguments, folder: world.folder)
        _ = await program.waitForOutput { $0.contains("ACCEPT") }
        return program
    }
}
