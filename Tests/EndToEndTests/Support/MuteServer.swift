import KSCertificates
import Foundation
import KSTestPrograms
import Testing

/// A TLS server that writes what it reads to its output, and answers nothing.
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
        let program = try await RunningProgram(
            "/usr/bin/openssl",
            [
                "s_server", "-accept", "127.0.0.1:0", "-alpn", "http/1.1",
                "-cert", world.write(made.certificatePEM, to: "mute.pem"),
                "-key", world.write(made.keyPEM, to: "mute.key"),
            ],
            folder: world.folder,
            // It ends with its input.
            input: .typed
        )
        _ = await program.waitForOutput { $0.contains("ACCEPT") }
        let match = try #require(
            program.output.firstMatch(of: /ACCEPT 127\.0\.0\.1:([0-9]+)/),
            "\(program.errors)"
        )
        return MuteServer(
            program: program,
            url: "https://127.0.0.1:\(match.1)",
            pin: try CertificatePin.pin(certificatePEM: made.certificatePEM)
        )
    }
}
