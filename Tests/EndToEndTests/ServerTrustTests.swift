import Foundation
import KSCertificates
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// What a device trusts: authorities, or pins.
    struct ServerTrustTests {
        private func certificate(
            in world: World,
            days: Int = 30
        ) throws -> (file: String, key: String) {
            let made = try SelfSignedCertificate.make(
                hostNames: ["localhost"],
                addresses: ["127.0.0.1"],
                validDays: days,
                now: UInt64(Date().timeIntervalSince1970)
            )
            return (
                try world.write(made.certificatePEM, to: "known.pem"),
                try world.write(made.keyPEM, to: "known.key")
            )
        }

        /// `trust`: options.
        private func signUp(
            _ device: Device,
            in world: World,
            trusting trust: [String]
        ) async throws {
            try await device.startDaemon()
            let signUp = try await device.start(
                "sync-client",
                [
                    "signup", "--server", try world.server.url, "--account", World.account,
                    "--device", device.name, "--no-passcode",
                    "--password-file", world.passwordFile, "--kit", world.path(World.kit),
                ] + trust
            ).result()
            try #require(signUp.status == 0, "\(signUp)")
        }

        private func expectSynced(_ device: Device) async throws {
            // The first attempt may still use a connection to the previous run of the server.
            #expect(try await eventually { try await device.sync().status == 0 })
        }

        @Test
        func `the first pin must be that of the present key, and authorities can come back`()
            async throws
        {
            try await World.with { world in
                let known = try certificate(in: world)
                let options = ["--tls-cert", known.file, "--tls-key", known.key]
                try await world.server.start(options)
                let (url, pin) = (try world.server.url, try world.server.pin)
                let laptop = world.device("laptop")
                try await signUp(laptop, in: world, trusting: ["--ca", known.file])
                let next = try CertificatePin.pin(keyPEM: SelfSignedCertificate.makeKey())

                let early = try await laptop.client("server", "pin", "add", next)
                #expect(early.status == 77, "\(early)")
                #expect(early.errors.contains("must be that of the present key"))
                try await world.server.stop()
                let silent = try await laptop.client("server", "pin", "add", pin)
                #expect(silent.status == 69, "\(silent)")
                #expect(silent.errors.contains("only while the server answers"), "\(silent)")
                try await world.server.start(options)
                let before = try await laptop.client("server").output
                #expect(!before.contains("\npin "), "\(before)")
                try await expectSynced(laptop)

                for new in [pin, next] {
                    let added = try await laptop.client("server", "pin", "add", new)
                    #expect(added.status == 0, "\(added)")
                }
                try await expectSynced(laptop)
                #expect(try await laptop.client("server", "pin", "remove", next).status == 0)
                let only = try await laptop.client("server", "pin", "remove", pin)
                #expect(only.status == 77 && only.errors.contains("--no-pin"), "\(only)")
                let both = try await laptop.client("server", "set", url, "--pin", pin, "--no-pin")
                #expect(both.status == 64 && both.errors.contains("not both"), "\(both)")
                let back = try await laptop.client("server", "set", url, "--no-pin")
                #expect(back.status == 0, "\(back)")
                let after = try await laptop.client("server").output
                #expect(!after.contains("\npin "), "\(after)")
                #expect(after.contains("authorities  \(known.file)\n"), "\(after)")
                try await expectSynced(laptop)
            }
        }

        @Test(arguments: [(20, true), (20, false), (40, true), (40, false)])
        func `status shows the end of a certificate from 30 days before`(
            days: Int,
            isPinned: Bool
        ) async throws {
            try await World.with { world in
                let known = try certificate(in: world, days: days)
                try await world.server.start(["--tls-cert", known.file, "--tls-key", known.key])
                let laptop = world.device("laptop")
                let pin = try world.server.pin
                try await signUp(
                    laptop,
                    in: world,
                    trusting: isPinned ? ["--pin", pin] : ["--ca", known.file]
                )
                let status = try await laptop.client("status").output
                #expect(status.contains("\ncertificate  of the server ends ") == (days < 30))
            }
        }

        @Test
        func `a device goes back to authorities only if one has signed the certificate`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let (url, pin) = (try world.server.url, try world.server.pin)
                let refused = try await laptop.client("server", "set", url, "--no-pin")
                #expect(refused.status == 77, "\(refused)")
                #expect(refused.errors.contains("signed by nobody"), "\(refused)")
                #expect(try await laptop.client("server").output.contains("\(pin)  in use\n"))
                try await expectSynced(laptop)
            }
        }

        /// A certificate with an extension of so many texts of 200 characters.
        private func large(
            _ count: Int,
            in world: World
        ) async throws -> (file: String, key: String) {
            let head = """
                [req]
                distinguished_name = name
                prompt = no
                x509_extensions = extensions
                [name]
                CN = localhost
                [extensions]
                1.2.3.4 = ASN1:SEQUENCE:texts
                [texts]

                """
            let text = String(repeating: "x", count: 200)
            let lines = (0..<count).map { "text\($0) = UTF8:\(text)\n" }.joined()
            let made = try await RunningProgram(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-days", "30", "-keyout", world.path("large.key"),
                    "-out", world.path("large.pem"),
                    "-config", try world.write(head + lines, to: "large.cnf"),
                ],
                folder: world.folder
            ).result()
            try #require(made.status == 0, "\(made)")
            return (world.path("large.pem"), world.path("large.key"))
        }

        @Test
        func `a certificate that cannot be read hides neither the address nor the pins`()
            async throws
        {
            try await World.withDevices("laptop") { world, devices in
                let laptop = devices[0]
                let (url, pin) = (try world.server.url, try world.server.pin)
                let port = try #require(URL(string: url)?.port)
                try await world.server.stop()
                // The second one is larger than any that is read.
                for (count, says, status) in [
                    (300, "\nproblem ", 77), (325, "\ncertificate  unknown: ", 69),
                ] as [(Int, String, Int32)] {
                    let made = try await large(count, in: world)
                    let server = try await ExpiredServer.start(
                        certificate: made.file,
                        key: made.key,
                        port: port,
                        in: world
                    )
                    let shown = try await laptop.client("server")
                    #expect(shown.status == status, "\(shown)")
                    #expect(shown.output.contains("server       \(url)\n"), "\(shown)")
                    #expect(shown.output.contains("pin          \(pin)\n"), "\(shown)")
                    #expect(shown.output.contains(says), "\(shown)")
                    await server.kill()
                }
            }
        }
    }
}
