/// The server's date, advanced by a monotonic clock.
///
/// The device's own clock may be set between two answers. If that clock advanced the date, the
/// device's stamps could get any time.
package struct ServerDate: Equatable, Sendable {
    /// As the server last gave it, milliseconds since 1970.
    private(set) var heardMilliseconds: UInt64?
    private var heardAtUptime: UInt64 = 0

    package init() {}

    /// `uptime`: milliseconds, from the same start as in ``milliseconds(atUptime:)``.
    package mutating func hear(_ milliseconds: UInt64, atUptime uptime: UInt64) {
        heardMilliseconds = milliseconds
        heardAtUptime = uptime
    }

    /// The date now, milliseconds since 1970; nil before the server gave one.
    package func milliseconds(atUptime uptime: UInt64) -> UInt64? {
        heardMilliseconds.map { $0 + (uptime - min(uptime, heardAtUptime)) }
    }
}
