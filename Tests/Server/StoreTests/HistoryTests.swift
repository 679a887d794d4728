import KSMerging
import KSRecords
import KSStore
import KSTestSupport
import KSWire
import Testing

/// Cursors that an account's history never gave: alone they are refused; as a device's evidence
/// they begin a new epoch.
struct HistoryTests {
    private let wrong = CommitTag(validated: [UInt8](repeating: 7, count: 8))

    private func changes(
        _ world: StoreUnderTest,
        _ account: FakeAccount,
        device: Int = 0,
        after cursor: Cursor? = nil
    ) throws -> PageAnswer {
        try world.store.changes(
            ChangesRequest(account: account.id, member: account.devices[device], after: cursor)
        )
    }

    @Test(arguments: StoreKind.allCases)
    func `a cursor that was never given is refused alone`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let cursor = try actor.push(.number(1), to: world.store).cursor
        for seq in [1, 2, 0, .max] as [UInt64] {
            let forged = Cursor(epoch: epoch, seq: seq, tag: wrong)
            #expect(throws: StoreError.refused(.unknownCursor)) {
                try changes(world, account, after: forged)
            }
        }
        // Everyone else continues as before, writers too.
        #expect(try world.store.account(account.id)?.epoch == epoch)
        #expect(try changes(world, account, device: 1, after: cursor).records.isEmpty)
        try actor.push(.number(2), to: world.store)
    }

    @Test(arguments: StoreKind.allCases)
    func `evidence of another history begins a new epoch, in this account`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp(1)
        let (neighbour, _) = try world.signUp(2)
        var actor = FakeActor(7, of: account, epoch: epoch)
        var cursor = try actor.push(.number(1), to: world.store).cursor
        var known = epoch
        for seq in [1, 2, .max] as [UInt64] {
            let comparison = try world.store.compareHistory(
                Cursor(epoch: known, seq: seq, tag: wrong),
                of: account.device,
                in: account.id
            )
            #expect(!comparison.isKnown && comparison.epoch != known)
            #expect(try world.store.account(account.id)?.epoch == comparison.epoch)
            #expect(throws: StoreError.refused(.storeRestored)) {
                try changes(world, account, after: cursor)
            }
            known = comparison.epoch
            cursor = try changes(world, account).cursor
            #expect(cursor.epoch == known && cursor.seq == 1)
        }
        #expect(try world.store.account(neighbour.id)?.epoch == epoch)
        // No actor of the previous epoch continues.
        actor.epoch = known
        let late = actor.seal([FakeWrite(record: .number(2))])
        #expect(world.store.push([actor.request(late)]) == [.failure(.refused(.actorForked))])
        var next = FakeActor(8, of: account, epoch: known)
        try next.push(.number(2), to: world.store)
    }

    @Test(arguments: StoreKind.allCases)
    func `evidence of a known history, or of another epoch, changes nothing`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        let cursor = try actor.push(.number(1), to: world.store).cursor
        let past = StoreEpoch(validated: [UInt8](repeating: 9, count: 16))
        for known in [
            cursor, Cursor(epoch: epoch, seq: 0, tag: .start),
            Cursor(epoch: past, seq: 9, tag: wrong),
        ] {
            let comparison = try world.store.compareHistory(
                known,
                of: account.device,
                in: account.id
            )
            #expect(comparison.isKnown && comparison.epoch == epoch)
        }
        let stranger = MemberID(validated: [UInt8](repeating: 200, count: 16))
        #expect(throws: StoreError.notMember) {
            try world.store.compareHistory(
                Cursor(epoch: epoch, seq: 9, tag: wrong),
                of: stranger,
                in: account.id
            )
        }
        #expect(try world.store.account(account.id)?.epoch == epoch)
        try actor.push(.number(2), to: world.store)
    }
}
