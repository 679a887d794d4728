import Foundation
import KSCertificates
import KSTestPrograms
import KSTestSupport
import Testing

extension EndToEndTests {
    /// Which authorities are accepted for a server's certificate.
    struct AuthorityTests {
        private static let machine = "/etc/ssl/certs"

        /// Runs a program with another folder as the machine's authorities.
        private func start(
            _ program: String,
            _ arguments: [String],
            trusting folder: String,
            in world: World
        ) async throws -> RunningProgram {
            let line = #"mount --bind "$1" "$2" && shift 2 && exec "$@""#
            return try await RunningProgram(
                "/usr/bin/unshare",
                ["--mount", "/bin/sh", "-c", line, "sh", folder, Self.machine]
                    + [Programs.path(program)] + arguments,
                folder: world.folder
            )
        }

        private func certificate(
            _ name: String,
            in world: World
        ) throws -> (file: String, key: String) {
            let made = try SelfSignedCertificate.make(
                hostNames: ["localhost"],
                addresses: ["127.0.0.1"],
                validDays: 30,
                now: UInt64(Date().timeIntervalSince1970)
            )
            return (
                try world.write(made.certificatePEM, to: name + ".pem"),
                try world.write(made.keyPEM, to: name + ".key")
            )
        }

        @Test(.enabled("no file system can be mounted here", SmallDisk.canMount))
        func `a file of authorities replaces the machine's folder of them`() async throws {
            try await World.with { world in
                let known = try certificate("known", in: world)
                // Another name: OpenSSL skips the folder for names that the file has.
                let other = try world.write(KeyFixtures.certificate, to: "other.pem")
                // curl's default places: one file, and a folder with hashes as names.
                let folder = world.path("certs")
                try FileManager.default.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: false
                )
                let hash = try await Programs.run(
                    "/usr/bin/openssl",
                    ["x509", "-noout", "-hash", "-in", known.file]
                ).output.dropLast()
                try FileManager.default.copyItem(
                    atPath: known.file,
                    toPath: "\(folder)/\(hash).0"
                )
                try FileManager.default.copyItem(
                    atPath: other,
                    toPath: folder + "/ca-certificates.crt"
                )
                try await world.server.start(["--tls-cert", known.file, "--tls-key", known.key])
                let device = world.device("laptop")
                let daemon = try await start(
                    "sync-client",
                    ["daemon", "--home", device.home],
                    trusting: folder,
                    in: world
                )
                let socket = device.home + "/run/agent.sock"
                let isReady = await eventually { FileManager.default.fileExists(atPath: socket) }
                try #require(isReady, "\(daemon.errors)")

                let arguments = [
                    "signup", "--server", try world.server.url, "--account", World.account,
                    "--device", "laptop", "--no-passcode", "--password-file", world.passwordFile,
                    "--kit",
                ]
                let refused = try await device.start(
                    "sync-client",
                    arguments + [world.path("refused.txt"), "--ca", other]
                ).result()
                #expect(refused.status != 0, "\(refused)")
                expectOneSentence(refused, saying: "certificate")
                // With the folder alone it is accepted, so the refusal had no other reason.
                let joined = try await device.start(
                    "sync-client",
                    arguments + [world.path(World.kit)]
                ).result()
                #expect(joined.status == 0, "\(joined)")
            }
        }
    }
}
