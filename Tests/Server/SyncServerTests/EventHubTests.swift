import KSRecords
import Testing
import KSWire

import KSSyncServer

struct EventHubTests {
    private let account = AccountID(validated: [UInt8](repeating: 1, count: 16))
    private let other = AccountID(validated: [UInt8](repeating: 2, count: 16))
    private let member = Self.member(0)

    private static func member(_ number: UInt8) -> MemberID {
        MemberID(validated: [UInt8](repeating: number, count: 16))
    }

    private static func cursor(_ seq: UInt64) -> Cursor {
        Cursor(
            epoch: StoreEpoch(validated: [UInt8](repeating: 1, count: StoreEpoch.byteCount)),
            seq: seq,
            tag: .start
        )
    }

    @Test
    func `a slow listener gets the newest state`() async throws {
        let hub = EventHub()
        let subscription = try hub.subscribe(member, to: account)
        hub.publish(Standing(cursor: Self.cursor(5)), by: Self.member(1), to: account)
        hub.publish(Standing(circleVersion: 2), by: Self.member(1), to: account)
        hub.publish(Standing(cursor: Self.cursor(6)), by: member, to: account)
        hub.publish(Standing(cursor: Self.cursor(4)), by: Self.member(1), to: account)
        hub.publish(Standing(cursor: Self.cursor(99)), by: Self.member(1), to: other)
        var iterator = subscription.standings.makeAsyncIterator()
        let newest = Standing(cursor: Self.cursor(6), seqOfOthers: 5, circleVersion: 2)
        #expect(await iterator.next() == newest)
    }

    @Test
    func `an author's own write does not wake its listener, and a new circle does`() async throws {
        let hub = EventHub()
        let subscription = try hub.subscribe(member, to: account)
        hub.publish(Standing(cursor: Self.cursor(5), circleVersion: 1), by: member, to: account)
        hub.publish(Standing(cursor: Self.cursor(6), circleVersion: 1), by: member, to: account)
        subscription.end()
        var told: [Standing] = []
        for await standing in subscription.standings { told.append(standing) }
        #expect(told == [Standing(cursor: Self.cursor(5), circleVersion: 1)])
    }

    @Test
    func `a stop ends present and later listeners`() async throws {
        let hub = EventHub()
        let before = try hub.subscribe(member, to: account)
        hub.stop()
        let after = try hub.subscribe(member, to: account)
        for subscription in [before, after] {
            await subscription.waitOnce(atMost: .seconds(60))
            for await _ in subscription.standings { Issue.record("nothing was said") }
        }
        #expect(hub.listenerCount == 0)
    }

    @Test
    func `a listener that ends is removed`() async throws {
        let hub = EventHub()
        let subscription = try hub.subscribe(member, to: account)
        #expect(hub.listenerCount == 1)
        subscription.end()
        #expect(hub.listenerCount == 0)
        _ = try hub.subscribe(member, to: account)
        #expect(hub.listenerCount == 0)
    }

    @Test
    func `a deleted account's listeners end, and no others`() async throws {
        let hub = EventHub()
        let subscription = try hub.subscribe(member, to: account)
        let bystander = try hub.subscribe(member, to: other)
        hub.end(account)
        for await _ in subscription.standings { Issue.record("nothing was said") }
        #expect(hub.listenerCount == 1)
        bystander.end()
    }

    @Test
    func `the listeners of a member are limited`() throws {
        let hub = EventHub()
        var subscriptions = try (0..<Limits.listenersPerMemberMax).map { _ in
            try hub.subscribe(member, to: account)
        }
        #expect(throws: Problem(.tooManyRequests)) { try hub.subscribe(member, to: account) }
        // Other subscribers need not wait for that.
        let others = [
            try hub.subscribe(Self.member(1), to: account), try hub.subscribe(member, to: other),
        ]
        subscriptions.removeLast().end()
        subscriptions.append(try hub.subscribe(member, to: account))
        #expect(hub.listenerCount == Limits.listenersPerMemberMax + others.count)
        for subscription in subscriptions + others { subscription.end() }
    }

    @Test
    func `the listeners of an account are limited`() throws {
        let hub = EventHub()
        let subscriptions = try (0..<Limits.listenersMax).map { number in
            try hub.subscribe(Self.member(UInt8(number / 2)), to: account)
        }
        let late = Self.member(200)
        #expect(throws: Problem(.tooManyRequests)) { try hub.subscribe(late, to: account) }
        let bystander = try hub.subscribe(late, to: other)
        #expect(hub.listenerCount == Limits.listenersMax + 1)
        for subscription in subscriptions + [bystander] { subscription.end() }
    }
}
