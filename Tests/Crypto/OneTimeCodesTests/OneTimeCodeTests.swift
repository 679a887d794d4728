import KSOneTimeCodes
import Testing

/// Codes against published vectors and against other programs.
struct OneTimeCodeTests {
    private func code(
        _ secret: [UInt8],
        _ algorithm: OneTimeCode.Algorithm = .sha1,
        digits: Int = 6,
        period: Int = 30
    ) throws -> OneTimeCode {
        try OneTimeCode(
            secret: secret,
            algorithm: algorithm,
            digits: digits,
            periodSeconds: period
        )
    }

    /// The secrets of RFC 6238 repeat ten digits.
    private func digitSecret(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(0x30 + ($0 + 1) % 10) }
    }

    @Test
    func `codes of counters are those of RFC 4226, appendix D`() throws {
        let code = try code(digitSecret(20))
        let codes = (0..<10).map { code.code(counter: $0) }
        #expect(
            codes == [
                "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583",
                "399871", "520489",
            ]
        )
    }

    @Test(arguments: [
        (59, "94287082", "46119246", "90693936"),
        (1_111_111_109, "07081804", "68084774", "25091201"),
        (1_111_111_111, "14050471", "67062674", "99943326"),
        (1_234_567_890, "89005924", "91819424", "93441116"),
        (2_000_000_000, "69279037", "90698825", "38618901"),
        (20_000_000_000, "65353130", "77737706", "47863826"),
    ])
    func `codes of times are those of RFC 6238, appendix B`(
        seconds: Int,
        sha1: String,
        sha256: String,
        sha512: String
    ) throws {
        let hashes: [(OneTimeCode.Algorithm, Int, String)] = [
            (.sha1, 20, sha1), (.sha256, 32, sha256), (.sha512, 64, sha512),
        ]
        for (algorithm, count, expected) in hashes {
            let code = try code(digitSecret(count), algorithm, digits: 8)
            #expect(code.code(atSeconds: seconds) == expected)
        }
    }

    /// oathtool 2.6.7, and pyotp 2.12.1 where it accepts the secret and the period.
    @Test(
        arguments: [
            ("A5JXSQQ3OCUWFPXVUMDBA6PPGHXFY5JY", .sha256, 8, 30, 59, "95121871"),
            ("JM", .sha512, 6, 60, 1_111_111_109, "265393"),
            ("LQ6QXXIXE5732UC4DPPSNU52G56N6OOW", .sha512, 6, 1, 1_111_111_109, "616519"),
            ("QVO4ILOOAUUAUX6XBEPS7XAEGYQW7P4Q", .sha1, 6, 30, 59, "177683"),
            ("GAHRCUMQ5E6S737ZUFFZNDIKRA", .sha1, 6, 15, 1_242_330_777, "921476"),
            ("2IMBZTLZOLDC6DRV", .sha256, 6, 3_600, 59, "946698"),
            ("OOLLI4LHXEVN2IL34KZE6T54GMBJOESU", .sha256, 8, 15, 59, "93662456"),
            ("HIEULEDLJKNHVHU5", .sha1, 6, 1, 1_111_111_109, "530045"),
            ("UF2GC4OB7YL4IZEQ", .sha1, 6, 30, 1_111_111_109, "619940"),
            ("JJH4XUEQYHTUZZPG", .sha256, 8, 15, 0, "11189772"),
            (
                "3PZ4GM3PYNFKBTE3EKEHIXRLT6SPNUZ2FWEIBZVHT3MKG4MBL4VQ",
                .sha256, 7, 30, 3_967_956_073, "5154426"
            ),
            ("FLLRZJ66B4U3RRCUKS6ICODLPPMJV2JU", .sha256, 6, 15, 59, "828746"),
            ("VJAGVBKZ5KKULEYFCUZGFZP3PA", .sha1, 7, 15, 0, "1240478"),
            ("CQ", .sha256, 6, 60, 8_376_627_609, "827738"),
            ("BACBNVJLZ6YWBF55", .sha256, 6, 1, 1_111_111_109, "678974"),
            (
                "22QA67UWRS4RBPE6PY3PZVL6JSAM4UQSJTCVALBPII4RRWSAVLSA",
                .sha1, 8, 30, 7_503_527_914, "28584035"
            ),
            ("ZWKXPCKSHSUEZACXYSNMGW7ZB2YB47H7", .sha1, 6, 60, 59, "815267"),
            ("Q2AAJZYC4CQNRJPKF4FQITUJPU", .sha512, 7, 30, 0, "9582476"),
        ] as [(String, OneTimeCode.Algorithm, Int, Int, Int, String)]
    )
    func `codes are those of oathtool`(
        secret: String,
        algorithm: OneTimeCode.Algorithm,
        digits: Int,
        period: Int,
        seconds: Int,
        expected: String
    ) throws {
        let query = "algorithm=\(algorithm.rawValue)&digits=\(digits)&period=\(period)"
        let code = try OneTimeCode("otpauth://totp/a?secret=\(secret)&\(query)")
        #expect(code.code(atSeconds: seconds) == expected)
    }

    /// Secrets as long as a block of the hash and longer, of the bytes 0, 1, 2 and so on; oathtool
    /// 2.6.7 and pyotp 2.12.1.
    @Test(
        arguments: [
            (64, .sha1, "203787"),
            (64, .sha256, "290427"),
            (64, .sha512, "000099"),
            (70, .sha1, "411210"),
            (70, .sha256, "672323"),
            (70, .sha512, "223396"),
            (130, .sha1, "236351"),
            (130, .sha256, "810600"),
            (130, .sha512, "183670"),
        ] as [(UInt8, OneTimeCode.Algorithm, String)]
    )
    func `long secrets give the codes of oathtool`(
        count: UInt8,
        algorithm: OneTimeCode.Algorithm,
        expected: String
    ) throws {
        let code = try code(Array(0..<count), algorithm)
        #expect(code.code(atSeconds: 1_234_567_890) == expected)
    }

    /// pyotp 2.12.1, pyotp.contrib.Steam.
    @Test(arguments: [
        ("UWML36FFIOLBSTQHFJWLHXTMJY6CJPAN", 1_260_585_030, "GK7B3"),
        ("MSWW3LEVNBU5SVXCMPZRU53WZQ2NYAAC", 701_971_517, "FD8TY"),
        ("APN6ETBT2IIP7BI4A2GSKPVDTECN72HT", 1_482_874_519, "NJY7D"),
        ("RTVQM656Y7KH4XMUXMFAQ5XHAZNA46WC", 211_006_783, "QR4X6"),
        ("IO55BZ4N3AXYFRK4U23RT4KTYZSCE6H3", 23_738_253, "95Q5R"),
        ("A4F7VJETG7CXDDVE4KAL5G4SREVOJ3KP", 1_152_826_215, "JBNCH"),
        ("MSWG2G2XMBUDVG2KFK6OUZD4ADYY5SWE", 1_087_713_658, "PPQ2H"),
        ("CL6LJIBCMXKOJEWDT5NJDT5RVK7YAIWU", 1_213_100_191, "9JCYJ"),
    ])
    func `codes of Steam are those of pyotp`(secret: String, seconds: Int, expected: String) throws
    {
        #expect(try OneTimeCode("steam://" + secret).code(atSeconds: seconds) == expected)
    }

    /// Nine and ten digits as pyotp 2.12.1 has them; five are the end of six.
    @Test(arguments: [
        (5, "87082", "81804"), (9, "094287082", "907081804"), (10, "1094287082", "0907081804"),
    ])
    func `codes have 5 to 10 digits`(digits: Int, first: String, second: String) throws {
        let code = try code(digitSecret(20), digits: digits)
        #expect(code.code(atSeconds: 59) == first)
        #expect(code.code(atSeconds: 1_111_111_109) == second)
    }

    @Test
    func `a code changes every 30 seconds`() throws {
        let code = try code(digitSecret(20))
        #expect(code.code(atSeconds: 30) == code.code(atSeconds: 59))
        #expect(code.code(atSeconds: 59) != code.code(atSeconds: 60))
        #expect(code.next(atSeconds: 59) == code.code(atSeconds: 60))
        #expect(code.next(atSeconds: 60) == code.code(atSeconds: 119))
        #expect([0, 1, 29, 30, 59].map(code.secondsLeft) == [30, 29, 1, 30, 1])
        let minute = try self.code(digitSecret(20), period: 60)
        #expect([0, 59, 60].map(minute.secondsLeft) == [60, 1, 60])
        #expect(minute.code(atSeconds: 119) == "287082")
    }

    @Test
    func `a clock before 1970 shows the first code`() throws {
        let code = try code(digitSecret(20))
        #expect(code.code(atSeconds: -1) == "755224")
        #expect(code.secondsLeft(atSeconds: -1) == 30)
    }

    @Test
    func `the secret is never printed`() throws {
        let code = try code(digitSecret(20))
        var dumped = ""
        dump(code, to: &dumped)
        for text in ["\(code)", String(reflecting: code), dumped] {
            #expect(!text.contains("49"), "\(text)")
        }
    }
}
