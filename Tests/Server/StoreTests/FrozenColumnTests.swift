import KSCausality
import Foundation
import GRDB
import KSRecords
import KSStore
import KSTestSupport
import Testing

/// The store's own column formats, byte for byte: a later server must read the columns that one of
/// today has written.
struct FrozenColumnTests {
    private let world: StoreUnderTest
    private let account: FakeAccount
    private var left: FakeActor
    private var right: FakeActor

    init() throws {
        world = try StoreKind.file.make()
        let (account, epoch) = try world.signUp()
        self.account = account
        left = FakeActor(7, of: account, epoch: epoch)
        right = FakeActor(8, of: account, device: 1, epoch: epoch)
    }

    private func column(_ sql: String) throws -> [String] {
        try DatabaseQueue(path: world.directory.path("store.sqlite")).read { database in
            try Data.fetchAll(database, sql: sql).map { Hexadecimal.text(Array($0)) }
        }
    }

    @Test
    mutating func `siblings and the dots of an answer`() throws {
        try left.push(.number(1), to: world.store)
        let batch = right.seal([FakeWrite(record: .number(2)), FakeWrite(record: .number(1))])
        let answer = try world.store.push([right.request(batch)])[0].get()
        let tombstone = FakeWrite(
            record: .number(2),
            replaced: [right.dot(1)],
            isTombstone: true
        )
        try left.push([tombstone], to: world.store)

        let both =
            "0000000000000002000000000000000100000000000000070000000000000001"
            + "0000000000000000000000000000000100000000000000000000000000000001"
            + "0000000000000020039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced528"
            + "7d84a1a2011cfb81000000000000000300000000000000010000000000000008"
            + "0000000000000002000000000000000000000000000000010000000000000000"
            + "00000000000000010000000000000020039058c6f2c0cb492c533b0a4d14ef77"
            + "cc0f78abccced5287d84a1a2011cfb810000000000000003"
        let deleted =
            "0000000000000001000000000000000100000000000000070000000000000002"
            + "0000000000000001000000000000000800000000000000010000000000000001"
            + "000000000000000100000000000000010000000000000020039058c6f2c0cb49"
            + "2c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb810000000000000003"
        #expect(try column("SELECT siblings FROM record ORDER BY position") == [both, deleted])
        // Decoding gives the written values.
        let records = try world.everything(of: account)
        #expect(records.map(\.id) == [.number(1), .number(2)])
        #expect(records[0].siblings.map(\.dot) == [left.dot(1), right.dot(2)])
        #expect(records[1].siblings.map(\.replaced) == [[right.dot(1)]])
        #expect(records[1].siblings.map(\.isTombstone) == [true])
        #expect(records.flatMap(\.siblings).allSatisfy { $0.box == [1, 2, 3] })

        let others =
            "0000000000000001000000000000000100000000000000020000000000000007"
            + "000000000000000100000000000000080000000000000002"
        let none = "0000000000000000"
        #expect(
            try column("SELECT dots FROM accepted_batch ORDER BY actor, first_counter")
                == [none, none, others]
        )
        #expect(try world.store.push([right.request(batch)])[0].get().lasting == answer.lasting)
        #expect(answer.records.map(\.dots) == [[right.dot(1)], [left.dot(1), right.dot(2)]])
    }

    @Test
    func `an entry of the circle`() throws {
        let signed = account.newest.signedBytes
        let signatures =
            "0000000000000001000000000000001001010101010101010101010101010101"
            + "00000000000000030102030000000000000000"
        let count = String(signed.count, radix: 16)
        let expected =
            String(repeating: "0", count: 16 - count.count) + count + Hexadecimal.text(signed)
            + signatures
        #expect(try column("SELECT entry FROM circle_entry") == [expected])
        #expect(try world.store.newestEntry(of: account.id) == account.newest)
    }
}
