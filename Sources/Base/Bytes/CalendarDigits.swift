internal import Glibc

extension String {
    /// `YYYYMMDDhhmmss` for a number of seconds after 2001-01-01 00:00 UTC, rounded down.
    ///
    /// - Returns: nil outside of the years 1 to 9999 of the Gregorian calendar.
    package init?(calendarDigits secondsSince2001: Double) {
        guard (-63_113_904_000.0...252_423_993_599.0).contains(secondsSince2001) else { return nil }
        let secondsFrom1970To2001 = 978_307_200
        var time = time_t(secondsSince2001.rounded(.down)) + secondsFrom1970To2001
        var date = unsafe tm()
        unsafe gmtime_r(&time, &date)
        var digits = [CChar](repeating: 0, count: 15)
        unsafe strftime(&digits, digits.count, "%04Y%m%d%H%M%S", &date)
        self = String(decoding: digits.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
