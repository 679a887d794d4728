import Foundation
import GRDB
import KSCausality
import KSMerging
import KSRecords
import KSStore
import KSTestSupport
import KSWire
import Testing

/// The end of deleted records in a store.
struct RemovalTests {
    /// Why a pull is refused; nil if it is not.
    private func refusal(_ body: () throws -> PageAnswer) -> ErrorCode? {
        do {
            _ = try body()
            return nil
        } catch let error as StoreError {
            return error.code
        } catch {
            return .internalError
        }
    }

    private func expectRefusal(
        _ code: ErrorCode?,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> PageAnswer
    ) {
        let refused = refusal(body)
        #expect(refused == code, sourceLocation: sourceLocation)
    }

    @Test(arguments: StoreKind.allCases)
    func `a deleted record goes after 30 days, once every device has applied the deletion`(
        kind: StoreKind
    ) throws {
        var place = try RemovalPlace(kind)
        try place.add(0..<3)
        try place.delete(0..<2)
        try place.apply(0)
        try place.pass(days: 31)
        #expect(try place.remove() == 0)
        try place.apply(1)
        #expect(try place.remove() == 2)
        #expect(try place.world.everything(of: place.account).map(\.id) == [.number(2)])
        let page = try place.page(after: nil)
        #expect(page.removalHorizon == 5 && page.accountSeq == 5)
        #expect(try place.world.totals() == StoreTotals(accounts: 1, records: 1, storedBytes: 428))
        #expect(try place.remove() == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `nothing goes earlier, and a clock that is set changes nothing`(kind: StoreKind) throws {
        var place = try RemovalPlace(kind)
        try place.add(0..<1)
        try place.delete(0..<1)
        try place.apply(0, 1)
        try place.pass(days: 30)
        place.world.clock.advance(by: 20 * 365 * RemovalPlace.day)
        #expect(try place.remove() == 0)
        try place.store.passTime(seconds: 3600)
        #expect(try place.remove() == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a record with a living sibling stays, with its tombstone`(kind: StoreKind) throws {
        var place = try RemovalPlace(kind)
        try place.add(0..<1)
        var other = FakeActor(8, of: place.account, device: 1, epoch: place.actor.epoch)
        try other.push(.number(0), to: place.store)
        try place.delete(0..<1)
        try place.apply(0, 1)
        try place.pass(days: 31)
        #expect(try place.remove() == 0)
        #expect(try place.world.everything(of: place.account).first?.siblings.count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func `a device that is silent for 90 days, or removed, holds nothing back`(
        kind: StoreKind
    ) throws {
        var place = try RemovalPlace(kind)
        try place.add(0..<2)
        let old = try place.standing.cursor
        try place.delete(0..<1)
        for _ in 0..<4 {
            try place.pass(days: 30)
            try place.apply(0)
            #expect(try place.standing.seq == 3)
        }
        #expect(try place.remove() == 1)
        expectRefusal(.resyncRequired) { try place.page(1, after: old) }
        // It is back: from now on it holds removal back again.
        _ = try place.page(1, after: nil)
        try place.actor.push(.number(5), to: place.store)
        try place.pass(days: 31)
        try place.apply(0)
        let before = try place.page(after: nil).removalHorizon
        try place.remove()
        #expect(try place.page(after: nil).removalHorizon == before)

        var smaller = place.account
        smaller.devices.removeLast()
        try place.store.appendEntry(smaller.advance(), to: place.account.id, ifVersion: 1)
        try place.remove()
        #expect(try place.page(after: nil).removalHorizon > before)
    }

    @Test(arguments: StoreKind.allCases)
    func `a new device pulls page by page while records are removed`(kind: StoreKind) throws {
        var place = try RemovalPlace(kind)
        try place.add(0..<20)
        try place.delete(0..<10)
        try place.apply(0, 1)
        try place.pass(days: 31)
        // The device joins now; no contact of it is noted, so it cannot hold anything back.
        let first = try place.page(after: nil, recordsMax: 4)
        #expect(first.hasMore && first.accountSeq == 30)
        #expect(try place.remove() == 10)
        expectRefusal(.resyncRequired) { try place.page(after: first.cursor) }
        var cursor = first.cursor
        var seen = first.records
        while true {
            let page = try place.page(
                after: cursor,
                completeSeq: first.accountSeq,
                recordsMax: 4
            )
            seen += page.records
            cursor = page.cursor
            guard page.hasMore else { break }
        }
        let living = seen.filter { !$0.siblings.allSatisfy(\.isTombstone) }.map(\.id)
        let expected = Set((10..<20).map { RecordID.number($0) })
        #expect(Set(living) == expected)
    }

    @Test(arguments: StoreKind.allCases)
    func `a forgotten tag does not look like a restored server`(kind: StoreKind) throws {
        var place = try RemovalPlace(kind)
        var old: [KSRecords.Cursor] = []
        for number in 0..<6 {
            try place.add(number..<number + 1)
            old.append(try place.standing.cursor)
        }
        try place.delete(0..<6)
        try place.apply(0, 1)
        try place.pass(days: 31)
        try place.remove()
        #expect(try place.world.count(of: "commit_tag") == 1)
        let epoch = try place.standing.epoch
        for cursor in old {
            expectRefusal(.resyncRequired) { try place.page(1, after: cursor) }
            let compared = try place.store.compareHistory(
                cursor,
                of: place.account.devices[1],
                in: place.account.id
            )
            #expect(compared.isKnown && compared.epoch == epoch)
        }
        let newest = try place.standing.cursor
        expectRefusal(nil) { try place.page(after: newest) }
        let forged = KSRecords.Cursor(epoch: epoch, seq: newest.seq, tag: .start)
        expectRefusal(.unknownCursor) { try place.page(after: forged) }
    }

    @Test(arguments: StoreKind.allCases)
    func `the last batch of a dormant device gets its answer, and other answers go`(
        kind: StoreKind
    ) throws {
        var place = try RemovalPlace(kind)
        var away = FakeActor(8, of: place.account, device: 1, epoch: place.actor.epoch)
        for number in 100..<110 { try away.push(.number(number), to: place.store) }
        let last = away.seal([FakeWrite(record: .number(0))])
        let answer = try place.store.push([away.request(last)])[0].get()
        try place.add(1..<50)
        for _ in 0..<4 {
            try place.pass(days: 30)
            try place.apply(0)
            try place.actor.push(.number(1), to: place.store)
        }
        try place.remove()
        #expect(try place.store.push([away.request(last)])[0].get().lasting == answer.lasting)
        #expect(try place.world.count(of: "accepted_batch") < 8)
        // It has heard of the answer, and has no batch on its way.
        _ = try place.page(1, after: nil)
        try place.apply(1)
        try place.pass(days: 31)
        try place.apply(0, 1)
        try place.remove()
        #expect(place.store.push([away.request(last)]) == [.failure(.refused(.actorForked))])
    }

    @Test(arguments: StoreKind.allCases)
    func `what a device pulls over a batch without an answer does not count`(
        kind: StoreKind
    ) throws {
        var place = try RemovalPlace(kind)
        try place.add(0..<1)
        try place.delete(0..<1)
        try place.apply(0)
        _ = try place.page(1, after: place.standing.cursor, hasBatch: true)
        try place.pass(days: 31)
        #expect(try place.remove() == 0)
        try place.apply(1)
        #expect(try place.remove() == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `in a full account a deletion makes room at once`(kind: StoreKind) throws {
        var place = try RemovalPlace(kind, accountBytesMax: 9000)
        let box = [UInt8](repeating: 1, count: 1500)
        var numbers = 0
        while true {
            let batch = place.actor.seal([FakeWrite(record: .number(numbers), box: box)])
            let result = place.store.push([place.actor.request(batch)])[0]
            if result == .failure(.refused(.quotaExceeded)) { break }
            _ = try result.get()
            numbers += 1
        }
        #expect(numbers > 2)
        var actor = FakeActor(9, of: place.account, epoch: place.actor.epoch)
        let before = try place.world.totals().storedBytes
        let tombstone = FakeWrite(
            record: .number(0),
            replaced: [place.actor.dot(1)],
            isTombstone: true,
            box: box
        )
        try actor.push([tombstone], to: place.store)
        #expect(try place.world.totals().storedBytes == before - 1628 + 100)
        try actor.push(.number(99), box: [UInt8](repeating: 1, count: 1400), to: place.store)
    }

    @Test(arguments: StoreKind.allCases)
    func `a new epoch voids what was applied, and no device counts as silent`(
        kind: StoreKind
    ) throws {
        var place = try RemovalPlace(kind)
        try place.add(0..<1)
        try place.delete(0..<1)
        try place.apply(0, 1)
        try place.pass(days: 120)
        let unknown = KSRecords.Cursor(
            epoch: try place.standing.epoch,
            seq: 9,
            tag: CommitTag(validated: [UInt8](repeating: 9, count: 8))
        )
        let device = place.account.devices[0]
        let compared = try place.store.compareHistory(unknown, of: device, in: place.account.id)
        #expect(!compared.isKnown)
        #expect(try place.remove() == 0)
        try place.apply(0, 1)
        #expect(try place.remove() == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `removal goes in steps, and each leaves a right state`(kind: StoreKind) throws {
        var place = try RemovalPlace(kind)
        try place.add(0..<1200, bytes: 40)
        try place.delete(0..<1100, bytes: 40)
        try place.apply(0, 1)
        try place.pass(days: 31)
        var counts: [Int] = []
        var isLast = false
        while !isLast {
            let step = try place.store.removeDeleted(from: place.account.id, by: place.rules)
            counts.append(step.removedRecords)
            isLast = step.isLast
            let horizon = try place.page(after: nil).removalHorizon
            let left = try place.world.everything(of: place.account)
            let deleted = left.filter { $0.siblings.allSatisfy(\.isTombstone) }
            #expect(deleted.allSatisfy { $0.seq > horizon })
            #expect(left.count == deleted.count + 100)
            let totals = try place.world.totals()
            #expect(totals.records == UInt64(left.count))
            #expect(totals.storedBytes == UInt64(100 * deleted.count + 168 * 100))
        }
        #expect(counts == [500, 500, 100])
    }

    @Test
    func `a full disk in the middle of a removal loses nothing`() throws {
        var place = try RemovalPlace(.file, canBeFull: true)
        try place.add(0..<900)
        try place.delete(0..<800)
        try place.apply(0, 1)
        try place.pass(days: 31)
        var isDone = false
        for _ in 0..<3 where !isDone {
            try place.world.leaveRoom(pages: 0)
            // A full disk ends the step: the next one goes on.
            let step = try? place.store.removeDeleted(from: place.account.id, by: place.rules)
            isDone = step?.isLast ?? false
            try place.world.leaveRoom()
            let left = try place.world.everything(of: place.account)
            let living = left.filter { !$0.siblings.allSatisfy(\.isTombstone) }
            let expected = Set((800..<900).map { RecordID.number($0) })
            #expect(Set(living.map(\.id)) == expected)
            #expect(try place.world.totals().records == UInt64(left.count))
        }
        try place.remove()
        #expect(try place.world.everything(of: place.account).count == 100)
    }

    /// The number of items is the argument.
    @Test(arguments: isThorough ? [2000, 100_000] : [2000])
    func `an account that adds and deletes many items is as small as one that never did`(
        count: Int
    ) throws {
        func size(deleting: Int) throws -> UInt64 {
            var place = try RemovalPlace(.file)
            let path = place.world.directory.path("store.sqlite")
            try place.add(0..<1000 + deleting, bytes: 337)
            if deleting > 0 { try place.delete(1000..<1000 + deleting, bytes: 337) }
            try place.apply(0, 1)
            try place.pass(days: 31)
            #expect(try place.remove() == deleting)
            while try place.store.giveSpaceBack() {}
            try place.world.close()
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return (attributes[.size] as? UInt64) ?? 0
        }
        let (without, with) = (try size(deleting: 0), try size(deleting: count))
        #expect(without > 300_000)
        #expect(Double(with) < 1.1 * Double(without), "\(with) and \(without) bytes")
    }
}
