/// Milliseconds since 1970 as text (RFC 3339), without a clock or a time zone of the machine.
package enum Timestamp {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// As `2026-11-28T05:10:02.123Z`; nil outside of the years 1 to 9999.
    package static func text(_ milliseconds: Int64, withMilliseconds: Bool = true) -> String? {
        let days = floorDivided(milliseconds, by: millisecondsPerDay)
        let (year, month, day) = date(days: days)
        guard (1...9999).contains(year) else { return nil }
        let rest = milliseconds - days * millisecondsPerDay
        let time = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { padded($0, 2) }
        let fraction = withMilliseconds ? "." + padded(rest % 1000, 3) : ""
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
            + time.joined(separator: ":") + fraction + "Z"
    }

    /// Reads `2026-11-28T05:10:02.123456Z`, also with an offset as `+01:00`, without a fraction,
    /// and with a blank for the T; nil for anything else.
    package static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count, bytes[range].allSatisfy(\.isDigit) else {
                return nil
            }
            return bytes[range].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            "Tt ".utf8.contains(bytes[10]), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"), let year = number(0..<4), let month = number(5..<7),
            let day = number(8..<10), let hour = number(11..<13), let minute = number(14..<16),
            let second = number(17..<19), (1...12).contains(month), (1...31).contains(day),
            hour < 24, minute < 60, second < 61, year > 0
        else { return nil }
        var rest = bytes[19...]
        var fraction: Int64 = 0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix(while: \.isDigit)
            guard !digits.isEmpty else { return nil }
            for digit in (digits.prefix(3) + [48, 48, 48]).prefix(3) {
                fraction = fraction * 10 + Int64(digit - 48)
            }
            rest = rest.dropFirst(1 + digits.count)
        }
        guard let offset = offset(Array(rest)) else { return nil }
        let seconds = (hour * 60 + minute) * 60 + second
        let all = days(year, month, day) * millisecondsPerDay + seconds * 1000 + fraction
        return all - offset
    }

    /// The milliseconds by which a time zone is ahead.
    private static func offset(_ text: [UInt8]) -> Int64? {
        if text == Array("Z".utf8) || text == Array("z".utf8) { return 0 }
        guard text.count == 6, "+-".utf8.contains(text[0]), text[3] == UInt8(ascii: ":") else {
            return nil
        }
        let digits = text[1..<3] + text[4..<6]
        guard digits.allSatisfy(\.isDigit) else { return nil }
        let numbers = digits.map { Int64($0 - 48) }
        let minutes = (numbers[0] * 10 + numbers[1]) * 60 + numbers[2] * 10 + numbers[3]
        return (text[0] == UInt8(ascii: "-") ? -1 : 1) * minutes * 60_000
    }

    // MARK: The Gregorian calendar, in which a year of this calculation begins in March

    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let century = floorDivided(year, by: 400)
        let yearOfFour = year - century * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfFour = yearOfFour * 365 + yearOfFour / 4 - yearOfFour / 100 + dayOfYear
        return century * 146_097 + dayOfFour - 719_468
    }

    private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let century = floorDivided(shifted, by: 146_097)
        let day = shifted - century * 146_097
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        return (
            year + century * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1
        )
    }

    private static func floorDivided(_ number: Int64, by divisor: Int64) -> Int64 {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
