import KSDigests
import KSQRCodes
import Testing

/// Codes against other encoders, and how they are drawn.
struct QRCodeTests {
    private func rows(_ code: QRCode) -> [String] {
        (0..<code.size).map { row in
            (0..<code.size).map { code.isDark(row: row, column: $0) ? "1" : "0" }.joined()
        }
    }

    private func hash(_ text: String) -> String {
        SHA256.hash(Array(text.utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// The codes of qrencode 4.1.1.
    ///
    /// They were made by `printf %s TEXT | qrencode -8 -t ASCII -m 0 -l LEVEL -v VERSION`, without
    /// -8 for the alphanumeric ones. The hash is that of the rows of `0` and `1`, with line feeds
    /// between them; the mask is read from the format of the code.
    @Test(
        arguments: [
            (
                "HELLO WORLD", .medium, 1, 0,
                "83d76f36239756fc557dc381512baad05726203ad76d8f14820ec93a51bdd8ee"
            ),
            (
                "hello", .high, 1, 2,
                "0ea7718fdb240df45d83b2412e240cda3cbe253c6febe2a30132b491d8c09c02"
            ),
            (
                "Hello, world! 12", .low, 1, 7,
                "32999330d26f804ed444ffb67ef3ab26905246d981b5fe1465cbce2f21893151"
            ),
            (
                "otpauth://totp/ACME%20Co:john.doe@email.com?secret="
                    + "HXDMVJECJJWSRB3HWIZR4IFUGFTMXBOZ&issuer=ACME%20Co", .medium, 6, 1,
                "478ac6939b83e2cebd77c74f44ebbf2c44ce8167f2e6c6d414b6aa1b72ccfa57"
            ),
            (
                "HTTPS://EXAMPLE.COM/ABC $%*+-./:", .high, 3, 3,
                "04a1a6a36e6223ce57fd3f0007f14bfde925f59ccaccc0809e66b381a1b3e3e4"
            ),
            (
                "x", .low, 7, 2,
                "61556107e96ac22aa481d363e2549cc63644519d2490cb9ca92de2b72868f374"
            ),
            (
                String(repeating: "A", count: 60), .medium, 10, 0,
                "ee748e5ca7bba6a353340ffad6b4349ae7e4103a189626c06acde74c7d07f7c0"
            ),
            (
                String(repeating: "B-1", count: 11), .quartile, 27, 4,
                "5031ee3d4f44df7c57818976e078172848761f4a0bee09a89e3f926bcbcccbb7"
            ),
            (
                String(repeating: "The end of the table", count: 20), .low, 40, 4,
                "e9000d2f57d6bf0aeef845d299e8b22bb3b4b466dfa71f6a02b9267fdfca7576"
            ),
            (
                String(repeating: "z", count: 200), .medium, 14, 0,
                "a4a99aae0535736b4f886659d0528d4c386ac16b903e2c24c29941aae2627862"
            ),
            (
                String(repeating: "AZ", count: 15), .high, 6, 7,
                "dd2cf1685aa7b924cc5fc7f8d9eceebd88609b29431900ffa3f69566b5a271a6"
            ),
        ] as [(String, QRCode.Level, Int, Int, String)]
    )
    func `codes are those of qrencode`(
        text: String,
        level: QRCode.Level,
        version: Int,
        mask: Int,
        expected: String
    ) throws {
        let code = try QRCode(Array(text.utf8), level: level, version: version, mask: mask)
        #expect(code.version == version && code.mask == mask && code.level == level)
        #expect(hash(rows(code).joined(separator: "\n")) == expected)
    }

    /// Codes of segno 1.6.6 that say that their bytes are UTF-8: `eci=True, encoding="utf-8"`.
    ///
    /// Both are full. zbarimg 0.23.92 reads such text right, and `pässwörd` without the ECI as
    /// `p瓣ssw繹rd`.
    @Test(
        arguments: [
            (
                "WIFI:T:WPA;S:My networks;P:pässwörd \\; xy;;", .quartile, 4,
                "8bc53d7006c4b04b003ba8c865757652934d34de04316e463441a6c485464920"
            ),
            (
                String(repeating: "€", count: 280) + "x", .high, 32,
                "a663e5d3be6cf944c69898683438dd20dcaa3a5278a5c8e5c1955a3c2f3d598f"
            ),
        ] as [(String, QRCode.Level, Int, String)]
    )
    func `text beyond ASCII says that it is UTF-8`(
        text: String,
        level: QRCode.Level,
        version: Int,
        expected: String
    ) throws {
        let code = try QRCode(Array(text.utf8), level: level, mask: 2)
        #expect(code.version == version)
        #expect(hash(rows(code).joined(separator: "\n")) == expected)
        let longer = try QRCode(Array((text + "x").utf8), level: level)
        #expect(longer.version == version + 1)
    }

    /// The most bytes of versions 1 to 40, from the tables of segno 1.6.6, and the hash of its 40
    /// codes full of bytes, with one line feed after each row.
    @Test(
        arguments: [
            (
                .low,
                [
                    17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458, 520, 586, 644,
                    718, 792, 858, 929, 1003, 1091, 1171, 1273, 1367, 1465, 1528, 1628, 1732, 1840,
                    1952, 2068, 2188, 2303, 2431, 2563, 2699, 2809, 2953,
                ],
                "a85b894da54afee3e91c93ff8bb8880a1c5b106f5ca372f11943057d34c8fb19"
            ),
            (
                .medium,
                [
                    14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504,
                    560, 624, 666, 711, 779, 857, 911, 997, 1059, 1125, 1190, 1264, 1370, 1452,
                    1538, 1628, 1722, 1809, 1911, 1989, 2099, 2213, 2331,
                ],
                "4756c5993b059cc0c7de506f1b9df6d1b6627e43e2c415421972eca1e1cc5425"
            ),
            (
                .quartile,
                [
                    11, 20, 32, 46, 60, 74, 86, 108, 130, 151, 177, 203, 241, 258, 292, 322, 364,
                    394, 442, 482, 509, 565, 611, 661, 715, 751, 805, 868, 908, 982, 1030, 1112,
                    1168, 1228, 1283, 1351, 1423, 1499, 1579, 1663,
                ],
                "e352f18b8c3949d69b0ed22e77e495fe03e02087e264fe57f206d889fddd6525"
            ),
            (
                .high,
                [
                    7, 14, 24, 34, 44, 58, 64, 84, 98, 119, 137, 155, 177, 194, 220, 250, 280, 310,
                    338, 382, 403, 439, 461, 511, 535, 593, 625, 658, 698, 742, 790, 842, 898, 958,
                    983, 1051, 1093, 1139, 1219, 1273,
                ],
                "da164b05c2685b57fe33f397f44c8912e81f9670f1c94e2433b7d88df68d6713"
            ),
        ] as [(QRCode.Level, [Int], String)]
    )
    func `full codes of all versions are those of segno`(
        level: QRCode.Level,
        capacities: [Int],
        expected: String
    ) throws {
        var text = ""
        for (index, capacity) in capacities.enumerated() {
            let version = index + 1
            let bytes = (0..<capacity).map { UInt8(128 + (31 * $0 + version) % 128) }
            let code = try QRCode(bytes, level: level, mask: version % 8)
            #expect(code.version == version)
            text += rows(code).map { $0 + "\n" }.joined()
        }
        #expect(hash(text) == expected)
    }

    /// The points were counted by a program that follows §7.8.3 word by word.
    ///
    /// It takes runs, blocks and the share of dark modules from segno 1.6.6.
    @Test(
        arguments: [
            ("otpauth://totp/a?secret=JBSWY3DPEHPK3PXP", .low, 4), ("hello", .medium, 7),
            ("WIFI:T:WPA;S:net;P:secret;;", .quartile, 3), ("HELLO WORLD", .high, 5),
            (String(repeating: "x", count: 100), .low, 0), ("https://example.com/", .medium, 1),
            ("1", .quartile, 2), ("AB", .low, 0), ("q", .medium, 0),
        ] as [(String, QRCode.Level, Int)]
    )
    func `the mask is the one with the fewest points`(
        text: String,
        level: QRCode.Level,
        mask: Int
    ) throws {
        let code = try QRCode(Array(text.utf8), level: level)
        #expect(code.mask == mask)
        #expect(code == (try QRCode(Array(text.utf8), level: level, mask: mask)))
    }

    @Test(
        arguments: [
            (.low, 2953, 4296), (.medium, 2331, 3391), (.quartile, 1663, 2420), (.high, 1273, 1852),
        ] as [(QRCode.Level, Int, Int)]
    )
    func `contents that are too long are refused with the numbers`(
        level: QRCode.Level,
        bytesMax: Int,
        alphanumericsMax: Int
    ) throws {
        for (byte, most) in [(UInt8(ascii: "a"), bytesMax), (UInt8(ascii: "A"), alphanumericsMax)] {
            let fitting = [UInt8](repeating: byte, count: most)
            #expect(try QRCode(fitting, level: level, mask: 0).version == 40)
            let error = #expect(throws: QRCodeError.self) {
                try QRCode(fitting + [byte], level: level)
            }
            #expect(error == .tooLong(bytes: most + 1, most: most))
        }
        let text = QRCodeError.tooLong(bytes: 3000, most: 2953).description
        #expect(text == "3000 bytes do not fit into a QR code, which holds 2953: show less.")
    }

    @Test
    func `nothing is a code too, and a version can be asked for`() throws {
        let code = try QRCode([])
        #expect(code.version == 1 && code.size == 21)
        #expect(try QRCode([], version: 5).size == 37)
    }

    /// Reads a line of a drawing back.
    private func modules(_ line: String, isInverse: Bool) -> [[Bool]] {
        let halves: [Character: (Bool, Bool)] = [
            " ": (false, false), "▀": (true, false), "▄": (false, true), "█": (true, true),
        ]
        let pairs = line.compactMap { halves[$0] }
        #expect(pairs.count == line.count)
        return [pairs.map { $0.0 != isInverse }, pairs.map { $0.1 != isInverse }]
    }

    @Test(arguments: [QRCode.TextStyle.colored, .darkOnLight, .lightOnDark])
    func `a drawing shows the code in its quiet zone`(style: QRCode.TextStyle) throws {
        let code = try QRCode(Array("hello".utf8))
        let text = code.text(style)
        #expect(text.hasSuffix("\n"))
        var lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == code.textLines && code.textLines == 15)
        if style == .colored {
            let (start, end) = ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[0m")
            #expect(lines.allSatisfy { $0.hasPrefix(start) && $0.hasSuffix(end) })
            lines = lines.map { String($0.dropFirst(start.count).dropLast(end.count)) }
        }
        #expect(lines.allSatisfy { $0.count == code.textColumns } && code.textColumns == 29)
        let drawn = lines.flatMap { modules($0, isInverse: style == .lightOnDark) }
        for (row, line) in drawn.enumerated() {
            for (column, isDark) in line.enumerated() {
                #expect(isDark == code.isDark(row: row - 4, column: column - 4))
            }
        }
        let top = drawn[4].prefix(12).map { $0 ? "#" : "." }.joined()
        #expect(top == "....#######.")
    }

    @Test
    func `outside of a code all is light`() throws {
        let code = try QRCode([1], version: 2)
        #expect(code.isDark(row: 0, column: 0) && code.isDark(row: 24, column: 0))
        for place in [(-1, 0), (0, -1), (25, 0), (0, 25), (-1, 25)] {
            #expect(!code.isDark(row: place.0, column: place.1))
        }
    }
}
