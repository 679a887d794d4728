import KSOneTimeCodes
import Testing

/// What sites show and people paste, and the form that is stored.
struct OneTimeCodeTextTests {
    private let plain = "otpauth://totp/?secret=JBSWY3DPEHPK3PXP"

    @Test(arguments: [
        "JBSWY3DPEHPK3PXP", "jbsw y3dp ehpk 3pxp", " JBSW-Y3DP-EHPK-3PXP\n", "JBSWY3DPEHPK3PXP====",
        "\tjbswy3dp\u{A0}ehpk3pxp\r\n", "otpauth://totp/?secret=JBSWY3DPEHPK3PXP",
        "OTPAUTH://TOTP?SECRET=jbswy3dpehpk3pxp", "otpauth://totp/?secret=JBSW%20Y3DP+EHPK3PXP%3D",
        "otpauth://totp/?x&secret=JBSWY3DPEHPK3PXP&image=a%2Fb&secret=AAAA&digits=&period=#f",
        "otpauth://totp/?secret=JBSWY3DPEHPK3PXP&algorithm=sha1&digits=6&period=30&issuer=",
    ])
    func `a secret is read in every dress`(text: String) throws {
        let code = try OneTimeCode(text)
        #expect(code.url == plain)
        #expect(code == (try OneTimeCode(plain)))
    }

    /// The codes are those of pyotp 2.12.1.
    @Test
    func `an address names the issuer and the account`() throws {
        let code = try OneTimeCode(
            "otpauth://totp/ACME%20Co:john.doe@email.com?secret=HXDMVJECJJWSRB3HWIZR4IFUGFTMXBOZ"
                + "&issuer=ACME%20Co&algorithm=SHA1&digits=6&period=30"
        )
        #expect(code.issuer == "ACME Co" && code.account == "john.doe@email.com")
        #expect(code.code(atSeconds: 1_234_567_890) == "566657")
        #expect(
            code.url == "otpauth://totp/ACME%20Co:john.doe@email.com"
                + "?secret=HXDMVJECJJWSRB3HWIZR4IFUGFTMXBOZ&issuer=ACME%20Co"
        )
    }

    @Test(
        arguments: [
            ("Example:alice", "Example", "alice"), ("Example%3A%20alice", "Example", "alice"),
            ("Big%20Corp%3Aalice%2Bx%40a.de", "Big Corp", "alice+x@a.de"),
            ("alice+x", nil, "alice+x"),
            (":a%3Ab", nil, "a:b"), ("a%3Ab:c:d", "a:b", "c:d"), ("", nil, nil),
            ("100%25", nil, "100%"),
            ("50%", nil, "50%"), ("B%C3%BCcher:J%C3%BCrgen", "Bücher", "Jürgen"),
        ] as [(String, String?, String?)]
    )
    func `a label has an issuer before its colon`(
        label: String,
        issuer: String?,
        account: String?
    ) throws {
        let code = try OneTimeCode("otpauth://totp/\(label)?secret=JBSWY3DPEHPK3PXP")
        #expect(code.issuer == issuer)
        #expect(code.account == account)
        #expect(code == (try OneTimeCode(code.url)))
    }

    @Test
    func `the parameter of the issuer counts before the label`() throws {
        let code = try OneTimeCode(
            "otpauth://totp/Old:alice?secret=JBSWY3DPEHPK3PXP&issuer=A+B%26C"
        )
        #expect(code.issuer == "A B&C" && code.account == "alice")
    }

    @Test(arguments: [
        ("SHA1", OneTimeCode.Algorithm.sha1), ("sha-256", .sha256), ("HmacSHA512", .sha512),
        ("hmac_sha256", .sha256),
    ])
    func `an algorithm has several spellings`(text: String, algorithm: OneTimeCode.Algorithm) throws
    {
        let code = try OneTimeCode(plain + "&algorithm=\(text)&digits=8&period=60")
        #expect(code.algorithm == algorithm && code.digits == 8 && code.periodSeconds == 60)
        let shown = algorithm == .sha1 ? "" : "&algorithm=\(algorithm.rawValue)"
        #expect(code.url == plain + shown + "&digits=8&period=60")
    }

    @Test(arguments: [
        "steam://jbsw y3dp ehpk 3pxp", "otpauth://totp/?secret=JBSWY3DPEHPK3PXP&encoder=steam",
        "otpauth://totp/?secret=JBSWY3DPEHPK3PXP&encoder=Steam&digits=6&period=60&algorithm=SHA512",
    ])
    func `codes of Steam have one form`(text: String) throws {
        let code = try OneTimeCode(text)
        #expect(code.isSteam && code.digits == 5 && code.periodSeconds == 30)
        #expect(code.algorithm == .sha1)
        #expect(code.url == plain + "&encoder=steam")
        #expect(code == (try OneTimeCode(code.url)))
    }

    /// RFC 4648 §10, by way of the stored form.
    @Test(arguments: [
        ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
        ("foobar", "MZXW6YTBOI"),
    ])
    func `Base32 is that of RFC 4648`(bytes: String, text: String) throws {
        let code = try OneTimeCode(secret: Array(bytes.utf8))
        #expect(code.url == "otpauth://totp/?secret=" + text)
        #expect(code == (try OneTimeCode(text)))
    }

    @Test(
        arguments: [
            ("", .empty), ("  \n", .empty), ("====", .empty), ("- -", .empty), ("steam://", .empty),
            ("otpauth://totp/a?secret=", .empty), ("JBSWY3DPEHPK3PX1", .noBase32),
            ("JBSWY3DPEHPK3PX0", .noBase32), ("Jürgen", .noBase32), ("secret!", .noBase32),
            ("A", .truncated), ("JBSWY3DPEHPK3PXPA", .truncated), ("AAA", .truncated),
            ("AAAAAA", .truncated), ("otpauth://hotp/a?secret=JBSWY3DP&counter=1", .counterBased),
            ("otpauth-migration://offline?data=CjEKCkhl", .migration),
            ("https://a.de/", .otherAddress),
            ("otpauth:totp/a", .otherAddress), ("otpauth://yotp/a?secret=AA", .otherAddress),
            ("otpauth://totp/a?issuer=b", .secretMissing), ("otpauth://totp/a", .secretMissing),
            ("otpauth://totp/a?secret=AA&algorithm=MD5", .algorithm),
            ("otpauth://totp/a?secret=AA&digits=4", .digits),
            ("otpauth://totp/a?secret=AA&digits=11", .digits),
            ("otpauth://totp/a?secret=AA&digits=six", .digits),
            ("otpauth://totp/a?secret=AA&period=0", .period),
            ("otpauth://totp/a?secret=AA&period=3601", .period),
            ("otpauth://totp/a?secret=AA&period=-30", .period),
            ("otpauth://totp/a?secret=AA&period=99999999999999999999", .period),
        ] as [(String, OneTimeCodeError)]
    )
    func `texts without codes are refused with the reason`(
        text: String,
        expected: OneTimeCodeError
    ) {
        let error = #expect(throws: OneTimeCodeError.self) { try OneTimeCode(text) }
        #expect(error == expected)
        #expect(expected.description.hasSuffix("."))
        #expect(expected.description.dropLast().contains(": "))
    }
}
