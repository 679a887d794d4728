import KSCertificates
import KSTestSupport
import Testing

/// Chains of certificates, as `openssl crl2pkcs7 -nocrl` writes them.
struct CertificateBundleTests {
    private static func certificates() throws -> [ParsedCertificate] {
        try [KeyFixtures.certificate, KeyFixtures.rsaCertificate]
            .map { try ParsedCertificate(pem: $0) }
    }

    @Test
    func `openssl's file is read, and written byte for byte`() throws {
        let certificates = try Self.certificates()
        let blocks = try PEMBlock.blocks(in: Self.chain)
        #expect(blocks.map(\.label) == ["PKCS7"])
        #expect(try CertificateBundle.certificates(pem: blocks[0]) == certificates)
        #expect(try CertificateBundle.pem(certificates) == Self.chain + "\n")
        let der = try CertificateBundle.der(certificates)
        #expect(try CertificateBundle.certificates(der: der) == certificates)
    }

    @Test
    func `a file without certificates has none`() throws {
        let der = try CertificateBundle.der([])
        #expect(try CertificateBundle.certificates(der: der) == [])
    }

    @Test
    func `another kind of file is refused`() throws {
        let certificate = try Self.certificates()[0]
        for bytes in [[], [0x30], Array("hello".utf8), certificate.der] {
            #expect(throws: OpenSSLError.malformed) {
                try CertificateBundle.certificates(der: bytes)
            }
        }
        let block = try PEMBlock.blocks(in: KeyFixtures.certificate)[0]
        #expect(throws: OpenSSLError.malformed) {
            try CertificateBundle.certificates(pem: block)
        }
        let large = [UInt8](repeating: 0, count: PEMBlock.textBytesMax + 1)
        #expect(throws: OpenSSLError.tooLarge) {
            try CertificateBundle.certificates(der: large)
        }
    }

    @Test
    func `every truncation is refused, and a changed byte at most an error`() throws {
        let der = try CertificateBundle.der(Self.certificates())
        for count in 0..<der.count {
            #expect(throws: OpenSSLError.self, "\(count) bytes") {
                try CertificateBundle.certificates(der: Array(der.prefix(count)))
            }
        }
        for index in der.indices {
            var changed = der
            changed[index] ^= 0x55
            // Either result is right; the call only has to return.
            _ = try? CertificateBundle.certificates(der: changed)
        }
    }

    private static let chain = """
        -----BEGIN PKCS7-----
        MIIERQYJKoZIhvcNAQcCoIIENjCCBDICAQExADALBgkqhkiG9w0BBwGgggQaMIIC
        QjCCAemgAwIBAgIHAPoRIjNEVTAKBggqhkjOPQQDAjBpMQswCQYDVQQGEwJERTEU
        MBIGA1UECgwLRXhhbXBsZSBPcmcxDTALBgNVBAsMBFVuaXQxFTATBgNVBAMMDEFk
        YSBMb3ZlbGFjZTEeMBwGCSqGSIb3DQEJARYPYWRhQGV4YW1wbGUub3JnMB4XDTI2
        MTEyMTIzMzgzMVoXDTM2MTExODIzMzgzMVowaTELMAkGA1UEBhMCREUxFDASBgNV
        BAoMC0V4YW1wbGUgT3JnMQ0wCwYDVQQLDARVbml0MRUwEwYDVQQDDAxBZGEgTG92
        ZWxhY2UxHjAcBgkqhkiG9w0BCQEWD2FkYUBleGFtcGxlLm9yZzBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABBI1Om5IStQ1GRjZ93YmM5jednVM6VBr9FqlvJRIBCvB
        mPYx3VtZXiFm4oDEOTLaSpp2+T3FNWlK7WgmjfBr1PWjfDB6MB0GA1UdDgQWBBSV
        VQyaK8soBC28FX9M6GpAKb6/ezAfBgNVHSMEGDAWgBSVVQyaK8soBC28FX9M6GpA
        Kb6/ezAPBgNVHRMBAf8EBTADAQH/MCcGA1UdEQQgMB6BD2FkYUBleGFtcGxlLmNv
        bYILZXhhbXBsZS5vcmcwCgYIKoZIzj0EAwIDRwAwRAIgVftkjDt9KnC2QucwsFrK
        fUIrGcRwtCQzFpkwAfAmmVECIGKj9UkyEcskF91Izc7lw0py68s8+aPvs6VKIdym
        X/XzMIIB0DCCATmgAwIBAgIBBzANBgkqhkiG9w0BAQsFADATMREwDwYDVQQKDAhP
        bmx5IE9yZzAeFw0yNjExMjEyMzM4MzFaFw0zNjExMTgyMzM4MzFaMBMxETAPBgNV
        BAoMCE9ubHkgT3JnMIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDgLnJE2WmD
        2QWXgI0U28J92w3E1SmnixEa0geDPPki/dNE+WydNC3O0uyDvkqwUOZlUJnEkzYB
        S8Uvj94s6YuABDXO+hyJe6s4TZjqdrC4LZXNJqdpHFVITzG9LQ1fuaGjq0YM/D4e
        VNkDyJ6bCTsgIMgA9YETnkgl5qgPMU91owIDAQABozQwMjAfBgNVHSMEGDAWgBTo
        IbMF7DM5tp+0GzvaGDT0Bpa/wDAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3DQEB
        CwUAA4GBAMvsWyH7mQP9+XnFubUgDAiTiwNFTxmLDYAN+jLZGbSzp+NTsGbSY8i3
        BWf7MScu/LlRjvcQuvzBA8Gjll4/dmnaFUUz3HDHtDiU5TMlCR/UppwUYrb5OoZs
        CX7+lQ18JlO+Nf2GUcvztIL6YdHHFACvt+9MDVtyqt8+4ffUjeBaMQA=
        -----END PKCS7-----
        """
}
