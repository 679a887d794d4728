import GRDB
import KSCausality
import KSMerging
import KSRecords
import KSStore
import KSWire
import Testing

/// What operators see and do.
struct OperatorTests {
    @Test(arguments: StoreKind.allCases)
    func `a summary has sizes and members, and nothing sealed`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        for number in 0..<3 { try actor.push(.number(number), to: world.store) }
        let summary = try world.store.summary(of: account.id)
        #expect(summary.id == account.id && summary.records == 3 && summary.seq == 3)
        #expect(!summary.isSuspended && summary.quotaBytes == nil && summary.circleVersion == 1)
        #expect(summary.members.count(where: { $0.kind == MemberKind.device.rawValue }) == 2)
        #expect(throws: StoreError.notFound) {
            try world.store.summary(of: FakeAccount(9, devices: 1).id)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an account's own quota counts in place of the server's`(kind: StoreKind) throws {
        let world = try kind.make(accountBytesMax: 1)
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        #expect(throws: StoreError.refused(.quotaExceeded)) {
            var attempt = actor
            try attempt.push(.number(1), to: world.store)
        }
        try world.store.setQuota(1 << 20, of: account.id)
        try actor.push(.number(1), to: world.store)
        let page = try world.store.changes(
            ChangesRequest(account: account.id, member: account.device, after: nil)
        )
        #expect(page.usage?.bytesMax == 1 << 20)
        #expect(try world.store.summary(of: account.id).quotaBytes == 1 << 20)
        try world.store.setQuota(nil, of: account.id)
        #expect(throws: StoreError.refused(.quotaExceeded)) {
            try actor.push(.number(2), to: world.store)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a suspended account is one until it is resumed`(kind: StoreKind) throws {
        let world = try kind.make()
        let (account, _) = try world.signUp()
        #expect(try !world.store.isSuspended(account.id))
        try world.store.setSuspended(true, account.id)
        #expect(try world.store.isSuspended(account.id))
        #expect(try world.store.figures(quotaBytes: nil).suspendedAccounts == 1)
        try world.store.setSuspended(false, account.id)
        #expect(try !world.store.isSuspended(account.id))
        #expect(try !world.store.isSuspended(FakeAccount(9, devices: 1).id))
    }

    @Test(arguments: StoreKind.allCases)
    func `a member has at most 256 writers that have not ended`(kind: StoreKind) throws {
        let world = try kind.make()
        var (account, epoch) = try world.signUp()
        for number in 1...256 {
            var actor = FakeActor(UInt64(number), of: account, epoch: epoch)
            try actor.push(.number(number), to: world.store)
        }
        var late = FakeActor(999, of: account, epoch: epoch)
        #expect(throws: StoreError.refused(.tooManyRequests)) {
            var attempt = late
            try attempt.push(.number(999), to: world.store)
        }
        var other = FakeActor(1000, of: account, device: 1, epoch: epoch)
        try other.push(.number(1000), to: world.store)
        // With the generation all writers end.
        let vector = try world.vector(of: account)
        let before = account.version
        let change = account.advance(operation: .revoke, raisingGenerationAt: vector)
        try world.store.appendEntry(change, to: account.id, ifVersion: before)
        late = FakeActor(999, of: account, epoch: epoch)
        try late.push(.number(999), to: world.store)
    }

    @Test
    func `a write over a damaged record replaces it`() throws {
        let world = try StoreKind.file.make()
        let (account, epoch) = try world.signUp()
        var actor = FakeActor(7, of: account, epoch: epoch)
        try actor.push(.number(1), to: world.store)
        let database = try DatabaseQueue(path: world.directory.path("store.sqlite"))
        try database.write { try $0.execute(sql: "UPDATE record SET siblings = x'ff'") }
        try actor.push(.number(1), replacing: [actor.lastDot], to: world.store)
        #expect(try world.everything(of: account).map(\.siblings.count) == [1])
    }
}
