import KSCertificates
import KSDigests
import KSTestSupport
import Testing

/// These expect what openssl(1) prints about the fixtures.
struct ParsedCertificateTests {
    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.filter { $0.isHexDigit }
        return stride(from: 0, to: digits.count, by: 2).compactMap { offset in
            let start = digits.index(digits.startIndex, offsetBy: offset)
            return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
        }
    }

    @Test
    func `a certificate is read in all its parts`() throws {
        let certificate = try ParsedCertificate(pem: KeyFixtures.certificate)
        #expect(SHA1.hash(certificate.der) == bytes("95bc09e0b329ccde88c89358b63b75381098ba06"))
        #expect(certificate.serialNumber == bytes("00fa1122334455"))
        #expect(certificate.subject == certificate.issuer)
        #expect(certificate.subject.starts(with: bytes("30 69 31 0b 30 09 06 03 55 04 06 13 02")))
        #expect(certificate.subjectKeyID == bytes("95550C9A2BCB28042DBC157F4CE86A4029BEBF7B"))
        // RFC 5280 §4.2.1.2 makes the identifier the same way, so here they are equal.
        #expect(certificate.publicKeyHash == certificate.subjectKeyID)
        #expect(certificate.certificateType == 3)
        #expect(certificate.encoding == 3)
        #expect(certificate.summary == "Ada Lovelace")
        #expect(certificate.commonName == "Ada Lovelace")
        #expect(certificate.emailAddresses == ["ada@example.org", "ada@example.com"])
        #expect(certificate.notBefore == 1_795_304_311)
        #expect(certificate.notAfter == 2_110_664_311)
        let key = try #require(certificate.publicKey)
        #expect(key.type == "73")
        #expect(key.bits == 256)
        #expect(key.external.starts(with: bytes("0412353a6e484ad435")))
        #expect(key.external.count == 65)
        #expect(key.hash == certificate.publicKeyHash)
        #expect(try ParsedCertificate(der: certificate.der) == certificate)
        #expect(try certificate.pem() == KeyFixtures.certificate + "\n")
    }

    @Test
    func `a certificate without extensions is read too`() throws {
        let certificate = try ParsedCertificate(pem: KeyFixtures.rsaCertificate)
        #expect(certificate.subjectKeyID == nil)
        #expect(certificate.summary == "Only Org")
        #expect(certificate.commonName == nil)
        #expect(certificate.emailAddresses == [])
        #expect(certificate.serialNumber == [7])
        let key = try #require(certificate.publicKey)
        #expect(key.type == "42")
        #expect(key.bits == 1024)
        #expect(key.hash == bytes("e821b305ec3339b69fb41b3bda1834f40696bfc0"))
        #expect(certificate.publicKeyHash == key.hash)
    }

    @Test
    func `every truncation is refused, and every addition`() throws {
        let der = try ParsedCertificate(pem: KeyFixtures.certificate).der
        for count in 0..<der.count {
            #expect(throws: OpenSSLError.malformed) {
                try ParsedCertificate(der: Array(der.prefix(count)))
            }
        }
        #expect(throws: OpenSSLError.malformed) { try ParsedCertificate(der: der + [0]) }
        #expect(throws: OpenSSLError.tooLarge) {
            try ParsedCertificate(der: [UInt8](repeating: 0x30, count: 1 << 17))
        }
    }

    /// Any bytes give a certificate or the one error.
    @Test
    func `a changed byte is an error or another certificate`() throws {
        let der = try ParsedCertificate(pem: KeyFixtures.certificate).der
        for index in der.indices {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var changed = der
                changed[index] ^= change
                do throws(OpenSSLError) {
                    _ = try ParsedCertificate(der: changed)
                } catch {
                    #expect(error == .malformed)
                }
            }
        }
    }

    @Test
    func `a text is split into its blocks`() throws {
        let text = "before\r\n" + KeyFixtures.certificate + "\nbetween\n" + KeyFixtures.p256 + "\n"
        let blocks = try PEMBlock.blocks(in: text)
        #expect(blocks.map(\.label) == ["CERTIFICATE", "EC PRIVATE KEY"])
        #expect(blocks.map(\.text) == [KeyFixtures.certificate + "\n", KeyFixtures.p256 + "\n"])
        #expect(try PEMBlock.blocks(in: "nothing\n") == [])
        for broken in [
            "-----BEGIN A-----\nAAAA\n", "-----BEGIN A-----\nAAAA\n-----END B-----\n",
        ] {
            #expect(throws: OpenSSLError.malformed) { try PEMBlock.blocks(in: broken) }
        }
    }

    @Test(arguments: [KeyFixtures.certificate, KeyFixtures.rsaCertificate])
    func `a public key survives encoding`(text: String) throws {
        let key = try #require(try ParsedCertificate(pem: text).publicKey)
        let blocks = try PEMBlock.blocks(in: key.pem())
        #expect(blocks.map(\.label) == ["PUBLIC KEY"])
        #expect(try PublicKeyInfo(pem: try #require(blocks.first)) == key)
        #expect(try PublicKeyInfo(der: key.subjectPublicKeyInfo()) == key)
        #expect(throws: OpenSSLError.malformed) {
            try PublicKeyInfo(type: "73", bits: 256, external: [4, 1, 2]).pem()
        }
    }
}
