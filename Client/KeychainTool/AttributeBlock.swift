internal import Agent

/// An item's attributes as `security` prints them.
enum AttributeBlock {
    /// The block of an item as the daemon returns it; `keychain` is shown as the keychain's path.
    static func text(item: AgentDictionary, keychain: String) -> String {
        let itemClass = ItemClass(rawValue: item["class"]?.string ?? "") ?? .genericPassword
        let attributes = item["attributes"]?.dictionary ?? [:]
        var lines = [
            "keychain: \"\(keychain)\"",
            "version: 512",
            "class: \"\(itemClass.rawValue)\"",
            "attributes:",
        ]
        for line in itemClass == .genericPassword ? genericLines : internetLines {
            let value = line.name.flatMap { attributes[$0] }
            lines.append("    \(line.tag)<\(line.kind.rawValue)>=\(text(value, as: line.kind))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func text(_ value: AgentValue?, as kind: Kind) -> String {
        guard let value, let bytes = bytes(of: value, as: kind) else { return "<NULL>" }
        return PrintBuffer.text(bytes)
    }

    private static func bytes(of value: AgentValue, as kind: Kind) -> [UInt8]? {
        switch value {
        case .string(let text): Array(text.utf8)
        case .data(let bytes): bytes
        case .date(let seconds): DateText.bytes(secondsSince2001: seconds)
        case .integer(let number):
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * Int64($0))) }
        case .bool(let isTrue): [0, 0, 0, isTrue ? 1 : 0]
        case .null, .double, .array, .dictionary: nil
        }
    }

    private enum Kind: String {
        case blob
        case uint32
        case sint32
        case timedate
    }

    private struct Line {
        /// In print-buffer form, which ends in a blank for the numeric ones.
        let tag: String
        let kind: Kind
        /// The attribute's name; nil for what our items do not have.
        let name: String?

        init(_ tag: String, _ kind: Kind, isKnown: Bool = true) {
            self.tag = "\"\(tag)\""
            self.kind = kind
            name = isKnown ? tag : nil
        }

        init(number: Int, _ name: String?) {
            tag = "0x0000000\(number) "
            kind = .blob
            self.name = name
        }
    }

    // In the order of their tags' numbers.
    private static let genericLines = [
        Line(number: 7, "labl"), Line(number: 8, nil),
        Line("acct", .blob), Line("cdat", .timedate), Line("crtr", .uint32),
        Line("cusi", .sint32, isKnown: false), Line("desc", .blob), Line("gena", .blob),
        Line("icmt", .blob), Line("invi", .sint32), Line("mdat", .timedate),
        Line("nega", .sint32), Line("prot", .blob, isKnown: false),
        Line("scrp", .sint32, isKnown: false), Line("svce", .blob), Line("type", .uint32),
    ]

    private static let internetLines = [
        Line(number: 7, "labl"), Line(number: 8, nil),
        Line("acct", .blob), Line("atyp", .blob), Line("cdat", .timedate), Line("crtr", .uint32),
        Line("cusi", .sint32, isKnown: false), Line("desc", .blob), Line("icmt", .blob),
        Line("invi", .sint32), Line("mdat", .timedate), Line("nega", .sint32),
        Line("path", .blob), Line("port", .uint32), Line("prot", .blob, isKnown: false),
        Line("ptcl", .uint32), Line("scrp", .sint32, isKnown: false), Line("sdmn", .blob),
        Line("srvr", .blob), Line("type", .uint32),
    ]
}

/// Dates as the file keychain has them: `YYYYMMDDhhmmssZ` and a zero byte.
enum DateText {
    static func bytes(secondsSince2001: Double) -> [UInt8]? {
        // Years 1 to 9999; anything else has no such text.
        guard secondsSince2001 > -63_000_000_000, secondsSince2001 < 252_000_000_000 else {
            return nil
        }
        let seconds = Int(secondsSince2001.rounded(.down))
        let day = seconds.quotientAndRemainderFloored(by: 86_400)
        let (year, month, dayOfMonth) = civilDate(daysSince2001: day.quotient)
        let time = day.remainder
        let parts: [(value: Int, width: Int)] = [
            (year, 4), (month, 2), (dayOfMonth, 2), (time / 3600, 2), (time / 60 % 60, 2),
            (time % 60, 2),
        ]
        let digits = parts.map { part in
            let text = String(part.value)
            return String(repeating: "0", count: max(0, part.width - text.count)) + text
        }
        return Array(digits.joined().utf8) + [UInt8(ascii: "Z"), 0]
    }

    /// The Gregorian date, by counting whole 400-year cycles from 1 March of the year 0, which
    /// puts the leap day at the end of its year.
    private static func civilDate(daysSince2001: Int) -> (year: Int, month: Int, day: Int) {
        let daysOfCycle = 146_097
        // From 0000-03-01 to 2001-01-01.
        let cycle = (daysSince2001 + 730_791).quotientAndRemainderFloored(by: daysOfCycle)
        let day = cycle.remainder
        let yearOfCycle = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            cycle.quotient * 400 + yearOfCycle + (month <= 2 ? 1 : 0),
            month,
            dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }
}

extension Int {
    fileprivate func quotientAndRemainderFloored(
        by divisor: Int
    ) -> (quotient: Int, remainder: Int) {
        let remainder = ((self % divisor) + divisor) % divisor
        return ((self - remainder) / divisor, remainder)
    }
}
