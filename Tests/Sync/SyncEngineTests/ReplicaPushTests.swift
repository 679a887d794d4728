import KSCausality
import GRDB
import KSKeychain
import KSKeychainRecords
import KSRecords
import KSResolution
import KSDeviceKeys
import KSTestSupport
import Testing
import KSWire

import KSSyncEngine

/// A batch and its edits, whatever the server answers.
struct ReplicaPushTests {
    private let account: ReplicaAccount
    private let home: ReplicaHome

    init() throws {
        home = try .caughtUp()
        account = home.account
    }

    @Test
    func `a batch is sent unchanged until it is answered, also after a restart`() throws {
        try home.save("wifi", "one")
        let (request, batch) = try home.push()
        try home.replica.receive(.failed, to: request)
        // Changes from now on go into the next batch.
        try home.save("wifi", "two")
        home.clock.advance(seconds: 100)
        #expect(try home.push().batch == batch)
        try home.restart()
        try home.pull(account.page(to: 5))
        let (again, third) = try home.push()
        #expect(third == batch)
        try home.replica.receive(.pushed(account.taken(batch, from: 6)), to: again)
        let next = try home.pushTaken(from: 7)
        #expect(next.envelopes.map(\.replaced) == [[batch.envelopes[0].dot]])
        #expect(try home.mirror("wifi")?.siblings.map(\.dot) == next.envelopes.map(\.dot))
        let header = try next.checkedHeader()
        #expect(try header.previousChain == batch.checkedHeader().chain)
        #expect(try header.firstCounter == batch.checkedHeader().lastCounter + 1)
    }

    @Test
    func `only the answer to the last request counts`() throws {
        try home.save("wifi", "one")
        let (first, batch) = try home.push()
        home.replica.giveUpRequest()
        let (second, _) = try home.push()
        try home.replica.receive(.pushed(account.taken(batch, from: 6)), to: first)
        #expect(try home.replica.counts().unsent == 1)
        #expect(try home.replica.nextRequest() == .awaitAnswer)
        try home.replica.receive(.pushed(account.taken(batch, from: 6)), to: second)
        #expect(try home.replica.counts().unsent == 0)
        #expect(try home.replica.isQuiet())
        // The same answer again belongs to no request.
        try home.replica.receive(.pushed(account.taken(batch, from: 6)), to: second)
        #expect(try home.replica.counts().unsent == 0)
    }

    @Test
    func `edits that are made while a batch is on its way are gathered for the next one`() throws {
        try home.save("wifi", "one")
        let (request, batch) = try home.push()
        try home.save("mail", "two")
        try home.replica.receive(.pushed(account.taken(batch, from: 6)), to: request)
        guard case .waitUntil = try home.replica.nextRequest() else {
            Issue.record("it sends at once")
            return
        }
        try home.save("radio", "three")
        home.clock.advance(seconds: 1)
        guard case .send(let next) = try home.replica.nextRequest(),
            case .push(let both, _) = next.request
        else {
            Issue.record("it does not send")
            return
        }
        #expect(both.envelopes.count == 2)
    }

    @Test(arguments: [6, 7] as [UInt64])
    func `the server's notice of a push leads to no pull, that of another write does`(
        seq: UInt64
    ) throws {
        try home.save("wifi", "one")
        let (request, batch) = try home.push()
        try home.replica.notice(seq: seq, circleVersion: 1)
        try home.replica.receive(.pushed(account.taken(batch, from: 6)), to: request)
        guard seq > 6 else {
            #expect(try home.replica.nextRequest() == .rest)
            return
        }
        guard case .pull = try home.next().request else {
            Issue.record("it does not pull")
            return
        }
    }

    @Test
    func `an answer with another number of records is refused`() throws {
        try home.save("wifi", "one")
        let (request, batch) = try home.push()
        let short = PushAnswer(records: [], cursor: account.cursor(6), circleVersion: 1)
        try home.replica.receive(.pushed(short), to: request)
        #expect(try home.replica.counts().unsent == 1)
        home.clock.advance(seconds: 10)
        #expect(try home.push().batch == batch)
    }

    @Test
    func `the cursor skips own writes only if no other write lies between`() throws {
        try home.save("wifi", "one")
        _ = try home.pushTaken(from: 6)
        #expect(try home.replica.state().cursor == account.cursor(6))
        #expect(try home.replica.nextRequest() == .rest)
        let actor = try home.replica.state().actor
        #expect(try home.database.read(SyncStateTable.vector)[actor] == 1)

        // Another device wrote seq 7.
        try home.save("bank", "one")
        _ = try home.pushTaken(from: 8)
        #expect(try home.replica.state().cursor == account.cursor(6))
        #expect(try home.next().request == .pull(after: account.cursor(6)))
    }

    @Test
    func `a record with siblings unknown here is pulled`() throws {
        try home.save("wifi", "one")
        let (request, batch) = try home.push()
        let own = batch.envelopes[0].dot
        let foreign = Dot(actor: ActorID(rawValue: 1), counter: 1)
        try home.replica.receive(
            .pushed(account.taken(batch, from: 6, dots: [foreign, own])),
            to: request
        )
        #expect(try home.replica.state().cursor == account.cursor(5))
        #expect(try home.next().request == .pull(after: account.cursor(5)))
        #expect(try home.mirror("wifi")?.siblings.map(\.dot) == [own])
    }

    @Test
    func `an answer does not undo a later page`() throws {
        let other = try ReplicaHome(account)
        try other.pull(account.page(to: 5))
        try home.save("wifi", "one")
        let (request, batch) = try home.push()
        try home.replica.receive(.failed, to: request)
        // The server had accepted it; another device has seen it and replaced it.
        let own = batch.envelopes[0]
        try other.hear(account.page([.of([own], seq: 6)], to: 6))
        try other.save("wifi", "two")
        let newer = try other.push().batch.envelopes[0]
        #expect(newer.replaced == [own.dot])
        home.replica.wake()
        try home.pull(account.page([.of([newer], seq: 7)], to: 7))
        let (again, same) = try home.push()
        #expect(same == batch)
        try home.replica.receive(.pushed(account.taken(batch, from: 6)), to: again)
        #expect(try home.mirror("wifi")?.siblings.map(\.dot) == [newer.dot])
        #expect(try home.secret("wifi") == "two")
    }

    @Test(arguments: [ErrorCode.actorForked, .siblingsFull, .generationClosed])
    func `a refused batch is taken apart and sealed by a new actor`(code: ErrorCode) throws {
        try home.save("wifi", "one")
        try home.save("bank", "two")
        let before = try home.replica.state().actor
        let forks = home.replica.report.forks
        let (request, batch) = try home.push()
        try home.replica.receive(.refused(code), to: request)
        let state = try home.replica.state()
        #expect(state.actor != before && state.counter == 0 && state.chain == .zero)
        #expect(try home.keys.pins()?.actor == state.actor)
        #expect(home.replica.report.forks == forks + 1)
        #expect(try home.replica.counts().unsent == 2)
        // It pulls first.
        try home.pull(account.page(to: 5))
        let next = try home.push().batch
        #expect(Set(next.envelopes.map(\.recordID)) == Set(batch.envelopes.map(\.recordID)))
        #expect(
            next.envelopes.map(\.dot) == [
                Dot(actor: state.actor, counter: 1), Dot(actor: state.actor, counter: 2),
            ]
        )
    }

    @Test
    func `a batch that is refused twice waits, and reports why`() throws {
        try home.save("wifi", "one")
        for _ in 0..<2 {
            let (request, _) = try home.push()
            try home.replica.receive(.refused(.generationClosed), to: request)
            try home.pull(account.page(to: 5))
        }
        #expect(home.replica.refusedWrite == .generationClosed)
        guard case .waitUntil = try home.replica.nextRequest() else {
            Issue.record("it does not wait")
            return
        }
        home.clock.advance(seconds: 2)
        _ = try home.pushTaken(from: 6)
        #expect(home.replica.refusedWrite == nil)
    }

    @Test
    func `a false seq in an answer does not hide later writes`() throws {
        try home.save("wifi", "one")
        let (request, batch) = try home.push()
        try home.replica.receive(.pushed(account.taken(batch, from: 1 << 60)), to: request)
        #expect(try home.replica.state().cursor == account.cursor(5))
        #expect(try home.replica.counts().unsent == 0)
        let own = batch.envelopes[0]
        let vector = [(actor: own.dot.actor, counter: own.dot.counter)]
        try home.pull(account.page([.of([own], seq: 6)], to: 6, vector: vector))
        #expect(try home.mirror("wifi")?.seq == 6)

        let other = try ReplicaHome(account)
        try other.pull(account.page([.of([own], seq: 6)], to: 6))
        try other.save("wifi", "two")
        let newer = try other.push().batch.envelopes[0]
        try home.hear(account.page([.of([newer], seq: 7)], to: 7, vector: vector))
        #expect(try home.secret("wifi") == "two")
    }

    @Test
    func `a batch is kept if its answer contradicts a page`() throws {
        try home.save("wifi", "one")
        _ = try home.pushTaken(from: 6)
        try home.save("wifi", "two")
        let (request, batch) = try home.push()
        let answer = PushAnswer(
            records: [.init(seq: 2, dots: [batch.envelopes[0].dot])],
            cursor: account.cursor(6),
            circleVersion: 1
        )
        #expect(try !home.replica.receive(.pushed(answer), to: request))
        #expect(try home.replica.counts().unsent == 1)
        #expect(try home.secret("wifi") == "two")
        home.clock.advance(seconds: 10)
        // A pull comes first: the server may have gone back.
        let known = [(actor: batch.envelopes[0].dot.actor, counter: UInt64(1))]
        try home.pull(account.page(to: 6, vector: known))
        #expect(try home.pushTaken(from: 7) == batch)
        #expect(try home.replica.isQuiet())
    }

    @Test
    func `an item that is changed again while its change is under way counts as unsent once`()
        throws
    {
        try home.save("wifi", "one")
        try home.save("mail", "one")
        _ = try home.push()
        try home.save("wifi", "two")
        #expect(try home.replica.counts().unsent == 2)
        let leaving = try home.database.read { try Departure.unsentCount(in: $0) }
        #expect(leaving == 2)
    }

    @Test
    func `the halves of a rename stay tied after a batch is taken apart`() throws {
        try home.save("wifi", "one")
        _ = try home.pushTaken(from: 6)
        try home.rename("wifi", to: "network")
        let (request, batch) = try home.push()
        #expect(batch.envelopes.count == 2)
        try home.replica.receive(.refused(.actorForked), to: request)
        #expect(try home.ties(in: "outbox") == ["wifi": "network"].asRecords(of: home))
    }

    @Test
    func `a server that went back is asked once more for the batch, which keeps its stamps`()
        throws
    {
        let code = ErrorCode.storeRestored
        try home.save("wifi", "one")
        let before = try home.replica.state().actor
        let (request, batch) = try home.push()
        let stamps = try home.sentStamps("wifi")
        #expect(!stamps.isEmpty)
        try home.replica.receive(.refused(code), to: request)
        try home.answerCircle()
        let (again, same) = try home.push()
        #expect(same == batch)
        try home.replica.receive(.refused(code), to: again)
        let state = try home.replica.state()
        // The server may hold the batch or not: its actor is not used again.
        #expect(state.actor != before)
        #expect(try home.keys.pins()?.actor == state.actor)
        #expect(try home.replica.counts().unsent == 1)
        #expect(try home.secret("wifi") == "one")
        let epoch = StoreEpoch(validated: [UInt8](repeating: 9, count: StoreEpoch.byteCount))
        try home.pull(home.account.page(to: 3, epoch: epoch))
        #expect(try home.replica.state().epoch == epoch)
        // After the random wait.
        home.clock.advance(seconds: 10)
        let (_, sent) = try home.push()
        #expect(sent.envelopes.map(\.recordID) == batch.envelopes.map(\.recordID))
        #expect(try home.sentStamps("wifi") == stamps)
    }

    @Test(arguments: [ErrorCode.quotaExceeded, .storageFailed, .tooManyRequests, .malformed])
    func `any other refusal keeps the batch unchanged for later`(code: ErrorCode) throws {
        try home.save("wifi", "one")
        let (request, batch) = try home.push()
        let before = try home.replica.state()
        try home.replica.receive(.refused(code), to: request)
        #expect(try home.replica.state() == before)
        #expect(home.replica.report.lastRefusal == code)
        guard case .waitUntil(let time) = try home.replica.nextRequest() else {
            Issue.record("it does not wait")
            return
        }
        #expect(time > home.clock.milliseconds)
        home.clock.advance(seconds: 2)
        #expect(try home.push().batch == batch)
    }

    @Test
    func `a copied database writes as another actor`() throws {
        let actor = try home.replica.state().actor
        try home.restart()
        #expect(try home.replica.state().actor == actor)
        // The pins say that another copy has gone on.
        try home.keys.savePins(
            DevicePins(
                actor: ActorID(rawValue: actor.rawValue ^ 1),
                circleVersion: 1,
                circleHash: home.replica.state().circleHash
            )
        )
        try home.restart()
        let state = try home.replica.state()
        #expect(state.actor != actor)
        #expect(try home.keys.pins()?.actor == state.actor)
    }

    /// Equal stamps would make two different edits one value.
    @Test
    func `two homes with one actor and one clock make different stamps`() throws {
        let account = try ReplicaAccount()
        let homes = try (1...2).map { seed in
            try ReplicaHome(account, random: SeededRandomSource(seed: UInt64(seed)))
        }
        let actor = ActorID(rawValue: 7)
        var stamps: [Stamp] = []
        for home in homes {
            try home.become(actor)
            try home.save("wifi", "one")
            try home.pull(account.page(to: 5))
            let batch = try home.push().batch
            #expect(batch.envelopes.map(\.dot) == [Dot(actor: actor, counter: 1)])
            let onItsWay = try home.replica.localRecord(of: ReplicaHome.item("wifi").key).onItsWay
            stamps += try #require(onItsWay).state.stamps(of: .secret)
        }
        #expect(homes[0].clock.milliseconds == homes[1].clock.milliseconds)
        #expect(stamps.count == 2 && stamps[0] != stamps[1])
        #expect(stamps[0].time.milliseconds == stamps[1].time.milliseconds)
        #expect(stamps.allSatisfy { $0.actor == actor })
    }

    @Test
    func `an edit of an old item does not raise the times of later ones`() throws {
        try home.save("old", "one")
        home.clock.advance(seconds: 10)
        try home.save("later", "two")
        let written = home.clock.milliseconds
        home.clock.advance(seconds: 1000)
        try home.save("old", "three")
        let batch = try home.pushTaken(from: 6)
        #expect(batch.envelopes.map(\.recordID) == ["later", "old"].map(home.recordID))
        let later = try #require(try home.mirror("later")?.state)
        #expect(later.latestTime.milliseconds == written)
        let old = try #require(try home.mirror("old")?.state)
        #expect(old.latestTime.milliseconds >= home.clock.milliseconds)
    }

    @Test
    func `a push counts as a successful sync`() throws {
        home.clock.advance(seconds: 50)
        try home.save("wifi", "one")
        _ = try home.pushTaken(from: 6)
        #expect(try home.replica.state().lastSuccessMilliseconds == home.clock.milliseconds)
    }

    @Test
    func `an unsent item is found by its letters`() throws {
        try home.save("wifi", "one")
        let prefix = Array(home.recordID("wifi").bytes.prefix(5))
        let found = try home.replica.histories(beginning: prefix)
        #expect(found.map(\.id) == [home.recordID("wifi")])
        // The edit has no stamp yet, so no time.
        #expect(found.first?.versions.map(\.milliseconds) == [nil])
        _ = try home.push()
        #expect(try home.replica.histories(beginning: prefix).count == 1)
    }
}
