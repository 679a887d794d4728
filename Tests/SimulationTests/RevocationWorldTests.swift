import KSTestSupport
import Simulation
import Testing

/// Devices that are revoked while others write, away or not: the account's keys change.
struct RevocationWorldTests {
    /// How many seeds one test case runs.
    private static let chunk: UInt64 = 50

    @Test(
        arguments: [(1, 0), (3, 0), (1, 0.2)] as [(Int, Double)],
        (0..<(isThorough ? 8 : 1)).map { 1 + $0 * chunk } as [UInt64]
    )
    func `no write is lost or doubled when the keys change`(
        world: (items: Int, returns: Double),
        first: UInt64
    ) throws {
        var settings = WorldSettings()
        settings.steps = 30
        settings.itemCount = world.items
        settings.keyValueProbability = world.items == 1 ? 1 : 0.6
        settings.mergeTypeCount = 4
        settings.revocationProbability = 0.15
        settings.returnProbability = world.returns
        var happenings = Happenings()
        for seed in first..<first + Self.chunk {
            let outcome = try World.run(seed: seed, settings: settings)
            happenings = happenings + outcome.happenings
            #expect(
                outcome.failure == nil,
                """
                replay with: sync-simulate --seed \(seed) --steps 30 --items \(world.items) \
                --revocations 0.15 --returns \(world.returns) \
                --key-values \(settings.keyValueProbability) --merge-types 4 --trace
                """
            )
        }
        #expect(happenings[.revocations] > 50)
        #expect(happenings[.refusedRevocations] > 0)
        #expect(happenings[.foldedCounters] > 0)
        #expect(world.returns == 0 || happenings[.returns] > 0)
    }
}
