import KSMerging
import KSRecords
import KSStore
import Testing

struct FiguresTests {
    @Test(arguments: StoreKind.allCases)
    func `the figures count accounts, records, bytes and who is nearly full`(
        kind: StoreKind
    ) throws {
        let world = try kind.make()
        let nothing = try world.store.figures(quotaBytes: nil)
        #expect(
            nothing
                == StoreFigures(
                    accounts: 0,
                    fullAccounts: 0,
                    suspendedAccounts: 0,
                    records: 0,
                    storedBytes: 0
                )
        )
        let (account, epoch) = try world.signUp()
        _ = try world.signUp(2)
        let empty = try world.store.figures(quotaBytes: nil)
        #expect(empty.accounts == 2 && empty.records == 0 && empty.storedBytes > 0)
        var actor = FakeActor(7, of: account, epoch: epoch)
        for number in 0..<3 { try actor.push(.number(number), to: world.store) }
        let filled = try world.store.figures(quotaBytes: nil)
        #expect(filled.records == 3 && filled.storedBytes > empty.storedBytes)
        #expect(filled.fullAccounts == 0)
        // The quota of which the first account holds nine tenths, and the second does not.
        let held = filled.storedBytes - empty.storedBytes / 2
        #expect(try world.store.figures(quotaBytes: held).fullAccounts == 1)
        #expect(try world.store.figures(quotaBytes: held * 2).fullAccounts == 0)
    }
}
