import Testing

import KSSyncEngine

/// The next step of sync, whatever happened.
struct SyncMachineTests {
    /// A machine that has pulled everything.
    private func rested() -> SyncMachine {
        var machine = SyncMachine()
        #expect(machine.next(hasUnsent: false, nowMilliseconds: 0) == .send(.pull))
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: 0)
        return machine
    }

    @Test
    func `it pulls after a start, then pushes, then rests`() {
        var machine = SyncMachine()
        #expect(!machine.hasPulled)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.pull))
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .awaitAnswer)
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: 0)
        #expect(machine.hasPulled)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.push))
        machine.handle(.done(.push, hasMore: false), nowMilliseconds: 0)
        #expect(machine.next(hasUnsent: false, nowMilliseconds: 0) == .rest)
    }

    @Test
    func `a pull goes before a push, and the circle before both`() {
        var machine = rested()
        machine.handle(.serverNotice(), nowMilliseconds: 0)
        machine.handle(.circleNotice, nowMilliseconds: 0)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.circle))
        machine.handle(.circleTaken(version: 2, isNewer: true), nowMilliseconds: 0)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.pull))
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: 0)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.push))
    }

    @Test
    func `it pulls until the server has no more`() {
        var machine = SyncMachine()
        for _ in 0..<3 {
            #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.pull))
            machine.handle(.done(.pull, hasMore: true), nowMilliseconds: 0)
            #expect(!machine.hasPulled)
        }
        #expect(machine.next(hasUnsent: false, nowMilliseconds: 0) == .send(.pull))
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: 0)
        #expect(machine.next(hasUnsent: false, nowMilliseconds: 0) == .rest)
    }

    /// The answers to pushes at these times find newer edits; the waits after them.
    private func waits(after times: [UInt64], in machine: inout SyncMachine) -> [UInt64] {
        times.compactMap { time in
            #expect(machine.next(hasUnsent: true, nowMilliseconds: time) == .send(.push))
            machine.handle(.done(.push, hasMore: true), nowMilliseconds: time)
            let decision = machine.next(hasUnsent: true, nowMilliseconds: time)
            guard case .waitUntil(let end) = decision else { return nil }
            #expect(machine.next(hasUnsent: true, nowMilliseconds: end - 1) == decision)
            return end - time
        }
    }

    @Test
    func `edits that keep coming are gathered, longer each time, until a push finds no more`() {
        var machine = rested()
        #expect(
            waits(after: [0, 1000, 2000, 3000, 4000], in: &machine) == [40, 80, 160, 320, 320]
        )
        #expect(machine.next(hasUnsent: false, nowMilliseconds: 4001) == .rest)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 5000) == .send(.push))
        machine.handle(.done(.push, hasMore: false), nowMilliseconds: 5000)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 5001) == .send(.push))
        machine.handle(.done(.push, hasMore: false), nowMilliseconds: 5001)
        #expect(waits(after: [6000], in: &machine) == [40])
    }

    @Test(arguments: [SyncMachine.Event.gatherNoMore, .retryNow])
    func `a requested sync ends the gathering of edits`(event: SyncMachine.Event) {
        var machine = rested()
        #expect(waits(after: [1000], in: &machine) == [40])
        machine.handle(event, nowMilliseconds: 1001)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 1001) == .send(.push))
    }

    @Test
    func `a pull goes on while edits are gathered`() {
        var machine = rested()
        #expect(waits(after: [1000], in: &machine) == [40])
        machine.handle(.serverNotice(), nowMilliseconds: 1001)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 1001) == .send(.pull))
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: 1002)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 1002) == .waitUntil(1040))
    }

    @Test(arguments: [true, false])
    func `a notice during a push leads to a pull unless it is of that push`(isOfPush: Bool) {
        var machine = rested()
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.push))
        machine.handle(.serverNotice(), nowMilliseconds: 0)
        machine.handle(.done(.push, hasMore: false), nowMilliseconds: 0)
        if isOfPush { machine.handle(.pushed(upTo: .max), nowMilliseconds: 0) }
        let next = machine.next(hasUnsent: false, nowMilliseconds: 0)
        #expect(next == (isOfPush ? .rest : .send(.pull)))
    }

    @Test
    func `a pull that was wanted for another reason is not forgotten with a push's notice`() {
        var machine = rested()
        machine.handle(.serverNotice(), nowMilliseconds: 0)
        machine.handle(.pushed(upTo: .max), nowMilliseconds: 0)
        #expect(machine.next(hasUnsent: false, nowMilliseconds: 0) == .send(.pull))
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: 0)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.push))
        machine.handle(.serverNotice(), nowMilliseconds: 0)
        // The server refused the write: it is sealed again after a pull.
        machine.handle(.takenApart(.push, jitter: 0), nowMilliseconds: 0)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.pull))
    }

    @Test
    func `a notice during a pull leads to another pull`() {
        var machine = SyncMachine()
        #expect(machine.next(hasUnsent: false, nowMilliseconds: 0) == .send(.pull))
        machine.handle(.serverNotice(), nowMilliseconds: 0)
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: 0)
        #expect(machine.next(hasUnsent: false, nowMilliseconds: 0) == .send(.pull))
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: 0)
        #expect(machine.next(hasUnsent: false, nowMilliseconds: 0) == .rest)
    }

    @Test
    func `a refused write that was taken apart is followed by a pull`() {
        var machine = rested()
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.push))
        machine.handle(.takenApart(.push, jitter: 0), nowMilliseconds: 0)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.pull))
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: 0)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.push))
    }

    @Test
    func `a batch that makes room in a full account does not wait for earlier refusals`() {
        var machine = rested()
        for _ in 0..<2 { refuse(&machine, at: 0) }
        guard case .waitUntil(let time) = machine.next(hasUnsent: true, nowMilliseconds: 0) else {
            Issue.record("a write that was refused again waits")
            return
        }
        #expect(machine.next(hasUnsent: true, nowMilliseconds: time) == .send(.push))
        machine.handle(.takenApart(.push, makesRoom: true, jitter: 0), nowMilliseconds: time)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: time) == .send(.pull))
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: time)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: time) == .send(.push))
    }

    /// A push that is refused, and the pull after it.
    private func refuse(_ machine: inout SyncMachine, at now: UInt64, jitter: UInt64 = 0) {
        #expect(machine.next(hasUnsent: true, nowMilliseconds: now) == .send(.push))
        machine.handle(.takenApart(.push, jitter: jitter), nowMilliseconds: now)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: now) == .send(.pull))
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: now)
    }

    @Test
    func `repeatedly refused writes wait up to an hour, and pulls do not wait`() {
        var machine = rested()
        var now: UInt64 = 1_000_000
        refuse(&machine, at: now)
        for exponent in 0..<14 {
            refuse(&machine, at: now)
            let time = now + min(1000 << UInt64(exponent), SyncMachine.refusedMillisecondsMax)
            #expect(machine.next(hasUnsent: true, nowMilliseconds: time - 1) == .waitUntil(time))
            machine.handle(.serverNotice(), nowMilliseconds: now)
            #expect(machine.next(hasUnsent: true, nowMilliseconds: now) == .send(.pull))
            machine.handle(.done(.pull, hasMore: false), nowMilliseconds: now)
            #expect(machine.next(hasUnsent: true, nowMilliseconds: now) == .waitUntil(time))
            now = time
        }
        #expect(now > 1_000_000 + 3 * SyncMachine.refusedMillisecondsMax)
        // After an accepted write, the next refusal counts as the first again.
        #expect(machine.next(hasUnsent: true, nowMilliseconds: now) == .send(.push))
        machine.handle(.done(.push, hasMore: false), nowMilliseconds: now)
        refuse(&machine, at: now)
        refuse(&machine, at: now, jitter: 500)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: now) == .waitUntil(now + 1500))
        #expect(machine.next(hasUnsent: false, nowMilliseconds: now) == .rest)
        machine.handle(.retryNow, nowMilliseconds: now)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: now) == .send(.push))
    }

    @Test
    func `writing back waits after a refusal too, and then pulls first`() {
        var machine = rested()
        refuse(&machine, at: 0)
        refuse(&machine, at: 0)
        func next(due: UInt64, at now: UInt64) -> SyncMachine.Decision {
            machine.next(hasUnsent: false, rewriteDueMilliseconds: due, nowMilliseconds: now)
        }
        #expect(next(due: 5, at: 10) == .waitUntil(1000))
        #expect(next(due: 2000, at: 10) == .waitUntil(2000))
        #expect(next(due: 5, at: 1000) == .send(.pull))
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: 1000)
        #expect(next(due: 5, at: 1000) == .send(.rewrite))
    }

    @Test
    func `each failure in a row doubles the wait, up to a minute`() {
        var machine = rested()
        var now: UInt64 = 1_000_000
        for seconds in [1, 2, 4, 8, 16, 32, 60, 60, 60] as [UInt64] {
            #expect(machine.next(hasUnsent: true, nowMilliseconds: now) == .send(.push))
            machine.handle(.failed(.push, jitter: 0), nowMilliseconds: now)
            let time = now + seconds * 1000
            #expect(machine.next(hasUnsent: true, nowMilliseconds: now) == .waitUntil(time))
            #expect(machine.next(hasUnsent: true, nowMilliseconds: time - 1) == .waitUntil(time))
            now = time
        }
        // After a success, the next failure counts as the first again.
        #expect(machine.next(hasUnsent: true, nowMilliseconds: now) == .send(.push))
        machine.handle(.done(.push, hasMore: false), nowMilliseconds: now)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: now) == .send(.push))
        machine.handle(.failed(.push, jitter: 0), nowMilliseconds: now)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: now) == .waitUntil(now + 1000))
    }

    @Test(arguments: [0, 1, 250, 500, 501, .max] as [UInt64])
    func `jitter adds up to a half to a wait`(jitter: UInt64) {
        var machine = rested()
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.push))
        machine.handle(.failed(.push, jitter: jitter), nowMilliseconds: 0)
        #expect(
            machine.next(hasUnsent: true, nowMilliseconds: 0) == .waitUntil(1000 + jitter % 501)
        )
    }

    private static let longest = SyncMachine.toldMillisecondsMax

    @Test(
        arguments: [
            // The wait that the server asks for, the number of failures, and the resulting wait.
            (0, 1, 1000), (1, 1, 1000), (2, 1, 2000), (30, 1, 30_000), (30, 6, 32_000),
            (90, 9, 90_000), (300, 1, longest), (301, 1, longest), (.max, 9, longest),
        ] as [(UInt64, Int, UInt64)]
    )
    func `a wait is as long as the server asks, within bounds`(
        seconds: UInt64,
        failures: Int,
        wait: UInt64
    ) {
        var machine = rested()
        var now: UInt64 = 1_000_000
        for _ in 0..<failures {
            now += 1_000_000
            #expect(machine.next(hasUnsent: true, nowMilliseconds: now) == .send(.push))
            machine.handle(.failed(.push, jitter: 0), nowMilliseconds: now)
        }
        machine.handle(.toldToWait(seconds: seconds, jitter: 0), nowMilliseconds: now)
        let end = now + wait
        #expect(machine.next(hasUnsent: true, nowMilliseconds: now) == .waitUntil(end))
        #expect(machine.next(hasUnsent: true, nowMilliseconds: end) == .send(.push))
        machine.handle(.done(.push, hasMore: false), nowMilliseconds: end)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: end) == .send(.push))
    }

    @Test(arguments: [0, 1, 5000, 5001, .max] as [UInt64])
    func `jitter adds to the server's wait, and the user can end it`(jitter: UInt64) {
        var machine = rested()
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.push))
        machine.handle(.failed(.push, jitter: 0), nowMilliseconds: 0)
        machine.handle(.toldToWait(seconds: 10, jitter: jitter), nowMilliseconds: 0)
        #expect(
            machine.next(hasUnsent: true, nowMilliseconds: 0)
                == .waitUntil(10_000 + jitter % 5001)
        )
        machine.handle(.retryNow, nowMilliseconds: 0)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.push))
    }

    @Test
    func `a request to try now ends the wait`() {
        var machine = rested()
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 500) == .send(.push))
        machine.handle(.failed(.push, jitter: 0), nowMilliseconds: 500)
        machine.handle(.retryNow, nowMilliseconds: 500)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 500) == .send(.push))
    }

    @Test
    func `a server that is heard again ends the wait after failures, not one it asked for`() {
        var machine = rested()
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 500) == .send(.push))
        machine.handle(.failed(.push, jitter: 0), nowMilliseconds: 500)
        machine.handle(.serverHeard, nowMilliseconds: 500)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 500) == .send(.push))
        machine.handle(.failed(.push, jitter: 0), nowMilliseconds: 500)
        machine.handle(.toldToWait(seconds: 1, jitter: 0), nowMilliseconds: 500)
        machine.handle(.serverHeard, nowMilliseconds: 500)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 500) == .waitUntil(1500))
    }

    @Test
    func `a batch that was too large is sealed again after a pull, without a wait`() {
        var machine = rested()
        for _ in 0..<9 {
            #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.push))
            machine.handle(.madeSmaller(.push), nowMilliseconds: 0)
            #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.pull))
            machine.handle(.done(.pull, hasMore: false), nowMilliseconds: 0)
        }
    }

    @Test
    func `a clock set back does not prolong a wait`() {
        var machine = rested()
        let later: UInt64 = 1_000_000_000
        #expect(machine.next(hasUnsent: true, nowMilliseconds: later) == .send(.push))
        machine.handle(.failed(.push, jitter: 0), nowMilliseconds: later)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: later - 100_000) == .send(.push))
    }

    @Test
    func `a request that is given up may be sent again`() {
        var machine = rested()
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.push))
        machine.forgetRequest()
        #expect(!machine.isAwaitingAnswer)
        #expect(machine.next(hasUnsent: true, nowMilliseconds: 0) == .send(.push))
    }
}

extension SyncMachine {
    /// The next step of a device that has its keys, has pulled before, and is not paused.
    mutating func next(
        hasUnsent: Bool,
        rewriteDueMilliseconds: UInt64? = nil,
        nowMilliseconds: UInt64
    ) -> Decision {
        var facts = SyncFacts()
        facts.hasEdits = hasUnsent
        facts.rewriteDueMilliseconds = rewriteDueMilliseconds
        return next(facts, nowMilliseconds: nowMilliseconds)
    }
}
