import KSCertificates
import Foundation
import KSTestPrograms
import Testing

struct CertificateTests {
    /// 2026-01-01 00:00 UTC.
    static let now: UInt64 = 1_767_225_600

    static func make(
        hostNames: [String] = ["localhost", "sync.example"],
        addresses: [String] = ["127.0.0.1", "::1"],
        validDays: Int = 825,
        now: UInt64 = now
    ) throws(OpenSSLError) -> (certificatePEM: String, keyPEM: String) {
        try SelfSignedCertificate.make(
            hostNames: hostNames,
            addresses: addresses,
            validDays: validDays,
            now: now
        )
    }

    /// From when until when a certificate is valid, in seconds since 1970-01-01 00:00 UTC.
    static func validity(of certificatePEM: String) throws -> ClosedRange<Int64> {
        let certificate = try ParsedCertificate(pem: certificatePEM)
        return certificate.notBefore...certificate.notAfter
    }

    /// Runs the command line of OpenSSL, another program than the code under test.
    static func openssl(
        _ arguments: [String],
        input: String = ""
    ) async throws -> (text: String, code: Int32) {
        let result = try await Programs.run(
            "/usr/bin/env",
            ["openssl"] + arguments,
            input: .text(input)
        )
        return (result.output, result.status)
    }

    @Test
    func `the certificate names the hosts and addresses, and is a server's`() async throws {
        let (certificate, _) = try Self.make()
        let (text, code) = try await Self.openssl(["x509", "-noout", "-text"], input: certificate)
        #expect(code == 0)
        for part in [
            "Version: 3", "prime256v1", "ecdsa-with-SHA256", "CA:FALSE", "Digital Signature",
            "TLS Web Server Authentication", "CN = localhost",
            "DNS:localhost, DNS:sync.example, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1",
            "Not Before: Dec 31 23:00:00 2025 GMT", "Not After : Apr  4 23:00:00 2028 GMT",
        ] {
            #expect(text.contains(part), "missing: \(part)\n\(text)")
        }
    }

    @Test
    func `the certificate verifies against itself, for its names only`() async throws {
        let (certificate, _) = try Self.make()
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            // A leftover temporary folder does no harm.
            try? FileManager.default.removeItem(at: folder)
        }
        let file = folder.appending(path: "certificate.pem").path
        try certificate.write(toFile: file, atomically: true, encoding: .utf8)
        func verify(_ options: [String]) async throws -> Int32 {
            let time = ["-attime", String(Self.now), "-purpose", "sslserver", "-CAfile", file]
            return try await Self.openssl(["verify"] + time + options + [file], input: "").code
        }
        #expect(try await verify(["-verify_hostname", "localhost"]) == 0)
        #expect(try await verify(["-verify_hostname", "sync.example"]) == 0)
        #expect(try await verify(["-verify_ip", "127.0.0.1"]) == 0)
        #expect(try await verify(["-verify_ip", "::1"]) == 0)
        #expect(try await verify(["-verify_hostname", "other.example"]) != 0)
        #expect(try await verify(["-verify_ip", "127.0.0.2"]) != 0)
    }

    @Test
    func `the key belongs to the certificate`() async throws {
        let (certificate, key) = try Self.make()
        #expect(key.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let fromKey = try await Self.openssl(["pkey", "-pubout"], input: key)
        let fromCertificate = try await Self.openssl(
            ["x509", "-noout", "-pubkey"],
            input: certificate
        )
        #expect(fromKey.code == 0 && fromKey.text == fromCertificate.text)
        #expect(try Self.make().keyPEM != key)
    }

    @Test
    func `the pin is what the OpenSSL command line computes`() async throws {
        let (certificate, _) = try Self.make()
        let pin = try CertificatePin.pin(certificatePEM: certificate)
        let key = try await Self.openssl(["x509", "-noout", "-pubkey"], input: certificate).text
        let encoded = key.split(separator: "\n").dropFirst().dropLast().joined()
        let der = try #require(Data(base64Encoded: encoded))
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try der.write(to: folder)
        defer {
            // A leftover temporary file does no harm.
            try? FileManager.default.removeItem(at: folder)
        }
        let digest = try await Self.openssl(["dgst", "-sha256", "-r", folder.path], input: "").text
        let hex = digest.prefix(64)
        let bytes = stride(from: 0, to: 64, by: 2).compactMap { offset in
            let start = hex.index(hex.startIndex, offsetBy: offset)
            return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)
        }
        #expect(pin == "sha256//" + Data(bytes).base64EncodedString())
    }

    @Test(arguments: [1, 30, 825])
    func `its dates are read back`(days: Int) throws {
        let (certificate, _) = try Self.make(validDays: days)
        let start = Int64(Self.now) - 3_600
        #expect(try Self.validity(of: certificate) == start...start + Int64(days) * 86_400)
    }

    @Test
    func `dates before 1970 and after 2049 can be read`() throws {
        // 2100-01-01 00:00 UTC, which X.509 writes in another form than years up to 2049.
        let (certificate, _) = try Self.make(validDays: 10, now: 4_102_444_800)
        #expect(try Self.validity(of: certificate).lowerBound == 4_102_441_200)
        let atZero = try Self.make(validDays: 1, now: 0).certificatePEM
        #expect(try Self.validity(of: atZero) == 0...86_400)
    }

    @Test(arguments: [-1, 0, 826])
    func `a validity of no day, or longer than clients accept, is refused`(days: Int) {
        #expect(throws: OpenSSLError.validityRefused) { try Self.make(validDays: days) }
    }

    @Test(arguments: [
        "", "a,DNS:evil.example", "a b", "dirName:x", "ü.example", "a\nb", "a/b",
        String(repeating: "a", count: 254),
    ])
    func `an invalid host name is refused`(name: String) {
        #expect(throws: OpenSSLError.nameRefused) { try Self.make(hostNames: [name]) }
    }

    @Test(arguments: ["", "127.0.0.1,DNS:evil.example", "127.0.0", "::g", "localhost", "1::2::3"])
    func `an invalid address is refused`(address: String) {
        #expect(throws: OpenSSLError.nameRefused) { try Self.make(addresses: [address]) }
    }

    @Test
    func `a certificate for nothing is refused, one for an address alone is made`() throws {
        #expect(throws: OpenSSLError.nameRefused) {
            try Self.make(hostNames: [], addresses: [])
        }
        _ = try Self.make(hostNames: [], addresses: ["192.0.2.1"])
    }

    @Test(arguments: ["", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `text without a certificate is refused`(text: String) {
        #expect(throws: OpenSSLError.malformed) {
            try CertificatePin.pin(certificatePEM: text)
        }
        #expect(throws: OpenSSLError.malformed) {
            try ParsedCertificate(pem: text)
        }
    }
}
