/// Texts of a picture, in a font whose letters all have the same width.
enum PictureText {
    /// A letter of 12 pixels.
    static let letterWidth = 7.3
    static let lineHeight = 16.0

    /// For an element or an attribute of XML and HTML.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default:
                // XML 1.0 has no other control characters, and neither of these two.
                let isForbidden =
                    scalar.value < 32 && scalar.value != 10
                    || (0x7F..<0xA0).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE
                escaped.unicodeScalars.append(isForbidden ? "\u{FFFD}" : scalar)
            }
        }
        return escaped
    }

    /// How many letters wide a text is: about two for a wide character.
    static func columns(_ text: String) -> Int {
        text.reduce(0) { $0 + columns($1) }
    }

    private static func columns(_ character: Character) -> Int {
        character.unicodeScalars.contains { $0.value >= 0x1100 } ? 2 : 1
    }

    /// A text in lines of so many letters, at blanks where there are some.
    static func lines(_ text: String, columnsMax: Int, linesMax: Int = 6) -> [String] {
        var lines: [String] = []
        var line = ""
        var width = 0
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let needed = columns(String(word))
            if !line.isEmpty, width + 1 + needed > columnsMax {
                lines.append(line)
                (line, width) = ("", 0)
            }
            if !line.isEmpty { (line, width) = (line + " ", width + 1) }
            for character in word {
                let wide = columns(character)
                if width + wide > columnsMax {
                    lines.append(line)
                    (line, width) = ("", 0)
                }
                line.append(character)
                width += wide
            }
        }
        lines.append(line)
        guard lines.count > linesMax else { return lines }
        return Array(lines.prefix(linesMax - 1)) + [
            lines[linesMax - 1].prefix(columnsMax - 1) + "…"
        ]
    }

    /// A time since the beginning of a story.
    static func time(_ milliseconds: UInt64) -> String {
        let seconds = milliseconds / 1000
        switch seconds {
        case 0..<60:
            let rest = String(milliseconds % 1000)
            return "\(seconds)." + String(repeating: "0", count: 3 - rest.count) + rest + " s"
        case 60..<3600: return "\(seconds / 60) min \(seconds % 60) s"
        case 3600..<86_400: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
        default: return "\(seconds / 86_400) d \(seconds / 3600 % 24) h"
        }
    }

    /// A number of an attribute, the same on every machine.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let (whole, rest) = (abs(tenths) / 10, abs(tenths) % 10)
        return (tenths < 0 ? "-" : "") + (rest == 0 ? "\(whole)" : "\(whole).\(rest)")
    }
}
