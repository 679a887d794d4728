import KSCausality
import KSRecords
import KSWire
import Testing

import KSSyncEngine

/// Devices that put up what a server lost at the same time.
struct PutUpOrderTests {
    private static let newEpoch = StoreEpoch(
        validated: [UInt8](repeating: 9, count: StoreEpoch.byteCount)
    )

    private func numbers(_ batch: Batch) -> [[UInt8]] { batch.envelopes.map(\.recordID.bytes) }

    @Test
    func `each begins at the record that comes next after its actor, and sends all`() throws {
        var firsts: Set<[UInt8]> = []
        for _ in 0..<6 {
            let home = try ReplicaHome.caughtUp()
            for number in 1...40 { try home.save("item \(number)", "one") }
            let all = numbers(try home.pushTaken(from: 6))
                .sorted { $0.lexicographicallyPrecedes($1) }
            try home.replica.notice(seq: .max, circleVersion: 0)
            let asked = try home.next()
            try home.replica.receive(.refused(.storeRestored), to: asked)
            try home.answerCircle()
            try home.pull(home.account.page(to: 1, epoch: Self.newEpoch))
            // After the random wait.
            home.clock.advance(seconds: 10)
            let sent = numbers(try home.push().batch)

            let actor = try home.replica.state().actor.rawValue
            let start = (0..<8).map { UInt8(truncatingIfNeeded: actor >> (56 - 8 * $0)) }
            let after = all.filter { !$0.lexicographicallyPrecedes(start) }
            #expect(sent == after + all.filter { $0.lexicographicallyPrecedes(start) })
            firsts.insert(try #require(sent.first))
        }
        #expect(firsts.count > 1)
    }

    @Test
    func `each waits for a random time, and looks once more before it sends`() throws {
        var waits: Set<UInt64> = []
        for _ in 0..<6 {
            let home = try ReplicaHome.caughtUp()
            try home.save("wifi", "one")
            _ = try home.pushTaken(from: 6)
            try home.replica.notice(seq: .max, circleVersion: 0)
            try home.replica.receive(.refused(.storeRestored), to: home.next())
            try home.answerCircle()
            let start = home.clock.milliseconds
            try home.pull(home.account.page(to: 1, epoch: Self.newEpoch))
            let due = try #require(home.replica.reconciliation()?.dueMilliseconds)
            #expect((start...start + 4000).contains(due))
            waits.insert(due - start)
            if due > start { #expect(try home.replica.nextRequest() == .waitUntil(due)) }
            home.clock.advance(seconds: 10)
            // Another device may have been faster.
            #expect(try home.next().request == .pull(after: home.replica.state().cursor))
        }
        #expect(waits.count > 1)
    }
}
