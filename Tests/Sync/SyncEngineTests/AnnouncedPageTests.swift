import KSDeviceKeys
import KSCausality
import KSRecords
import KSSealing
import Testing

import KSSyncEngine

/// A page that comes with the server's event saves a device the pull.
struct AnnouncedPageTests {
    private let account: ReplicaAccount
    private let home: ReplicaHome
    private let writer: ReplicaHome

    init() throws {
        home = try .caughtUp()
        account = home.account
        writer = try ReplicaHome(account)
        try writer.pull(account.page(to: 5))
    }

    /// The writer's next write of an item, as a page after the seq before it.
    private func written(
        _ secret: String,
        to item: String = "wifi",
        seq: UInt64
    ) throws -> AnnouncedPage {
        try writer.save(item, secret)
        let envelope = try #require(try writer.pushTaken(from: seq).envelopes.first)
        return AnnouncedPage(
            after: account.cursor(seq - 1),
            page: account.page([.of([envelope], seq: seq)], to: seq)
        )
    }

    private func isPull(_ next: NextRequest, after seq: UInt64) -> Bool {
        guard case .send(let request) = next else { return false }
        return request.request == .pull(after: account.cursor(seq))
    }

    @Test
    func `it is applied without a pull`() throws {
        try home.replica.notice(seq: 6, circleVersion: 1, try written("one", seq: 6))
        #expect(try home.replica.nextRequest() == .rest)
        #expect(try home.secret("wifi") == "one")
        #expect(try home.replica.state().cursor == account.cursor(6))
        try home.replica.notice(seq: 7, circleVersion: 1, try written("two", seq: 7))
        #expect(try home.replica.nextRequest() == .rest)
        #expect(try home.secret("wifi") == "two")
    }

    /// Only the server's answer says how large the account may be now.
    @Test
    func `a sync that a user wants gets the server's own answer`() throws {
        try home.replica.notice(seq: 6, circleVersion: 1, try written("one", seq: 6))
        home.replica.wake()
        #expect(isPull(try home.replica.nextRequest(), after: 5))
    }

    @Test
    func `one that begins elsewhere is not used, and the device pulls`() throws {
        _ = try written("one", seq: 6)
        try home.replica.notice(seq: 7, circleVersion: 1, try written("two", seq: 7))
        #expect(isPull(try home.replica.nextRequest(), after: 5))
        #expect(try home.secret("wifi") == nil)
    }

    @Test
    func `one from before the device's own write is not taken for a server that went back`() throws
    {
        let late = try written("one", seq: 6)
        try home.save("mail", "mine")
        let (request, batch) = try home.push()
        // Another device's write lies between: the cursor stays where it was.
        try home.replica.receive(.pushed(account.taken(batch, from: 7)), to: request)
        #expect(try home.replica.state().cursor == account.cursor(5))
        try home.replica.notice(seq: 6, circleVersion: 1, late)
        #expect(isPull(try home.replica.nextRequest(), after: 5))
        #expect(try home.replica.state().hold == nil)
    }

    @Test
    func `one that came in the middle of a pull is not used, and the device pulls on`() throws {
        let wifi = try written("one", seq: 6).page.records
        let mail = try written("mine", to: "mail", seq: 7).page.records
        let event = try written("pin", to: "bank", seq: 8)
        try home.replica.notice(seq: 8, circleVersion: 1)
        let request = try home.next()
        try home.replica.notice(seq: 8, circleVersion: 1, event)
        // Another device writes the first item again before the pull is answered: it comes last.
        let other = try ReplicaHome(account)
        try other.pull(account.page(to: 5))
        try other.save("wifi", "two")
        let again = try other.pushTaken(from: 9).envelopes
        let both = PageAnswer.Record.of(wifi.flatMap(\.siblings) + again, seq: 9)
        try home.replica.receive(.page(account.page(mail, to: 7, hasMore: true)), to: request)
        let rest = try home.next()
        #expect(rest.request == .pull(after: account.cursor(7)))
        try home.replica.receive(.page(account.page(event.page.records + [both], to: 9)), to: rest)
        #expect(try home.replica.state().hold == nil)
        #expect(try home.secret("bank") == "pin")
        #expect(try home.secret("wifi") != nil)
    }

    @Test
    func `one of another epoch, or one that contradicts itself, is not applied`() throws {
        let page = try written("one", seq: 6).page
        let epoch = StoreEpoch(validated: [UInt8](repeating: 9, count: StoreEpoch.byteCount))
        let strange = PageAnswer(
            records: page.records,
            cursor: account.cursor(6, epoch: epoch),
            hasMore: false,
            vector: page.vector,
            circleVersion: 1
        )
        let announced = AnnouncedPage(after: account.cursor(5), page: strange)
        try home.replica.notice(seq: 6, circleVersion: 1, announced)
        #expect(isPull(try home.replica.nextRequest(), after: 5))
        #expect(try home.replica.state().hold == nil)

        let other = try ReplicaHome(account)
        try other.pull(account.page(to: 5))
        let twice = PageAnswer(
            records: page.records + page.records,
            cursor: page.cursor,
            hasMore: false,
            vector: page.vector,
            circleVersion: 1
        )
        let faulty = AnnouncedPage(after: account.cursor(5), page: twice)
        try other.replica.notice(seq: 6, circleVersion: 1, faulty)
        // After the wait that follows each failed pull.
        guard case .waitUntil(let time) = try other.replica.nextRequest() else {
            Issue.record("the page was used")
            return
        }
        #expect(time > other.clock.milliseconds)
        other.clock.advance(seconds: 2)
        #expect(isPull(try other.replica.nextRequest(), after: 5))
        #expect(try other.secret("wifi") == nil)
    }

    @Test
    func `after an hour without a pull the device tells the server how far it is`() throws {
        home.clock.advance(seconds: 3599)
        try home.replica.notice(seq: 6, circleVersion: 1, try written("one", seq: 6))
        #expect(try home.replica.nextRequest() == .rest)
        home.clock.advance(seconds: 1)
        try home.replica.notice(seq: 7, circleVersion: 1, try written("two", seq: 7))
        #expect(isPull(try home.replica.nextRequest(), after: 7))
        #expect(try home.secret("wifi") == "two")
    }

    @Test
    func `a locked device keeps it for the unlock`() throws {
        let page = try written("one", seq: 6)
        home.keys.lock()
        home.device.keys.lock()
        try home.replica.notice(seq: 6, circleVersion: 1, page)
        #expect(try home.replica.nextRequest() == .rest)
        #expect(try home.replica.counts().waiting == 1)
        try home.keys.unlock(passcode: nil)
        try home.device.keys.unlock(from: home.database)
        home.replica.noticeUnlock()
        #expect(try home.replica.nextRequest() == .rest)
        #expect(try home.secret("wifi") == "one")
    }

    @Test
    func `a copy of the device that writes is noticed by it`() throws {
        let actor = try home.replica.state().actor
        let page = account.page(to: 6, vector: [(actor: actor, counter: 9)])
        let known = account.page(to: 5).vector
        var vector = page.vector
        for entry in known.entries { vector.raise(entry.actor, to: entry.counter) }
        let announced = AnnouncedPage(
            after: account.cursor(5),
            page: PageAnswer(
                records: [],
                cursor: account.cursor(6),
                hasMore: false,
                vector: vector,
                circleVersion: 1
            )
        )
        try home.replica.notice(seq: 6, circleVersion: 1, announced)
        _ = try home.replica.nextRequest()
        #expect(try home.replica.state().actor != actor)
    }
}
