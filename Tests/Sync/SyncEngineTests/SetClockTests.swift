import KSCausality
import KSRecords
import Testing

import KSSyncEngine

/// A clock that is set wrong must not reach the stamps, which stay for good.
struct SetClockTests {
    private static let tenYearsMilliseconds: UInt64 = 10 * 31_557_600_000
    private static let lead = HybridTime.clockLeadMillisecondsMax

    private let home: ReplicaHome
    /// The true time at the start.
    private let start: UInt64
    private var seq: UInt64 = 5

    init() throws {
        home = try ReplicaHome(ReplicaAccount())
        start = home.clock.milliseconds
        try hear(to: seq)
    }

    /// Pulls a page with the server's date, which follows the uptime.
    private func hear(to seq: UInt64) throws {
        home.replica.wake()
        let request = try home.next()
        try home.replica.receive(
            .page(home.account.page(to: seq)),
            to: request,
            serverMilliseconds: start
        )
    }

    /// Writes an item and returns the time of its stamp.
    private mutating func write(_ secret: String) throws -> HybridTime {
        try home.save("wifi", secret)
        let batch = try home.pushTaken(from: seq + 1)
        seq += UInt64(batch.envelopes.count)
        return try home.replica.state().ownTime
    }

    @Test
    mutating func `a clock set ten years ahead between two answers changes no stamp`() throws {
        home.clock.advance(seconds: 600)
        home.clock.set(milliseconds: start + Self.tenYearsMilliseconds)
        let first = try write("one")
        // The server's date was advanced by the uptime.
        #expect(first.milliseconds == start + 600_000 + Self.lead)
        // After the clock is set right, stamps rise, and follow the clock once it has caught up.
        home.clock.set(milliseconds: start + 600_000)
        let second = try write("two")
        #expect(second.milliseconds == first.milliseconds + 1)
        home.clock.advance(seconds: 600)
        let third = try write("three")
        #expect(third.milliseconds == start + 1_200_000)
    }

    @Test
    mutating func `stamps rise although the clock is set ten years back`() throws {
        let first = try write("one")
        home.clock.set(milliseconds: start - Self.tenYearsMilliseconds)
        let second = try write("two")
        #expect(second.milliseconds == first.milliseconds + 1)
    }

    @Test
    mutating func `after a start the server's last date caps the clock`() throws {
        try home.restart()
        // The uptime begins at zero after a restart.
        home.clock.restart()
        home.clock.set(milliseconds: start + Self.tenYearsMilliseconds)
        let request = try home.next()
        // This server gives no date.
        try home.replica.receive(.page(home.account.page(to: 5)), to: request)
        let first = try write("one")
        #expect(first.milliseconds == start + Self.lead)
        // Weeks later, without a date from the server, stamps still rise.
        home.clock.advance(seconds: 3_000_000)
        let second = try write("two")
        #expect(second.milliseconds == first.milliseconds + 1)
    }

    @Test
    func `the server's date advances by the uptime`() {
        var date = ServerDate()
        #expect(date.milliseconds(atUptime: 7) == nil)
        date.hear(1000, atUptime: 50)
        #expect(date.milliseconds(atUptime: 50) == 1000)
        #expect(date.milliseconds(atUptime: 80) == 1030)
        #expect(date.milliseconds(atUptime: 0) == 1000)
    }
}
