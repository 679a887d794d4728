import Foundation
import Security
import KSTestSupport
import Testing

/// The functions that read certificates; openssl(1) prints the same about the fixtures.
struct CertificateFunctionTests {
    private static func certificate(_ pem: String) throws -> SecCertificate {
        let lines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        let der = try #require(Data(base64Encoded: lines.joined()))
        return try #require(SecCertificateCreateWithData(nil, der as CFData))
    }

    @Test
    func `a common name is the subject's, or there is none`() throws {
        var name: CFString?
        let ada = try Self.certificate(KeyFixtures.certificate)
        #expect(unsafe SecCertificateCopyCommonName(ada, &name) == errSecSuccess)
        #expect(name as String? == "Ada Lovelace")
        // Its subject has only an organization, which the summary uses then.
        let organization = try Self.certificate(KeyFixtures.rsaCertificate)
        name = nil
        #expect(unsafe SecCertificateCopyCommonName(organization, &name) == errSecInternal)
        #expect(name == nil)
        #expect(SecCertificateCopySubjectSummary(organization) as String? == "Only Org")
    }

    @Test
    func `subject, issuer, dates and key are those of the certificate`() throws {
        let certificate = try Self.certificate(KeyFixtures.certificate)
        let subject = SecCertificateCopyNormalizedSubjectSequence(certificate) as Data?
        #expect(subject?.prefix(4) == Data([0x30, 0x69, 0x31, 0x0B]))
        #expect(SecCertificateCopyNormalizedIssuerSequence(certificate) as Data? == subject)
        let begin = SecCertificateCopyNotValidBeforeDate(certificate) as Date?
        let end = SecCertificateCopyNotValidAfterDate(certificate) as Date?
        #expect(begin?.timeIntervalSince1970 == 1_795_304_311)
        #expect(end?.timeIntervalSince1970 == 2_110_664_311)
        let key = try #require(SecCertificateCopyPublicKey(certificate))
        let sameKey = try #require(SecCertificateCopyKey(certificate))
        #expect(CFEqual(key, sameKey))
    }
}
