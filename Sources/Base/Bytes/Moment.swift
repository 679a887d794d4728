/// A moment as people and programs read it.
package struct Moment {
    private let secondsSince2001: Double

    package init(secondsSince2001: Double) { self.secondsSince2001 = secondsSince2001 }

    /// As 2026-11-28T05:10:02.123Z, rounded to the millisecond; empty outside of the years 1 to
    /// 9999.
    package var iso8601: String {
        let milliseconds = (secondsSince2001 * 1000).rounded()
        let seconds = (milliseconds / 1000).rounded(.down)
        guard let digits = String(calendarDigits: seconds) else { return "" }
        let rest = String(Int(milliseconds - seconds * 1000))
        let zeros = String(repeating: "0", count: 3 - rest.count)
        return "\(Self.date(digits))T\(Self.time(digits)).\(zeros)\(rest)Z"
    }

    /// As 2026-11-28 05:10 UTC; empty outside of the years 1 to 9999.
    package var short: String {
        guard let digits = String(calendarDigits: secondsSince2001) else { return "" }
        return "\(Self.date(digits)) \(Self.time(digits).prefix(5)) UTC"
    }

    private static func date(_ digits: String) -> String {
        let all = Array(digits)
        return "\(String(all[0..<4]))-\(String(all[4..<6]))-\(String(all[6..<8]))"
    }

    private static func time(_ digits: String) -> String {
        let all = Array(digits)
        return "\(String(all[8..<10])):\(String(all[10..<12])):\(String(all[12..<14]))"
    }
}
