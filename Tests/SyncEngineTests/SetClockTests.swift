import KSCausality
import KSRecords
import Testing

@testable import SyncEngine

/// A clock that is set wrong: what it says goes into stamps, which stay for good.
struct SetClockTests {
    private static let tenYearsMilliseconds: UInt64 = 10 * 31_557_600_000
    private static let lead = HybridTime.clockLeadMillisecondsMax

    private let home: ReplicaHome
    /// The right time at the beginning.
    private let start: UInt64
    private var seq: UInt64 = 5

    init() throws {
        home = try ReplicaHome(ReplicaAccount())
        start = home.clock.milliseconds
        try hear(to: seq)
    }

    /// Gets a page, with the server's date: as late as the machine has been up.
    private func hear(to seq: UInt64) throws {
        home.replica.wake()
        let request = try home.next()
        try home.replica.receive(
            .page(home.account.page(to: seq)),
            to: request,
            serverMilliseconds: start
        )
    }

    /// Writes an item and gives the time of its stamp.
    private mutating func write(_ secret: String) throws -> HybridTime {
        try home.save("wifi", secret)
        let batch = try home.pushTaken(from: seq + 1)
        seq += UInt64(batch.envelopes.count)
        return try home.replica.state().ownTime
    }

    @Test
    mutating func `a clock set ten years ahead between two answers poisons no stamp`() throws {
        home.clock.advance(seconds: 600)
        home.clock.set(milliseconds: start + Self.tenYearsMilliseconds)
        let first = try write("one")
        // The server's date was carried on by the clock that nobody can set.
        #expect(first.milliseconds == start + 600_000 + Self.lead)
        // Set right again, stamps go on rising, and are those of the clock once it has caught up.
        home.clock.set(milliseconds: start + 600_000)
        let second = try write("two")
        #expect(second.milliseconds == first.milliseconds + 1)
        home.clock.advance(seconds: 600)
        let third = try write("three")
        #expect(third.milliseconds == start + 1_200_000)
    }

    @Test
    mutating func `a clock set ten years back makes stamps that rise`() throws {
        let first = try write("one")
        home.clock.set(milliseconds: start - Self.tenYearsMilliseconds)
        let second = try write("two")
        #expect(second.milliseconds == first.milliseconds + 1)
    }

    @Test
    mutating func `after a start the last date that was heard caps the clock`() throws {
        try home.restart()
        // A machine that starts counts from nothing again.
        home.clock.restart()
        home.clock.set(milliseconds: start + Self.tenYearsMilliseconds)
        let request = try home.next()
        // This server says no date.
        try home.replica.receive(.page(home.account.page(to: 5)), to: request)
        let first = try write("one")
        #expect(first.milliseconds == start + Self.lead)
        // Weeks later, unheard of since, it still makes stamps that rise.
        home.clock.advance(seconds: 3_000_000)
        let second = try write("two")
        #expect(second.milliseconds == first.milliseconds + 1)
    }

    @Test
    func `the server's date goes on by the clock that nobody can set`() {
        var date = ServerDate()
        #expect(date.milliseconds(atUptime: 7) == nil)
        date.hear(1000, atUptime: 50)
        #expect(date.milliseconds(atUptime: 50) == 1000)
        #expect(date.milliseconds(atUptime: 80) == 1030)
        #expect(date.milliseconds(atUptime: 0) == 1000)
    }
}
