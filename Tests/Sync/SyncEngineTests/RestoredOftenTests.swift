import KSWire
import Testing

import KSSyncEngine

/// A server that says again and again that it went back.
struct RestoredOftenTests {
    private let home: ReplicaHome

    init() throws { home = try ReplicaHome.caughtUp() }

    /// Lets the server say so once, in the answer to a pull.
    private func sayRestored() throws {
        if try home.replica.reconciliation()?.step == nil {
            try home.replica.notice(seq: .max, circleVersion: 0)
        } else {
            try home.answerCircle()
        }
        let request = try home.next()
        guard case .pull = request.request else {
            Issue.record("no pull: \(request)")
            return
        }
        try home.replica.receive(.refused(.storeRestored, records: []), to: request)
    }

    /// For how many minutes the device sends nothing; 0 if it does not wait.
    private func waitMinutes() throws -> UInt64 {
        guard case .waitUntil(let time) = try home.replica.nextRequest() else { return 0 }
        #expect((time - home.clock.milliseconds).isMultiple(of: 60_000))
        return (time - home.clock.milliseconds) / 60_000
    }

    private func hasBegunTooOften() throws -> Bool {
        try home.replica.reconciliation()?.hasBegunTooOften ?? false
    }

    @Test
    func `it is compared three times at once, then ever less often, at least every hour`() throws {
        for _ in 0..<3 {
            try sayRestored()
            #expect(try !hasBegunTooOften())
        }
        for minutes in [1, 2, 4, 8, 16, 32, 60, 60] as [UInt64] {
            try sayRestored()
            #expect(try hasBegunTooOften())
            #expect(try waitMinutes() == minutes)
            // A restart shortens nothing.
            try home.restart()
            #expect(try waitMinutes() == minutes)
            home.clock.advance(seconds: minutes * 60)
        }
        try sayRestored()
        // An hour after the wait has ended it counts from one again.
        home.clock.advance(seconds: 2 * 3600)
        for _ in 0..<3 {
            try sayRestored()
            #expect(try !hasBegunTooOften())
        }
        try sayRestored()
        #expect(try waitMinutes() == 1)
        // A clock that is set back does not prolong the wait.
        home.clock.set(milliseconds: home.clock.milliseconds - 86_400_000)
        try home.answerCircle()
    }

    @Test
    func `its user's request ends the wait once, and not the count`() throws {
        for _ in 0..<4 { try sayRestored() }
        for minutes in [2, 4, 8] as [UInt64] {
            #expect(try waitMinutes() == minutes / 2)
            home.replica.wake()
            #expect(try waitMinutes() == minutes / 2, "an event is no request of a user")
            try home.replica.endReconciliationWait()
            #expect(try !hasBegunTooOften())
            try sayRestored()
            #expect(try hasBegunTooOften())
            #expect(try waitMinutes() == minutes)
        }
    }
}
