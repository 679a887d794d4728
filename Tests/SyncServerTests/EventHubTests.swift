import Records
import Testing

@testable import SyncServer

struct EventHubTests {
    private let account = AccountID(validated: [UInt8](repeating: 1, count: 16))
    private let other = AccountID(validated: [UInt8](repeating: 2, count: 16))

    @Test
    func `a slow listener gets the newest of everything`() async {
        let hub = EventHub()
        let subscription = hub.subscribe(to: account)
        hub.publish(Standing(seq: 5), to: account)
        hub.publish(Standing(circleVersion: 2), to: account)
        hub.publish(Standing(seq: 4), to: account)
        hub.publish(Standing(seq: 99), to: other)
        var iterator = subscription.standings.makeAsyncIterator()
        #expect(await iterator.next() == Standing(seq: 5, circleVersion: 2))
    }

    @Test
    func `a stop ends those who listen and those who come later`() async {
        let hub = EventHub()
        let before = hub.subscribe(to: account)
        hub.stop()
        let after = hub.subscribe(to: account)
        for subscription in [before, after] {
            await subscription.waitOnce(atMost: .seconds(60))
            for await _ in subscription.standings { Issue.record("nothing was said") }
        }
        #expect(hub.listenerCount == 0)
    }

    @Test
    func `whoever stops listening is forgotten`() async {
        let hub = EventHub()
        let subscription = hub.subscribe(to: account)
        #expect(hub.listenerCount == 1)
        subscription.end()
        #expect(hub.listenerCount == 0)
        _ = hub.subscribe(to: account)
        #expect(hub.listenerCount == 0)
    }

    @Test
    func `a deleted account's listeners end, and no others`() async {
        let hub = EventHub()
        let subscription = hub.subscribe(to: account)
        let bystander = hub.subscribe(to: other)
        hub.end(account)
        for await _ in subscription.standings { Issue.record("nothing was said") }
        #expect(hub.listenerCount == 1)
        bystander.end()
    }
}
