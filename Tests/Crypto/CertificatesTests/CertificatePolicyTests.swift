import KSCertificates
import KSTestSupport
import Testing

/// Certificates made by OpenSSL's own command, each for one purpose; see `KeyFixtures`.
struct CertificatePolicyTests {
    /// 2030-01-01.
    private static let moment = 1_893_456_000.0

    private func isAdmitted(
        _ pem: String,
        _ policy: CertificatePolicy,
        at seconds: Double = moment
    ) throws -> Bool {
        policy.admits(try ParsedCertificate(pem: pem).der, atSeconds: seconds)
    }

    @Test
    func `a server's certificate is for its names and addresses alone`() throws {
        let server = PolicyFixtures.server
        #expect(try isAdmitted(server, .server(host: nil)))
        #expect(try isAdmitted(server, .server(host: "www.example.com")))
        #expect(try isAdmitted(server, .server(host: "WWW.EXAMPLE.COM")))
        #expect(try isAdmitted(server, .server(host: "a.wild.example.com")))
        #expect(try isAdmitted(server, .server(host: "192.0.2.7")))
        #expect(try !isAdmitted(server, .server(host: "a.b.wild.example.com")))
        #expect(try !isAdmitted(server, .server(host: "192.0.2.8")))
        #expect(try !isAdmitted(server, .server(host: "example.org")))
        #expect(try !isAdmitted(server, .client))
        #expect(try !isAdmitted(server, .codeSigning))
        #expect(try isAdmitted(server, .basic))
    }

    @Test
    func `each purpose follows from the certificate's usages`() throws {
        #expect(try isAdmitted(PolicyFixtures.code, .codeSigning))
        #expect(try !isAdmitted(PolicyFixtures.code, .server(host: nil)))
        #expect(try !isAdmitted(PolicyFixtures.code, .timeStamping))
        #expect(try isAdmitted(PolicyFixtures.mail, .mail(address: "ada@example.com")))
        #expect(try !isAdmitted(PolicyFixtures.mail, .mail(address: "bob@example.com")))
        #expect(try isAdmitted(PolicyFixtures.mail, .mail(address: nil)))
        #expect(try !isAdmitted(PolicyFixtures.mail, .client))
        // A certificate without the usage for code is not valid for code.
        #expect(try !isAdmitted(KeyFixtures.rsaCertificate, .codeSigning))
    }

    @Test
    func `a certificate outside its dates, or another text, is refused`() throws {
        let parsed = try ParsedCertificate(pem: PolicyFixtures.server)
        let policy = CertificatePolicy.basic
        #expect(policy.admits(parsed.der, atSeconds: Double(parsed.notBefore)))
        #expect(policy.admits(parsed.der, atSeconds: Double(parsed.notAfter)))
        #expect(!policy.admits(parsed.der, atSeconds: Double(parsed.notBefore) - 1))
        #expect(!policy.admits(parsed.der, atSeconds: Double(parsed.notAfter) + 1))
        #expect(!policy.admits([1, 2, 3], atSeconds: Self.moment))
    }
}
