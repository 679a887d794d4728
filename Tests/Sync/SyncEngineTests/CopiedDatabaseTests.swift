import KSCausality
import KSRecords
import KSDeviceKeys
import Testing
import KSWire

import KSSyncEngine

/// A device with a batch on its way notices that a copy may write as its actor.
struct CopiedDatabaseTests {
    private let account: ReplicaAccount
    private let home: ReplicaHome
    private let actor: ActorID
    private let batch: Batch
    private let forks: Int

    /// The batch was sent, and its answer is lost.
    init() throws {
        home = try .caughtUp()
        account = home.account
        actor = try home.replica.state().actor
        forks = home.replica.report.forks
        try home.save("wifi", "one")
        let request: NumberedRequest
        (request, batch) = try home.push()
        try home.replica.receive(.failed, to: request)
        home.clock.advance(seconds: 100)
    }

    private func noticeClone() throws {
        try home.hear(account.page(to: 6, vector: [(actor: actor, counter: 5)]))
    }

    private func expectNewActor() throws {
        let state = try home.replica.state()
        #expect(state.actor != actor)
        #expect(state.counter == 0)
        #expect(try home.keys.pins()?.actor == state.actor)
        #expect(!home.replica.wantsNewActor)
    }

    @Test
    func `a device sends its batch again before it takes a new actor`() throws {
        try noticeClone()
        #expect(try home.replica.state().actor == actor)
        #expect(try home.pushTaken(from: 6) == batch)
        #expect(try home.replica.counts().unsent == 0)
        #expect(try home.replica.nextRequest() != .rest)
        try expectNewActor()
        #expect(home.replica.report.forks == forks + 1)
    }

    @Test(arguments: [ErrorCode.actorForked, .generationClosed])
    func `a refused batch is taken apart, and its edits go to a new actor`(code: ErrorCode) throws {
        try noticeClone()
        let (request, sent) = try home.push()
        #expect(sent == batch)
        try home.replica.receive(.refused(code), to: request)
        try expectNewActor()
        #expect(home.replica.report.forks == forks + 1)
        #expect(try home.replica.counts().unsent == 1)
        try home.pull(account.page(to: 6, vector: [(actor: actor, counter: 5)]))
        let again = try home.pushTaken(from: 7)
        #expect(again.envelopes.map(\.recordID) == batch.envelopes.map(\.recordID))
        #expect(again.envelopes.map(\.dot.actor) != batch.envelopes.map(\.dot.actor))
    }

    @Test
    func `a restored store is asked once more, then the batch is taken apart`() throws {
        try noticeClone()
        let (request, _) = try home.push()
        try home.replica.receive(.refused(.storeRestored), to: request)
        try home.answerCircle()
        let (again, sent) = try home.push()
        #expect(sent == batch)
        try home.replica.receive(.refused(.storeRestored), to: again)
        try expectNewActor()
        #expect(try home.replica.counts().unsent == 1)
    }

    @Test
    func `a batch is sent until it is answered, also after restarts`() throws {
        try noticeClone()
        for _ in 0..<3 {
            let (request, sent) = try home.push()
            #expect(sent == batch)
            try home.replica.receive(.failed, to: request)
            home.clock.advance(seconds: 100)
            try home.restart()
            // The pins name no actor until the device has a new one.
            #expect(home.replica.wantsNewActor)
            #expect(try home.replica.state().actor == actor)
            #expect(try home.keys.pins()?.actor != actor)
            try home.pull(account.page(to: 6, vector: [(actor: actor, counter: 5)]))
        }
        _ = try home.pushTaken(from: 6)
        _ = try home.replica.nextRequest()
        try expectNewActor()
    }

    @Test
    func `a copied database sends its batch again before it takes a new actor`() throws {
        try home.keys.savePins(
            DevicePins(
                actor: ActorID(rawValue: actor.rawValue ^ 1),
                circleVersion: 1,
                circleHash: home.replica.state().circleHash
            )
        )
        try home.restart()
        #expect(home.replica.wantsNewActor)
        try home.save("later", "two")
        // A circle that comes now must not vouch for the copy.
        try home.replica.savePins()
        try home.restart()
        #expect(home.replica.wantsNewActor)
        try home.pull(account.page(to: 6))
        #expect(try home.pushTaken(from: 6) == batch)
        #expect(try home.secret("wifi") == "one")
        guard case .send(let request) = try home.replica.nextRequest(),
            case .pull = request.request
        else {
            Issue.record("what lies between is not pulled")
            return
        }
        let vector = [(actor: actor, counter: UInt64(1))]
        try home.replica.receive(.page(account.page(to: 7, vector: vector)), to: request)
        try expectNewActor()
        let next = try home.push().batch
        #expect(next.envelopes.map(\.recordID) == [home.recordID("later")])
        #expect(next.envelopes.map(\.dot.actor) == [try home.replica.state().actor])
    }

    @Test
    func `a locked clone sends its batch again, then takes a new actor at unlock`() throws {
        home.keys.lock()
        home.device.keys.lock()
        try noticeClone()
        let (request, sent) = try home.push()
        #expect(sent == batch)
        try home.replica.receive(.pushed(account.taken(batch, from: 6)), to: request)
        #expect(try home.replica.nextRequest() == .rest)
        #expect(try home.replica.state().actor == actor)
        try home.keys.unlock(passcode: nil)
        try home.device.keys.unlock(from: home.database)
        home.replica.noticeUnlock()
        #expect(try home.pushTaken(from: 6) == batch)
        _ = try home.replica.nextRequest()
        try expectNewActor()
    }
}
