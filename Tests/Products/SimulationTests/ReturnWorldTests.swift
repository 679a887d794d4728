import KSTestSupport
import Simulation
import Testing

/// Worlds whose devices leave their account and join it again, with their items or without.
struct ReturnWorldTests {
    /// How many seeds one test case runs.
    private static let chunk: UInt64 = 50

    /// One item and three merge types: devices change the same ones.
    @Test(arguments: [1, 3], (0..<(isThorough ? 8 : 1)).map { 1 + $0 * chunk } as [UInt64])
    func `no write of a device that returns is lost, doubled or comes back`(
        items: Int,
        first: UInt64
    ) throws {
        var settings = WorldSettings()
        settings.steps = 24
        settings.itemCount = items
        settings.keyValueProbability = items == 1 ? 1 : settings.keyValueProbability
        settings.mergeTypeCount = 3
        settings.returnProbability = 0.2
        var happenings = Happenings()
        for seed in first..<first + Self.chunk {
            let outcome = try World.run(seed: seed, settings: settings)
            happenings = happenings + outcome.happenings
            #expect(
                outcome.failure == nil,
                """
                replay with: sync-simulate --seed \(seed) --steps 24 --items \(items) \
                --returns 0.2 --key-values \(settings.keyValueProbability) --merge-types 3 --trace
                """
            )
        }
        #expect(happenings[.returns] > happenings[.returnsWithUnsent])
        #expect(happenings[.returnsWithUnsent] > 0)
        #expect(happenings[.editsAway] > 0)
        #expect(happenings[.deletionsAway] > 0)
        #expect(items == 1 || happenings[.renamesAway] > 0)
    }
}
