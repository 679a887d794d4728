import Testing

import KSSyncEngine

/// The order of work on a device that is paused, locked or has rows to look after.
struct SyncOrderTests {
    /// Whatever is wanted: the circle, a pull, a push and a write-back.
    private func busy() -> (machine: SyncMachine, facts: SyncFacts) {
        var machine = SyncMachine()
        machine.handle(.circleNotice, nowMilliseconds: 0)
        var facts = SyncFacts()
        (facts.hasBatch, facts.hasEdits, facts.hasWaiting) = (true, true, true)
        facts.rewriteDueMilliseconds = 0
        return (machine, facts)
    }

    @Test
    func `a server that went back is asked for the circle, the batch, all records, then more`() {
        var (machine, facts) = busy()
        machine.handle(.serverWentBack, nowMilliseconds: 0)
        (facts.reconciling, facts.rewriteDueMilliseconds) = (.batch, nil)
        #expect(machine.next(facts, nowMilliseconds: 0) == .send(.circle))
        machine.handle(.circleTaken(version: 1, isNewer: false), nowMilliseconds: 0)
        #expect(!machine.preparations(facts).contains(.beginDownload))
        #expect(machine.next(facts, nowMilliseconds: 0) == .send(.push))
        machine.handle(.madeSmaller(.push), nowMilliseconds: 0)
        (facts.hasBatch, facts.hasCursor) = (false, false)
        #expect(machine.preparations(facts).contains(.beginDownload))
        facts.reconciling = .download
        #expect(machine.next(facts, nowMilliseconds: 0) == .send(.pull))
        machine.handle(.done(.pull, hasMore: true), nowMilliseconds: 0)
        facts.hasCursor = true
        #expect(machine.next(facts, nowMilliseconds: 0) == .send(.pull))
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: 0)
        // What the server lost waits, and is pulled once more before it is sent.
        (facts.reconciling, facts.hasPutUps) = (.upload, true)
        facts.reconcilingWaitMilliseconds = 500
        #expect(machine.next(facts, nowMilliseconds: 0) == .waitUntil(500))
        facts.reconcilingWaitMilliseconds = nil
        #expect(machine.next(facts, nowMilliseconds: 500) == .send(.pull))
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: 500)
        #expect(machine.next(facts, nowMilliseconds: 500) == .send(.push))
        machine.handle(.done(.push, hasMore: false), nowMilliseconds: 500)
        (facts.hasEdits, facts.hasPutUps) = (false, false)
        #expect(machine.next(facts, nowMilliseconds: 500) == .send(.raise))
        machine.handle(.done(.raise, hasMore: false), nowMilliseconds: 500)
        facts.reconciling = nil
        #expect(machine.next(facts, nowMilliseconds: 500) == .rest)
    }

    @Test(arguments: [Reconciliation.Step.batch, .download, .upload])
    func `without keys nothing goes to a server that went back`(step: Reconciliation.Step) {
        var (machine, facts) = busy()
        machine.handle(.serverWentBack, nowMilliseconds: 0)
        (facts.reconciling, facts.hasKeys) = (step, false)
        #expect(machine.next(facts, nowMilliseconds: 0) == .rest)
    }

    @Test
    func `with a forked circle nothing runs`() {
        var (machine, facts) = busy()
        facts.pause = .circleForked
        #expect(machine.next(facts, nowMilliseconds: 0) == .rest)
    }

    @Test
    func `without keys pages are pulled and the sealed batch is sent, and the circle waits`() {
        var (machine, facts) = busy()
        (facts.hasKeys, facts.rewriteDueMilliseconds) = (false, nil)
        #expect(machine.next(facts, nowMilliseconds: 0) == .send(.pull))
        machine.handle(.done(.pull, hasMore: false), nowMilliseconds: 0)
        #expect(machine.next(facts, nowMilliseconds: 0) == .send(.push))
        // Its answer cannot be applied: the batch is sent again after the unlock.
        machine.handle(.waitsForUnlock(.push), nowMilliseconds: 0)
        #expect(machine.next(facts, nowMilliseconds: 0) == .rest)
        facts.hasKeys = true
        #expect(machine.next(facts, nowMilliseconds: 0) == .send(.circle))
        // It was locked before the circle's answer came.
        machine.handle(.waitsForUnlock(.circle), nowMilliseconds: 0)
        #expect(machine.next(facts, nowMilliseconds: 0) == .send(.circle))
        machine.handle(.circleTaken(version: 2, isNewer: true), nowMilliseconds: 0)
        #expect(machine.next(facts, nowMilliseconds: 0) == .send(.push))
        machine.handle(.done(.push, hasMore: false), nowMilliseconds: 0)
        (facts.hasKeys, facts.hasBatch) = (false, false)
        #expect(machine.next(facts, nowMilliseconds: 0) == .rest)
    }

    @Test
    func `rows are looked after in one order, each once`() {
        var (machine, facts) = busy()
        machine.require(.takeNewActor)
        // The batch on its way is answered first.
        #expect(machine.preparations(facts) == [.openWaiting, .lookForDamage, .askAgain])
        facts.hasBatch = false
        #expect(
            machine.preparations(facts) == [.openWaiting, .takeNewActor, .lookForDamage, .askAgain]
        )
        for preparation in machine.preparations(facts) { machine.finish(preparation) }
        #expect(machine.preparations(facts) == [.openWaiting])
        facts.hasWaiting = false
        #expect(machine.preparations(facts) == [])
        machine.handle(.unlocked, nowMilliseconds: 0)
        #expect(machine.preparations(facts) == [.lookForDamage])
    }

    @Test
    func `a circle that is announced and not shown stops no pages, until it grows`() {
        var (machine, facts) = busy()
        facts.rewriteDueMilliseconds = nil
        func step() -> SyncMachine.Decision { machine.next(facts, nowMilliseconds: 0) }
        #expect(step() == .send(.circle))
        machine.handle(.circleTaken(version: 2, isNewer: true), nowMilliseconds: 0)
        #expect(step() == .send(.pull))
        machine.handle(.circleFirst(version: 3), nowMilliseconds: 0)
        #expect(step() == .send(.circle))
        machine.handle(.circleTaken(version: 2, isNewer: false), nowMilliseconds: 0)
        #expect(machine.isCircleWithheld)
        #expect(step() == .send(.pull))
        machine.handle(.circleTaken(version: 3, isNewer: true), nowMilliseconds: 0)
        #expect(!machine.isCircleWithheld)
    }

    @Test
    func `a cleared cursor leads to a pull`() {
        var (machine, facts) = busy()
        (facts.hasBatch, facts.hasEdits, facts.rewriteDueMilliseconds) = (false, false, nil)
        for step in [SyncMachine.Step.circle, .pull] {
            #expect(machine.next(facts, nowMilliseconds: 0) == .send(step))
            machine.handle(.done(step, hasMore: false), nowMilliseconds: 0)
        }
        #expect(machine.next(facts, nowMilliseconds: 0) == .rest)
        facts.hasCursor = false
        #expect(machine.next(facts, nowMilliseconds: 0) == .send(.pull))
    }
}
