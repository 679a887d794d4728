/// The forms in which a secret may stand in the output of a program.
///
/// These are: the secret itself; its percent encodings; its JSON escapes; its base64 in both
/// alphabets, also where it is a part of a longer text; each longer line of a secret with several
/// lines; and the whole with line ends of terminals. Base64 may be broken into lines of any length.
enum SecretForms {
    /// Shorter secrets are not masked: they occur by chance everywhere.
    static let secretBytesMin = 4
    /// Shorter lines of a secret are not masked alone: many are brackets or single words.
    static let lineBytesMin = 8

    static func all(of secret: [UInt8]) -> Set<[UInt8]> {
        let trimmed = withoutLineEnd(secret)
        guard trimmed.count >= secretBytesMin else { return [] }
        var forms: Set<[UInt8]> = [secret, trimmed]
        forms.formUnion(lines(of: trimmed))
        for text in [secret, trimmed] {
            forms.formUnion(percentEncoded(text))
            forms.formUnion(escaped(text))
        }
        // A terminal writes a carriage return before each line feed.
        forms.formUnion(forms.filter { $0.contains(lineFeed) }.map(withTerminalLines))
        return forms
    }

    /// Its base64, without the line ends that may stand anywhere inside.
    static func base64(of secret: [UInt8]) -> Set<[UInt8]> {
        let trimmed = withoutLineEnd(secret)
        guard trimmed.count >= secretBytesMin else { return [] }
        return Set(base64(secret) + base64(trimmed))
    }

    private static let lineFeed = UInt8(ascii: "\n")

    private static func withoutLineEnd(_ text: [UInt8]) -> [UInt8] {
        var text = text[...]
        while let last = text.last, "\r\n".utf8.contains(last) { text.removeLast() }
        return Array(text)
    }

    private static func withTerminalLines(_ text: [UInt8]) -> [UInt8] {
        text.flatMap { $0 == lineFeed ? Array("\r\n".utf8) : [$0] }
    }

    private static func lines(of text: [UInt8]) -> [[UInt8]] {
        guard text.contains(lineFeed) else { return [] }
        return text.split(separator: lineFeed).compactMap { line in
            func isSpace(_ byte: UInt8) -> Bool { " \t\r".utf8.contains(byte) }
            var line = line.drop(while: isSpace)
            while let last = line.last, isSpace(last) { line.removeLast() }
            // The marks around keys and certificates are no secret.
            let isMark = line.starts(with: "-----".utf8)
            return line.count < lineBytesMin || isMark ? nil : Array(line)
        }
    }

    // MARK: Percent encoding

    /// What encoders leave as it is, beside letters and digits: RFC 3986, JavaScript's
    /// `encodeURIComponent` and `encodeURI`, Python's `quote`, and HTML forms.
    private static let plainCharacters = [
        "-._~", "-_.!~*'()", "-_.!~*'();/?:@&=+$,#", "-._~/", "*-._",
    ]

    private static func percentEncoded(_ text: [UInt8]) -> [[UInt8]] {
        plainCharacters.flatMap { plain in
            [true, false].flatMap { isUppercase in
                ["%20", "+"].map { space in
                    text.flatMap { byte -> [UInt8] in
                        if byte == UInt8(ascii: " ") { return Array(space.utf8) }
                        if isLetterOrDigit(byte) || plain.utf8.contains(byte) { return [byte] }
                        return [UInt8(ascii: "%")] + hexadecimal(byte, isUppercase: isUppercase)
                    }
                }
            }
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    private static func hexadecimal(_ byte: UInt8, isUppercase: Bool) -> [UInt8] {
        let digits = Array((isUppercase ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
        return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    // MARK: JSON

    /// How writers of JSON differ: in what they escape although RFC 8259 does not ask for it.
    private struct JSONStyle {
        var escapesSlash = false
        /// `<`, `>` and `&`, as Go does.
        var escapesMarkup = false
        var isASCII = false
        var isUppercase = false
    }

    private static let styles = [
        JSONStyle(), JSONStyle(escapesSlash: true), JSONStyle(escapesMarkup: true),
        JSONStyle(isASCII: true), JSONStyle(isASCII: true, isUppercase: true),
        JSONStyle(escapesSlash: true, isASCII: true),
    ]

    private static func escaped(_ text: [UInt8]) -> [[UInt8]] {
        // JSON has text alone.
        guard let string = String(validating: text, as: UTF8.self) else { return [] }
        return styles.map { style in string.unicodeScalars.flatMap { escaped($0, style) } }
    }

    private static func escaped(_ scalar: Unicode.Scalar, _ style: JSONStyle) -> [UInt8] {
        let letters: [Unicode.Scalar: String] = [
            "\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u{8}": "\\b",
            "\u{C}": "\\f",
        ]
        if let letter = letters[scalar] { return Array(letter.utf8) }
        if style.escapesSlash, scalar == "/" { return Array("\\/".utf8) }
        let isMarkup = scalar == "<" || scalar == ">" || scalar == "&"
        let mustEscape =
            scalar.value < 0x20 || style.escapesMarkup && isMarkup
            || style.isASCII && !scalar.isASCII
        guard mustEscape else { return Array(String(scalar).utf8) }
        return String(scalar).utf16.flatMap { unit in
            Array("\\u".utf8)
                + hexadecimal(UInt8(unit >> 8), isUppercase: style.isUppercase)
                + hexadecimal(UInt8(unit & 0xFF), isUppercase: style.isUppercase)
        }
    }

    // MARK: Base64

    private static let standard = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )
    private static let urlSafe = Array(standard.dropLast(2)) + Array("-_".utf8)

    /// The characters that contain bits of the secret alone, with 0, 1 or 2 other bytes in front
    /// in its first group (RFC 4648, section 4), and the same with the end of the encoding.
    private static func base64(_ text: [UInt8]) -> [[UInt8]] {
        [standard, urlSafe].flatMap { alphabet in
            (0...2).flatMap { before -> [[UInt8]] in
                let whole = encoded([UInt8](repeating: 0, count: before) + text, alphabet)
                let first = (before * 8 + 5) / 6
                let own = whole[first..<(before + text.count) * 8 / 6]
                guard own.count >= secretBytesMin else { return [] }
                let last = Array(whole[first...])
                let padding = [UInt8](
                    repeating: UInt8(ascii: "="),
                    count: (4 - whole.count % 4) % 4
                )
                return [Array(own), last, last + padding]
            }
        }
    }

    private static func encoded(_ bytes: [UInt8], _ alphabet: [UInt8]) -> [UInt8] {
        var characters: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                characters.append(alphabet[Int(bits >> UInt32(count) & 63)])
            }
        }
        if count > 0 { characters.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
        return characters
    }
}
