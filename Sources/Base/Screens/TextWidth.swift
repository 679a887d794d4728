/// The width of text on a terminal, in columns.
///
/// The C library would need a locale that is not set on every server. Terminals differ on a few
/// characters anyway; ``Painter`` is written so that this shifts the rest of a line only.
package enum TextWidth {
    package static func columns(of text: String) -> Int {
        if isPlain(text) { return text.utf8.count }
        return text.reduce(0) { $0 + columns(of: $1) }
    }

    /// Nearly all texts are ASCII, and a list measures 10,000 of them.
    private static func isPlain(_ text: String) -> Bool {
        let span = text.utf8Span.span
        return span.indices.allSatisfy { span[$0] >= 0x20 && span[$0] < 0x7F }
    }

    package static func columns(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        if scalars.count == 1, let scalar = scalars.first { return columns(of: scalar) }
        // An emoji of several scalars is one picture; a variation selector makes a sign a picture.
        let isPicture = scalars.contains { $0.value == 0xFE0F || $0.properties.isEmojiPresentation }
        if isPicture { return 2 }
        return scalars.lazy.map(columns).max() ?? 0
    }

    /// 0, 1 or 2, as UAX #11 has it; control characters count as the sign that stands for them.
    ///
    /// It is what `wcwidth` of glibc 2.36 says, but for the letters of flags and 14 rare scalars.
    package static func columns(of scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return 1 }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        if isWide(value) || properties.isEmojiPresentation { return 2 }
        // The second and third parts of a Korean syllable stand in its first one's place.
        let isPartOfSyllable =
            (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FB).contains(value)
        return isPartOfSyllable || properties.isDefaultIgnorableCodePoint ? 0 : 1
    }

    /// The blocks of East Asian scripts, with their unassigned parts.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF: true
        case 0xA960...0xA97F, 0xAC00...0xD7A3: true
        case 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60: true
        case 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF: true
        case 0x1F200...0x1F265, 0x20000...0x2FFFD, 0x30000...0x3FFFD: true
        default: false
        }
    }

    /// The text with a sign in place of each character that would move the cursor, or make the
    /// text look like another one.
    package static func visible(_ text: String) -> String {
        if isPlain(text) { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { shown.append(sign(for: scalar)) }
        return String(shown)
    }

    private static func sign(for scalar: Unicode.Scalar) -> Unicode.Scalar {
        let replacement: Unicode.Scalar = "\u{FFFD}"
        switch scalar.value {
        // Unicode has pictures of the control characters.
        case ..<0x20: return Unicode.Scalar(0x2400 + scalar.value) ?? replacement
        case 0x7F: return "\u{2421}"
        case 0x80..<0xA0: return replacement
        // Line and paragraph separators; directions, which would reorder the rest of the line.
        case 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C, 0xFFF9...0xFFFB:
            return replacement
        default: return scalar
        }
    }

    /// The text, or its start with an ellipsis, in at most this many columns.
    package static func cut(_ text: String, to columns: Int) -> String {
        guard self.columns(of: text) > columns else { return text }
        return columns < 1 ? "" : String(start(of: text, columns: columns - 1)) + "…"
    }

    /// As many whole characters as fit.
    package static func start(of text: String, columns: Int) -> Substring {
        if isPlain(text) {
            let count = min(max(0, columns), text.utf8.count)
            return text[..<text.utf8.index(text.startIndex, offsetBy: count)]
        }
        var left = columns
        var end = text.startIndex
        while end < text.endIndex {
            left -= self.columns(of: text[end])
            guard left >= 0 else { break }
            text.formIndex(after: &end)
        }
        return text[..<end]
    }

    /// The lines that a text takes in this many columns.
    ///
    /// Line breaks of the text begin a new line.
    package static func wrap(_ text: String, columns: Int) -> [String] {
        let columns = max(2, columns)
        return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).flatMap {
            paragraph in
            var lines: [String] = []
            var rest = visible(String(paragraph))
            repeat {
                let line = start(of: rest, columns: columns)
                lines.append(String(line))
                rest = String(rest.dropFirst(line.count))
            } while !rest.isEmpty
            return lines
        }
    }

    /// The text, cut or filled with spaces, in exactly this many columns.
    package static func fit(_ text: String, to columns: Int) -> String {
        let cut = cut(text, to: columns)
        return cut + String(repeating: " ", count: max(0, columns - self.columns(of: cut)))
    }
}
