internal import KSAgent

/// An item's attributes as `security` prints them.
enum AttributeBlock {
    /// The block of an item as the daemon returns it; `keychain` is the keychain's path where the
    /// item does not say it.
    static func text(item: FoundItem, keychain: String) -> String {
        let itemClass = ItemClass(rawValue: item.class) ?? .genericPassword
        let attributes = item.attributes
        var lines = [
            "keychain: \"\(item.keychain ?? keychain)\"",
            "version: 512",
            "class: \(className(itemClass, attributes))",
            "attributes:",
        ]
        for line in Self.lines(of: itemClass) {
            let value = line.name.flatMap { shown($0, of: itemClass, attributes) }
            lines.append("    \(line.tag)<\(line.kind.rawValue)>=\(text(value, as: line))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What is shown of an attribute.
    ///
    /// A certificate always has a second name, and one of version 3 the number of X.509.
    private static func shown(
        _ name: String,
        of itemClass: ItemClass,
        _ attributes: AgentDictionary
    ) -> AgentValue? {
        let value = attributes[name]
        guard itemClass == .certificate else { return value }
        switch (name, value) {
        case ("alis", .none), ("alis", .null): return attributes["labl"] ?? ""
        case ("ctyp", .integer(3)): return 1
        default: return value
        }
    }

    /// Passwords by their four characters, the others by the numbers of their records.
    private static func className(_ itemClass: ItemClass, _ attributes: AgentDictionary) -> String {
        switch itemClass {
        case .genericPassword, .internetPassword: "\"\(itemClass.rawValue)\""
        case .certificate: "0x80001000 "
        case .key: "0x000000\(keyClass(attributes["kcls"])) "
        }
    }

    private static func keyClass(_ value: AgentValue?) -> String {
        let number = value?.integer ?? value?.string.flatMap { Int64($0) } ?? 1
        return number == 0 ? "0F" : number == 1 ? "10" : "11"
    }

    private static func lines(of itemClass: ItemClass) -> [Line] {
        switch itemClass {
        case .genericPassword: genericPasswordLines
        case .internetPassword: internetPasswordLines
        case .certificate: certificateLines
        case .key: keyLines
        }
    }

    private static func text(_ value: AgentValue?, as line: Line) -> String {
        guard let value, let bytes = bytes(of: value, as: line.kind) else { return "<NULL>" }
        // Where nothing was given our items hold the empty text.
        if bytes.isEmpty, line.isNullWhenEmpty { return "<NULL>" }
        if line.name == "kcls" {
            return PrintBuffer.text([0, 0, 0, UInt8(keyClass(value), radix: 16) ?? 0])
        }
        return PrintBuffer.text(bytes)
    }

    private static func bytes(of value: AgentValue, as kind: Kind) -> [UInt8]? {
        switch value {
        case .string(let text):
            if kind == .number, let number = Int64(text) {
                return bytes(of: .integer(number), as: kind)
            }
            return Array(text.utf8)
        case .data(let bytes): return bytes
        case .date(let seconds): return DateText.bytes(secondsSince2001: seconds)
        case .integer(let number):
            return (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * Int64($0))) }
        case .bool(let isTrue): return [0, 0, 0, isTrue ? 1 : 0]
        case .null, .double, .array, .dictionary: return nil
        }
    }

    enum Kind {
        case blob
        case uint32
        case sint32
        case timedate
        /// Shown as `uint32`; kept as digits here.
        case number

        var rawValue: String {
            switch self {
            case .blob: "blob"
            case .uint32, .number: "uint32"
            case .sint32: "sint32"
            case .timedate: "timedate"
            }
        }
    }

    struct Line {
        /// In print-buffer form, which ends in a blank for the numeric ones.
        let tag: String
        let kind: Kind
        /// The attribute's name; nil for what our items do not have.
        let name: String?
        var isNullWhenEmpty = false
    }
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
