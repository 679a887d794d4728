import KSCertificates
import Foundation
import KSTestPrograms
import Testing

extension EndToEndTests {
    /// A device of the account whose server suddenly shows another certificate.
    struct ServerKeyTests {
        private static let names = ["certificate.pem", "certificate.key"]

        /// The output of `sync` and `status` while something is unsent, and that nothing is lost.
        private func expectHeldBack(_ device: Device, saying part: String) async throws {
            let sync = try await device.sync()
            #expect(sync.status == 77, "\(sync)")
            expectOneSentence(sync, saying: part)
            let status = try await device.client("status")
            #expect(status.status == 0)
            #expect(status.output.contains(/\nunsent +1\n/), "\(status)")
            let problem = try #require(status.output.firstMatch(of: /\nproblem +(.+)\n/))
            #expect(problem.1.contains(part), "\(status)")
            #expect(try await device.password("meanwhile") == "kept")
            let check = try await device.client("status", "--check")
            #expect(check.status == 77, "\(check)")
            expectOneSentence(check, saying: part)
        }

        /// A device that sends nothing says the same.
        private func expectNoticed(by idle: Device, saying part: String) async throws {
            let isNoticed = try await eventually {
                let status = try await idle.client("status")
                return status.output.firstMatch(of: /\nproblem +(.+)\n/)?.1.contains(part) == true
            }
            #expect(isNoticed)
            #expect(try await idle.client("status", "--check").status == 77)
        }

        private func expectSent(from device: Device, to other: Device) async throws {
            // The first attempt may still use a connection to the previous server.
            #expect(try await eventually { try await device.sync().status == 0 })
            let status = try await device.client("status")
            #expect(status.output.contains(/\nunsent +0\n/), "\(status)")
            #expect(!status.output.contains("problem"), "\(status)")
            #expect(try await other.sync().status == 0)
            #expect(try await other.password("meanwhile") == "kept")
        }

        @Test
        func `a server with another key gets nothing, and everything once the key is back`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                try await world.server.stop()
                try await laptop.save("meanwhile", "kept")
                let made = try SelfSignedCertificate.make(
                    hostNames: ["localhost"],
                    addresses: ["127.0.0.1"],
                    validDays: 30,
                    now: UInt64(Date().timeIntervalSince1970)
                )
                for (name, text) in zip(Self.names, [made.certificatePEM, made.keyPEM]) {
                    let file = world.serverData + "/" + name
                    try FileManager.default.moveItem(atPath: file, toPath: file + ".aside")
                    try Data(text.utf8).write(to: URL(filePath: file))
                    try FileManager.default.setAttributes(
                        [.posixPermissions: 0o600],
                        ofItemAtPath: file
                    )
                }
                try await world.server.start()
                try await expectHeldBack(laptop, saying: "server pin add NEW")
                try await expectNoticed(by: phone, saying: "server pin add NEW")
                try await world.server.stop()
                for name in Self.names {
                    let file = world.serverData + "/" + name
                    try FileManager.default.removeItem(atPath: file)
                    try FileManager.default.moveItem(atPath: file + ".aside", toPath: file)
                }
                try await world.server.start()
                try await expectSent(from: laptop, to: phone)
            }
        }

        @Test
        func
            `a server with an expired certificate gets nothing, and everything once it is renewed`()
            async throws
        {
            try await World.withDevices("laptop", "phone") { world, devices in
                let (laptop, phone) = (devices[0], devices[1])
                let port = try #require(URL(string: world.server.url)?.port)
                try await world.server.stop()
                try await laptop.save("meanwhile", "kept")
                // The server has the key that the devices know, so that only the date is wrong.
                let key = world.serverData + "/certificate.key"
                let made = try await RunningProgram(
                    "/usr/bin/openssl",
                    [
                        "x509", "-in", world.serverData + "/certificate.pem", "-signkey", key,
                        "-days", "-1", "-out", world.path("expired.pem"),
                    ],
                    folder: world.folder
                ).result()
                #expect(made.status == 0, "\(made)")
                let server = try await ExpiredServer.start(
                    certificate: world.path("expired.pem"),
                    key: key,
                    port: port,
                    in: world
                )
                try await expectHeldBack(laptop, saying: "expired")
                await server.kill()
                try await world.server.start()
                try await expectSent(from: laptop, to: phone)
            }
        }
    }
}
