import KSCausality
import KSKeychain
import KSRecords
import KSWire
import KSSyncEngine
import Testing

/// A device whose account has no room for what it sends.
struct FullAccountTests {
    private let home: ReplicaHome
    private let account: ReplicaAccount

    init() throws {
        home = try .caughtUp()
        account = home.account
    }

    /// Sends the next batch, for which the account has no room.
    private func pushWithoutRoom() throws -> Batch {
        home.clock.advance(seconds: 60)
        let (request, batch) = try home.push()
        try home.replica.receive(.refused(.quotaExceeded), to: request)
        return batch
    }

    private func vector(_ batch: Batch) -> [(actor: ActorID, counter: UInt64)] {
        batch.envelopes.last.map { [(actor: $0.dot.actor, counter: $0.dot.counter)] } ?? []
    }

    @Test
    func `a batch without room stays as it is, until an edit behind it makes room and goes first`()
        throws
    {
        for service in ["old", "kept"] { try home.save(service, "one") }
        let first = try home.pushTaken(from: 6)
        try home.save("new", "one")
        let batch = try pushWithoutRoom()
        // Edits that need more room change nothing.
        try home.save("more", "one")
        try home.save("new", "two")
        #expect(try pushWithoutRoom() == batch)
        #expect(try pushWithoutRoom() == batch)
        try home.delete("old")
        #expect(try pushWithoutRoom() == batch)
        #expect(try home.secret("new") == "two")
        try home.pull(account.page(to: 7, vector: vector(first)))
        let deletion = try home.pushTaken(from: 8)
        #expect(deletion.envelopes.map(\.recordID) == [home.recordID("old")])
        #expect(deletion.envelopes[0].isTombstone)
        #expect(deletion.envelopes[0].dot.actor != batch.envelopes[0].dot.actor)
        #expect(home.replica.refusedWrite == nil)
        let rest = try home.pushTaken(from: 9)
        #expect(Set(rest.envelopes.map(\.recordID)) == Set(["new", "more"].map(home.recordID)))
        #expect(try home.replica.openRecords()?.isEmpty == true)
        #expect(try home.secret("new") == "two")
        #expect(try home.secret("more") == "one")
    }

    /// A page after which the account has room for so many bytes.
    private func page(room: UInt64) -> PageAnswer {
        let page = account.page(to: 6)
        return PageAnswer(
            records: page.records,
            cursor: page.cursor,
            hasMore: page.hasMore,
            vector: page.vector,
            circleVersion: page.circleVersion,
            usage: AccountUsage(bytes: 1 << 20, bytesMax: (1 << 20) + room)
        )
    }

    @Test(arguments: [true, false])
    func `a change that is too large for the room holds back no smaller one`(
        isBehind: Bool
    ) throws {
        try home.hear(page(room: 8000))
        try home.save("large", String(repeating: "x", count: 40_000))
        if isBehind {
            // The batch with the large one waits already.
            let batch = try pushWithoutRoom()
            #expect(batch.envelopes.map(\.recordID) == [home.recordID("large")])
        }
        for service in ["small", "little"] { try home.save(service, "one") }
        let refused = try pushWithoutRoom()
        try home.pull(page(room: 8000))
        let small = try home.pushTaken(from: 7)
        let sent = Set(["small", "little"].map(home.recordID))
        #expect(Set(small.envelopes.map(\.recordID)) == sent)
        #expect(small.envelopes[0].dot.actor != refused.envelopes[0].dot.actor)
        // The large one waits, and is named.
        let large = try pushWithoutRoom()
        #expect(large.envelopes.map(\.recordID) == [home.recordID("large")])
        #expect(try pushWithoutRoom() == large)
        let counts = try home.replica.counts()
        #expect(counts.withoutRoom.map(\.record) == [home.recordID("large")])
        let (needed, left) = (counts.withoutRoom[0].bytesMax, try #require(counts.room))
        #expect(needed > left && left < 8000)
        #expect(needed >= UInt64(large.envelopes[0].box.count))
        #expect(home.replica.refusedWrite == .quotaExceeded)
    }

    @Test
    func `a batch that seems to fit is not taken apart`() throws {
        try home.hear(page(room: 1 << 20))
        try home.save("new", "one")
        let batch = try pushWithoutRoom()
        try home.save("more", "one")
        #expect(try pushWithoutRoom() == batch)
    }

    @Test
    func `what is deleted before it was ever sent makes room for the rest`() throws {
        let large = String(repeating: "x", count: 4000)
        try home.save("old", large)
        let first = try home.pushTaken(from: 6)
        try home.save("new", large)
        let batch = try pushWithoutRoom()
        try home.set([.comment: .string("a note")], of: "old")
        #expect(try pushWithoutRoom() == batch)
        #expect(try pushWithoutRoom() == batch)
        try home.delete("new")
        #expect(try pushWithoutRoom() == batch)
        try home.pull(account.page(to: 6, vector: vector(first)))
        let rest = try home.pushTaken(from: 7)
        #expect(rest.envelopes.map(\.recordID) == [home.recordID("old")])
        #expect(try home.secret("new") == nil)
    }

    @Test
    func `the problem is known while pulls succeed, and gone with the edit that had no room`()
        throws
    {
        try home.save("new", "one")
        _ = try pushWithoutRoom()
        home.clock.advance(seconds: 60)
        try home.hear(account.page(to: 6))
        #expect(home.replica.refusedWrite == .quotaExceeded)
        try home.delete("new")
        _ = try pushWithoutRoom()
        #expect(home.replica.refusedWrite == .quotaExceeded)
        try home.pull(account.page(to: 6))
        #expect(try home.replica.nextRequest() == .rest)
        #expect(home.replica.refusedWrite == nil)
        #expect(try home.replica.counts().unsent == 0)
    }
}
