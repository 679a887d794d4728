import Foundation
import KSCertificates
import KSSyncServer
import KSTestPrograms
import KSTransport
import Logging
import Synchronization
import Testing

/// The server's own certificate: how it is renewed, and how its key is replaced.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct CertificateRenewalTests {
    private static let now = UInt64(Date().timeIntervalSince1970)
    private static let certificate = "/certificate.pem"
    private static let key = "/certificate.key"

    private static func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func make(
        days: Int,
        from seconds: UInt64 = now
    ) throws -> (certificatePEM: String, keyPEM: String) {
        try SelfSignedCertificate.make(
            hostNames: ["localhost"],
            addresses: ["127.0.0.1"],
            validDays: days,
            now: seconds
        )
    }

    private static func daysLeft(_ pem: String) throws -> Int64 {
        try (ParsedCertificate(pem: pem).notAfter - Int64(now)) / 86_400
    }

    private static func daysLeft(inFile path: String) throws -> Int64 {
        try daysLeft(String(contentsOfFile: path, encoding: .utf8))
    }

    @Test(arguments: [(1, 0), (30, 0), (30, 3 * 365)])
    func `a start renews a certificate that ends soon, and the pin stays`(
        days: Int,
        daysAgo: UInt64
    ) async throws {
        try await withTemporaryDirectory { data in
            let old = try Self.make(days: days, from: Self.now - daysAgo * 86_400)
            try Self.write(old.certificatePEM, to: data + Self.certificate)
            try Self.write(old.keyPEM, to: data + Self.key)
            let server = try await ServerProcess.start(data: data)
            #expect(try server.pin == CertificatePin.pin(certificatePEM: old.certificatePEM))
            #expect(try Self.daysLeft(inFile: data + Self.certificate) > 800)
            let shown = try await CurlTransport.certificate(shownBy: server.url)
            #expect(try Self.daysLeft(shown) > 800)
            #expect(await server.stop().status == 0)
        }
    }

    @Test
    func `a certificate that lasts stays as it is`() async throws {
        try await withTemporaryDirectory { data in
            let old = try Self.make(days: 40)
            try Self.write(old.certificatePEM, to: data + Self.certificate)
            try Self.write(old.keyPEM, to: data + Self.key)
            let server = try await ServerProcess.start(data: data)
            #expect(await server.stop().status == 0)
            let kept = try String(contentsOfFile: data + Self.certificate, encoding: .utf8)
            #expect(kept == old.certificatePEM)
        }
    }

    @Test(arguments: [false, true])
    func `a key decides when its certificate is missing or another key's`(
        hasOther: Bool
    ) async throws {
        try await withTemporaryDirectory { data in
            let key = try Self.make(days: 400)
            try Self.write(key.keyPEM, to: data + Self.key)
            if hasOther {
                try Self.write(
                    Self.make(days: 400).certificatePEM,
                    to: data + Self.certificate
                )
            }
            let server = try await ServerProcess.start(data: data)
            #expect(try server.pin == CertificatePin.pin(keyPEM: key.keyPEM))
            #expect(await server.stop().status == 0)
        }
    }

    @Test
    func `a running server renews its certificate by itself before it ends`() async throws {
        try await withTemporaryDirectory { data in
            let old = try Self.make(days: 400)
            try Self.write(old.certificatePEM, to: data + Self.certificate)
            try Self.write(old.keyPEM, to: data + Self.key)
            let passed = Mutex<UInt64>(0)
            let clock = WallClock {
                (Self.now + 60 + passed.withLock { $0 } * 86_400) * 1000
            }
            let address = try #require(ListenAddress("127.0.0.1:8443"))
            var intervals = CertificateWatch.Intervals()
            (intervals.check, intervals.look) = (.milliseconds(20), .milliseconds(5))
            let watch = try CertificateWatch(
                files: [data + Self.certificate, data + Self.key],
                clock: clock,
                intervals: intervals,
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            ) {
                try ServerCertificate(
                    ofDirectory: DataDirectory(path: data),
                    address: address,
                    origins: [],
                    clock: clock
                )
            }
            let first = watch.certificate
            let running = Task { try await watch.run() }
            passed.withLock { $0 = 360 }
            try await Task.sleep(for: .milliseconds(200))
            #expect(watch.certificate.endSeconds == first.endSeconds)
            passed.withLock { $0 = 371 }
            #expect(await eventually { watch.certificate.endSeconds > first.endSeconds })
            #expect(watch.certificate.pin == first.pin)
            running.cancel()
            try await running.value
            // Nobody waits for longer than a day.
            #expect(CertificateWatch.Intervals().check <= .seconds(86_400))
        }
    }

    @Test
    func `SIGHUP renews the certificate of a running server`() async throws {
        try await withTemporaryDirectory { data in
            let server = try await ServerProcess.start(data: data)
            let key = try String(contentsOfFile: data + Self.key, encoding: .utf8)
            let soon = try SelfSignedCertificate.renew(
                keyPEM: key,
                hostNames: ["localhost"],
                addresses: [],
                validDays: 1,
                now: Self.now
            )
            let first = try await CurlTransport.certificate(shownBy: server.url)
            try Self.write(soon, to: data + Self.certificate)
            var shown = first
            for _ in 0..<200 where shown == first {
                #expect(kill(server.processID, SIGHUP) == 0)
                try await Task.sleep(for: .milliseconds(50))
                shown = try await CurlTransport.certificate(shownBy: server.url)
            }
            #expect(shown != first)
            #expect(try Self.daysLeft(shown) > 800)
            #expect(try CertificatePin.pin(certificatePEM: shown) == server.pin)
            #expect(await server.stop().status == 0)
        }
    }

    @Test
    func `SIGHUP loads an operator's new certificate, and keeps the old one if it is bad`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let (pem, key) = (directory + "/own.pem", directory + "/own.key")
            let old = try Self.make(days: 20)
            try Self.write(old.certificatePEM, to: pem)
            try Self.write(old.keyPEM, to: key)
            let server = try await ServerProcess.start(
                data: directory + "/data",
                arguments: ["--tls-cert", pem, "--tls-key", key]
            )
            let new = try Self.make(days: 50)
            try Self.write(new.certificatePEM, to: pem)
            for _ in 0..<10 {
                #expect(kill(server.processID, SIGHUP) == 0)
                try await Task.sleep(for: .milliseconds(50))
            }
            let kept = try await CurlTransport.certificate(shownBy: server.url)
            #expect(try CertificatePin.pin(certificatePEM: kept) == server.pin)
            try Self.write(new.keyPEM, to: key)
            let pin = try CertificatePin.pin(certificatePEM: new.certificatePEM)
            var shown = server.pin
            for _ in 0..<200 where shown != pin {
                #expect(kill(server.processID, SIGHUP) == 0)
                try await Task.sleep(for: .milliseconds(50))
                let text = try await CurlTransport.certificate(shownBy: server.url)
                shown = try CertificatePin.pin(certificatePEM: text)
            }
            #expect(shown == pin)
            let log = await server.stop().log
            #expect(log.contains("the certificate ends soon"))
            #expect(log.contains("the certificate stays the old one"))
        }
    }

    /// Points the links of certificate and key to other files, as certbot does after a renewal.
    private static func link(_ name: String, in folder: String) throws {
        for ending in [".pem", ".key"] {
            let link = folder + "/live" + ending
            if FileManager.default.fileExists(atPath: link) {
                try FileManager.default.removeItem(atPath: link)
            }
            try FileManager.default.createSymbolicLink(
                atPath: link,
                withDestinationPath: folder + "/" + name + ending
            )
        }
    }

    @Test
    func `a server uses new files by itself, and keeps what it has while they are bad`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let (first, second) = (try Self.make(days: 400), try Self.make(days: 400))
            for (name, made) in [("first", first), ("second", second)] {
                try Self.write(made.certificatePEM, to: "\(directory)/\(name).pem")
                try Self.write(made.keyPEM, to: "\(directory)/\(name).key")
            }
            try Self.link("first", in: directory)
            let server = try await ServerProcess.start(
                data: directory + "/data",
                arguments: [
                    "--tls-cert", directory + "/live.pem", "--tls-key", directory + "/live.key",
                ]
            )
            func shownPin() async throws -> String {
                let text = try await CurlTransport.certificate(shownBy: server.url)
                return try CertificatePin.pin(certificatePEM: text)
            }
            try Self.link("second", in: directory)
            let pin = try CertificatePin.pin(certificatePEM: second.certificatePEM)
            #expect(try await eventually { try await shownPin() == pin })
            #expect(!server.log.contains("stays the old one"), "\(server.log)")

            try Self.write("no certificate", to: directory + "/second.pem")
            #expect(await eventually { server.log.contains("stays the old one") })
            #expect(try await shownPin() == pin)
            let soon = try SelfSignedCertificate.renew(
                keyPEM: second.keyPEM,
                hostNames: ["localhost"],
                addresses: [],
                validDays: 20,
                now: Self.now
            )
            try Self.write(soon, to: directory + "/second.pem")
            #expect(await eventually { server.log.contains("the certificate ends soon") })
            #expect(await server.stop().status == 0)
        }
    }

    @Test
    func `the next pin is handed out before the key is used`() async throws {
        try await withTemporaryDirectory { directory in
            let data = directory + "/data"
            let server = try await ServerProcess.start(data: data)
            let early = try await ServerProgram.run(["next-pin", "--use", "--data", data])
            #expect(early.status == 77)
            expectOneSentence(early, saying: "stop it first")
            let made = try await ServerProgram.run(["next-pin", "--data", data])
            let pin = made.output.trimmingCharacters(in: .newlines)
            #expect(made.status == 0 && ServerEndpoint.isWellFormed(pin: pin), "\(made)")
            #expect(pin != server.pin)
            let repeated = try await ServerProgram.run(["next-pin", "--data", data])
            #expect(repeated.output == made.output)
            let path = data + "/certificate.next.key"
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(await server.stop().status == 0)

            // Until --use the key stays.
            let between = try await ServerProcess.start(data: data)
            #expect(between.pin == server.pin)
            #expect(await between.stop().status == 0)
            let used = try await ServerProgram.run(["next-pin", "--use", "--data", data])
            #expect(used.status == 0 && used.output.contains(pin), "\(used)")
            let after = try await ServerProcess.start(data: data)
            #expect(after.pin == pin)
            #expect(await after.stop().status == 0)
            let again = try await ServerProgram.run(["next-pin", "--use", "--data", data])
            #expect(again.status == 77)
            expectOneSentence(again, saying: "There is no next key")
        }
    }
}
