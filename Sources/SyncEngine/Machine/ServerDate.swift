/// The server's date, carried on by a clock that nobody can set.
///
/// The device's own clock may be set between two answers; a date that followed it would let it lead
/// the device's stamps anywhere.
struct ServerDate: Equatable, Sendable {
    /// As it was said last, milliseconds since 1970.
    private(set) var heardMilliseconds: UInt64?
    private var heardAtUptime: UInt64 = 0

    /// `uptime`: milliseconds, of the same start as those that it is asked for later.
    mutating func hear(_ milliseconds: UInt64, atUptime uptime: UInt64) {
        heardMilliseconds = milliseconds
        heardAtUptime = uptime
    }

    /// What it is by now; nil before the server was heard.
    func milliseconds(atUptime uptime: UInt64) -> UInt64? {
        heardMilliseconds.map { $0 + (uptime - min(uptime, heardAtUptime)) }
    }
}
