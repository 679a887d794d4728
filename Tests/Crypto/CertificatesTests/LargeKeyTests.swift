import KSCertificates
import Testing

/// Text of several thousand characters, which an array cannot keep on the stack.
///
/// OpenSSL once read such text after Swift had freed it: in release builds most reads failed.
struct LargeKeyTests {
    /// Fills freed memory with other bytes, as a busy program does, and reads.
    private func readOften<Value: Equatable>(
        _ read: () throws -> Value
    ) throws {
        let first = try read()
        for count in 1...200 {
            let noise = (0..<8).map { [UInt8](repeating: 0xFF, count: 256 * (count % 16) + $0) }
            #expect(try read() == first)
            #expect(noise.allSatisfy { $0.allSatisfy { $0 == 0xFF } })
        }
    }

    @Test
    func `a certificate for RSA 4096 is read each time`() throws {
        try readOften { try ParsedCertificate(pem: Self.certificate) }
        #expect(try ParsedCertificate(pem: Self.certificate).publicKey?.bits == 4096)
    }

    @Test
    func `a PKCS 7 file with large certificates is read each time`() throws {
        let certificate = try ParsedCertificate(pem: Self.certificate)
        let text = try CertificateBundle.pem([certificate, certificate, certificate])
        let block = try #require(try PEMBlock.blocks(in: text).first)
        try readOften { try CertificateBundle.certificates(pem: block) }
    }

    @Test
    func `a public key of RSA 4096 is read each time`() throws {
        let block = try #require(try PEMBlock.blocks(in: Self.publicKey).first)
        try readOften { try PublicKeyInfo(pem: block) }
        #expect(try PublicKeyInfo(pem: block).bits == 4096)
    }

    // openssl req -x509 -newkey rsa:4096 -nodes -days 36500 -subj "/CN=Large key"
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIFCzCCAvOgAwIBAgIUVJUnmOrE0WWZwXBn4MnH2L8/5YMwDQYJKoZIhvcNAQEL
        BQAwFDESMBAGA1UEAwwJTGFyZ2Uga2V5MCAXDTI2MTEyMzExMzEzNloYDzIxMjYx
        MDMwMTEzMTM2WjAUMRIwEAYDVQQDDAlMYXJnZSBrZXkwggIiMA0GCSqGSIb3DQEB
        AQUAA4ICDwAwggIKAoICAQDGr51LSbxxkisPFnETlDio8rhJjQhS/JZLX6QiUt+m
        7WAdjWpjyf2acy3xlfxt179TDB93rZwI77dI2j3W/mIwyIZGH0kEGiSuRW1WTbp/
        9NPDqIUJIx9JYtsfehPdMlJY7O1NMDRHQ7TQyljN0sZTVO73iQXHC9HFOrKv3LTF
        XexzeVOHcPLTjg2W5R3/ZkCdm1Co6QFT0LpHmSpkJKOyb7jEfsotxnZLVcFhgdnn
        ZLZRyVVbpQ+9BpDRzcwQX3THH/z076nr+ocoaYyvav9ci2qWvtpmcqbhQ1K1iFoX
        ca2MKi9A4mARVSmiybqxImcQX6AYfcDfF8MRVL/XLgt7uyElYUAjyAPJaNgmJWqn
        KT++xGOHu+2st+rObixAwX+37vCWsJvfbrkOw+JGe/NrD/8UrSdZENxCwlfYTCkb
        3ZeCdXvoY7gU2cDJcwaPVMmY6doeC/T1BBY7xWQ02EFrlpdfvKIUXZK+oXrqZtrZ
        iTCHlGddueb/zt17x8/YRlmFEljU4Qf7PVc3kZFb4hjOQQz7m8SJQ4HnMifGWAKJ
        kLW4Xu5BBHG8fAuVZyDBZIbZxS1fggUrC96FozEnB1l7uQzQcHf4qGCsQl1B0cOD
        zaA/zX0HYpQHe0z9nIq4CEKSyF6x2QU3h7wIfaMVjrN6h1saShr2rtqa8lVU5lXg
        ewIDAQABo1MwUTAdBgNVHQ4EFgQUyb200KyzKlYxCq/FkbE7d9PGgv4wHwYDVR0j
        BBgwFoAUyb200KyzKlYxCq/FkbE7d9PGgv4wDwYDVR0TAQH/BAUwAwEB/zANBgkq
        hkiG9w0BAQsFAAOCAgEAjn3JuIzgkFVLkI5APywLI5HoFJ9Jwu7vXfoDzs5VENBG
        kvgzDUU6To4SVvxFuPITbiUJkN6MLdaUDalRVbDkspLrMfgt6Nr1ORWc7FqXthKS
        u+kaQeun819iDzP7q1slQtvX+MjCBKu9Xj6Sx2h14nz1cldttFPk2EFatHN13LaT
        Xde4f9z8Tt4A6T+LbUUSr4dDdxoqdinDi4/+t0O4XQB9zfE6ueeR+jXtA0pnU4kL
        u8zziAclKRclKK9FUZWiAmfrTe0GQ7lfY53qdlBxWOxM6xqHy29YovB/RxwAxk6L
        VO+sRzMiE3wZ1Q0GJScJl7YJw12qkx+zA/Iq+kV1twL1HueOESpnTj3MFyh4chAS
        ZFz4YECk2mcXAp+kh246w0TA2XmIUAX4LqoMYRxP0PFBYChaZfJ5TlZuUZ9DATue
        wVC0PHCqGvDo2oMbDG4hooOWR/CSiL/gIxl4UJcav485hv5AGk7Gwt6zlNGE5GXk
        FBPKTOAdexSrHG+XPNOSSfYasRJyJcYDWXS2DA1/Uhw+JUhktsdyJ1RReoMrXiN1
        yr4HtbFLct8YxPX9f/HgXvsPWSmNyJiHLwXJBrHLlKQtRo/jos5panrNfvaCLuoR
        4T2r+Tpn1gmmSD1wqAqag0WEUecqkya4XZOU2MnFbyaXfqjm/dBOHt8hhUNDbck=
        -----END CERTIFICATE-----
        """

    private static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MIICIjANBgkqhkiG9w0BAQEFAAOCAg8AMIICCgKCAgEAxq+dS0m8cZIrDxZxE5Q4
        qPK4SY0IUvyWS1+kIlLfpu1gHY1qY8n9mnMt8ZX8bde/Uwwfd62cCO+3SNo91v5i
        MMiGRh9JBBokrkVtVk26f/TTw6iFCSMfSWLbH3oT3TJSWOztTTA0R0O00MpYzdLG
        U1Tu94kFxwvRxTqyr9y0xV3sc3lTh3Dy044NluUd/2ZAnZtQqOkBU9C6R5kqZCSj
        sm+4xH7KLcZ2S1XBYYHZ52S2UclVW6UPvQaQ0c3MEF90xx/89O+p6/qHKGmMr2r/
        XItqlr7aZnKm4UNStYhaF3GtjCovQOJgEVUposm6sSJnEF+gGH3A3xfDEVS/1y4L
        e7shJWFAI8gDyWjYJiVqpyk/vsRjh7vtrLfqzm4sQMF/t+7wlrCb3265DsPiRnvz
        aw//FK0nWRDcQsJX2EwpG92XgnV76GO4FNnAyXMGj1TJmOnaHgv09QQWO8VkNNhB
        a5aXX7yiFF2SvqF66mba2Ykwh5RnXbnm/87de8fP2EZZhRJY1OEH+z1XN5GRW+IY
        zkEM+5vEiUOB5zInxlgCiZC1uF7uQQRxvHwLlWcgwWSG2cUtX4IFKwvehaMxJwdZ
        e7kM0HB3+KhgrEJdQdHDg82gP819B2KUB3tM/ZyKuAhCkshesdkFN4e8CH2jFY6z
        eodbGkoa9q7amvJVVOZV4HsCAwEAAQ==
        -----END PUBLIC KEY-----
        """
}
