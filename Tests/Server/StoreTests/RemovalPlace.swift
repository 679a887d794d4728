import KSMerging
import KSRecords
import KSStore
import Testing

/// An account with two devices, the first of which writes.
struct RemovalPlace {
    static let day: UInt64 = 86_400

    let world: StoreUnderTest
    let account: FakeAccount
    var actor: FakeActor
    var rules = RemovalRules()

    var store: any Store { world.store }

    init(_ kind: StoreKind, accountBytesMax: UInt64? = nil, canBeFull: Bool = false) throws {
        world = try kind.make(accountBytesMax: accountBytesMax, canBeFull: canBeFull)
        let (account, epoch) = try world.signUp()
        self.account = account
        actor = FakeActor(7, of: account, epoch: epoch)
    }

    /// Adds items.
    mutating func add(_ numbers: Range<Int>, bytes: Int = 300) throws {
        let box = [UInt8](repeating: 1, count: bytes)
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 100) {
            let part = start..<min(start + 100, numbers.upperBound)
            try actor.push(part.map { FakeWrite(record: .number($0), box: box) }, to: store)
        }
    }

    /// Deletes items whose records have one sibling each, which this device wrote first.
    @discardableResult
    mutating func delete(_ numbers: Range<Int>, bytes: Int = 300) throws -> UInt64 {
        let box = [UInt8](repeating: 2, count: bytes)
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 100) {
            let part = start..<min(start + 100, numbers.upperBound)
            let writes = part.map { number in
                FakeWrite(
                    record: .number(number),
                    replaced: [actor.dot(UInt64(number) + 1)],
                    isTombstone: true,
                    box: box
                )
            }
            try actor.push(writes, to: store)
        }
        return try standing.seq
    }

    var standing: AccountState {
        get throws { try #require(try store.account(account.id)) }
    }

    func page(
        _ device: Int = 0,
        after cursor: KSRecords.Cursor?,
        completeSeq: UInt64? = nil,
        recordsMax: Int = 500,
        hasBatch: Bool = false
    ) throws -> PageAnswer {
        try store.changes(
            ChangesRequest(
                account: account.id,
                member: account.devices[device],
                after: cursor,
                recordsMax: recordsMax,
                completeSeq: completeSeq,
                hasBatch: hasBatch
            )
        )
    }

    /// Lets devices say that they have applied everything.
    func apply(_ devices: Int...) throws {
        for device in devices { _ = try page(device, after: standing.cursor) }
    }

    func pass(days: UInt64) throws {
        try store.passTime(seconds: days * Self.day)
    }

    /// Removes all that may be removed.
    @discardableResult
    func remove() throws -> Int {
        var count = 0
        while true {
            let step = try store.removeDeleted(from: account.id, by: rules)
            count += step.removedRecords
            if step.isLast { return count }
        }
    }
}
