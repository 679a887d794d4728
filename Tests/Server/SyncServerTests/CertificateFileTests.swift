import Foundation
import KSCertificates
import KSTestPrograms
import Testing

/// Files of a server's certificate that cannot be used stay as they are, above all its key.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct CertificateFileTests {
    private static let now = UInt64(Date().timeIntervalSince1970)
    private static let certificate = "/certificate.pem"
    private static let key = "/certificate.key"
    private static let setpriv = "/usr/bin/setpriv"
    private static let canBeRefused =
        geteuid() != 0 || FileManager.default.isExecutableFile(atPath: setpriv)

    private static func read(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    private static func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func setPermissions(_ permissions: Int, of path: String) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: permissions],
            ofItemAtPath: path
        )
    }

    private static func permissions(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
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

    /// Serves until the start is refused, as a user for whom permissions count, which they do not
    /// for root.
    private static func refusedStart(_ data: String) async throws -> ProgramResult {
        let words = ["serve", "--data", data, "--listen", "127.0.0.1:0"]
        guard geteuid() == 0, canBeRefused else { return try await ServerProgram.run(words) }
        let rights = "--bounding-set=-dac_override,-dac_read_search"
        return try await ServerProgram.run(
            [rights, Programs.path("sync-server")] + words,
            program: setpriv
        )
    }

    @Test(.enabled(if: canBeRefused))
    func `a key that the server may not read stays, and the start says so`() async throws {
        try await withTemporaryDirectory { data in
            let server = try await ServerProcess.start(data: data)
            #expect(await server.stop().status == 0)
            let key = try Self.read(data + Self.key)
            // As after a restore by root, of both files or of the key alone.
            for names in [[Self.key], [Self.certificate, Self.key], [Self.certificate]] {
                for name in names { try Self.setPermissions(0, of: data + name) }
                let refused = try await Self.refusedStart(data)
                #expect(refused.status == 64, "\(names): \(refused)")
                expectOneSentence(refused, saying: "let the server's user read it")
                for name in names { try Self.setPermissions(0o600, of: data + name) }
                #expect(try Self.read(data + Self.key) == key, "\(names)")
            }
            let again = try await ServerProcess.start(data: data)
            #expect(again.pin == server.pin)
            #expect(await again.stop().status == 0)
        }
    }

    @Test
    func `a link to a key that is missing stays, and the start says so`() async throws {
        try await withTemporaryDirectory { data in
            let elsewhere = data + "/elsewhere.key"
            let files = FileManager.default
            try files.createSymbolicLink(
                atPath: data + Self.key,
                withDestinationPath: elsewhere
            )
            let refused = try await Self.refusedStart(data)
            #expect(refused.status == 74, "\(refused)")
            expectOneSentence(refused, saying: "certificate.key cannot be read")
            #expect(try files.destinationOfSymbolicLink(atPath: data + Self.key) == elsewhere)
            #expect(!files.fileExists(atPath: elsewhere))
        }
    }

    @Test
    func `a start does not make a key for a certificate that has lost its own`() async throws {
        try await withTemporaryDirectory { data in
            try Self.write(Self.make(days: 400).certificatePEM, to: data + Self.certificate)
            let refused = try await Self.refusedStart(data)
            #expect(refused.status == 64, "\(refused)")
            expectOneSentence(refused, saying: "certificate.key is missing: bring it back")
            #expect(!FileManager.default.fileExists(atPath: data + Self.key))
        }
    }

    @Test
    func `a running server makes no key when its files disappear`() async throws {
        try await withTemporaryDirectory { data in
            let server = try await ServerProcess.start(data: data)
            for name in [Self.certificate, Self.key] {
                try FileManager.default.removeItem(atPath: data + name)
            }
            for _ in 0..<10 {
                #expect(kill(server.processID, SIGHUP) == 0)
                try await Task.sleep(for: .milliseconds(50))
            }
            let log = await server.stop().log
            #expect(log.contains("the certificate stays the old one"), "\(log)")
            #expect(log.contains("certificate.key is missing"), "\(log)")
            for name in [Self.certificate, Self.key] {
                #expect(!FileManager.default.fileExists(atPath: data + name))
            }
        }
    }

    @Test
    func `a certificate that is not valid yet stays, as the clock may be wrong`() async throws {
        try await withTemporaryDirectory { data in
            let later = try Self.make(days: 400, from: Self.now + 10 * 86_400)
            try Self.write(later.certificatePEM, to: data + Self.certificate)
            try Self.write(later.keyPEM, to: data + Self.key)
            let refused = try await Self.refusedStart(data)
            #expect(refused.status == 64, "\(refused)")
            expectOneSentence(refused, saying: "check this machine's clock")
            #expect(try Self.read(data + Self.certificate) == later.certificatePEM)
        }
    }

    /// Signs a certificate for the server's key with the key of an authority.
    private static func certifiedKey(in data: String) async throws -> String {
        let authority = try make(days: 400)
        let own = try make(days: 400).keyPEM
        let request = data + "/request.pem"
        let (signer, signerKey) = (data + "/authority.pem", data + "/authority.key")
        let (file, keyFile) = (data + certificate, data + key)
        let calls: [[String]] = [
            ["req", "-new", "-key", keyFile, "-subj", "/CN=sync.example.org", "-out", request],
            [
                "x509", "-req", "-in", request, "-CA", signer, "-CAkey", signerKey,
                "-set_serial", "1", "-days", "60", "-out", file,
            ],
        ]
        try write(authority.certificatePEM, to: signer)
        try write(authority.keyPEM, to: signerKey)
        try write(own, to: keyFile)
        for arguments in calls {
            let made = try await ServerProgram.run(arguments, program: "/usr/bin/openssl")
            try #require(made.status == 0, "\(made)")
        }
        return own
    }

    @Test
    func `the next key does not replace one that an authority has certified`() async throws {
        try await withTemporaryDirectory { data in
            let own = try await Self.certifiedKey(in: data)
            let made = try await ServerProgram.run(["next-pin", "--data", data])
            #expect(made.status == 0, "\(made)")
            let refused = try await ServerProgram.run(["next-pin", "--use", "--data", data])
            #expect(refused.status == 77, "\(refused)")
            expectOneSentence(refused, saying: "certificate.pem is an authority's")
            #expect(try Self.read(data + Self.key) == own)
            let server = try await ServerProcess.start(data: data)
            #expect(try server.pin == CertificatePin.pin(keyPEM: own))
            #expect(await server.stop().status == 0)

            try FileManager.default.removeItem(atPath: data + Self.certificate)
            let used = try await ServerProgram.run(["next-pin", "--use", "--data", data])
            #expect(used.status == 0, "\(used)")
            #expect(used.output.contains("unless the server is started with --tls-key"))
            let old = data + "/certificate.old.key"
            #expect(try Self.read(old) == own)
            #expect(try Self.permissions(of: old) == 0o600)
            let after = try await ServerProcess.start(data: data)
            #expect(made.output == after.pin + "\n")
            #expect(await after.stop().status == 0)
        }
    }
}
