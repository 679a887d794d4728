import Certificates
import Foundation
import Testing

/// Something that speaks TLS with a certificate of two years ago; our own server would not start.
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
        let program = try RunningProgram(
            "/usr/bin/openssl",
            [
                "s_server", "-accept", "127.0.0.1:0", "-www", "-alpn", "h2,http/1.1",
                "-cert", world.write(made.certificatePEM, to: "expired.pem"),
                "-key", world.write(made.keyPEM, to: "expired.key"),
            ],
            folder: world.folder
        )
        let line = /ACCEPT 127\.0\.0\.1:([0-9]+)/
        _ = await eventually {
            program.output.contains(line) || !program.process.isRunning
        }
        let match = try #require(program.output.firstMatch(of: line), "\(program.errors)")
        return ExpiredServer(
            program: program,
            url: "https://127.0.0.1:\(match.1)",
            pin: try CertificatePin.pin(certificatePEM: made.certificatePEM)
        )
    }
}
