import KSTestSupport
import Simulation
import Testing

/// An account that gets another server, with what the present one has or with its backup, while
/// devices still write to the one before.
struct MoveWorldTests {
    @Test(arguments: [(0, 0), (0.05, 0), (0.05, 0.05)] as [(Double, Double)])
    func `devices that are moved one after the other lose nothing, and nothing comes back`(
        restores: Double,
        revocations: Double
    ) throws {
        var settings = WorldSettings()
        settings.deviceCount = 4
        settings.steps = 60
        settings.itemCount = 4
        settings.mergeTypeCount = 7
        settings.moveProbability = 0.1
        settings.restoreProbability = restores
        settings.revocationProbability = revocations
        var happenings = Happenings()
        let seeds: UInt64 = isThorough ? 50 : 10
        for seed in 1...seeds {
            let outcome = try World.run(seed: seed, settings: settings)
            happenings = happenings + outcome.happenings
            #expect(
                outcome.failure == nil,
                """
                replay with: sync-simulate --seed \(seed) --devices 4 --steps 60 --items 4 \
                --merge-types 7 --moves 0.1 --restores \(restores) \
                --revocations \(revocations) --trace
                """
            )
        }
        #expect(happenings[.moves] > 8)
        #expect(happenings[.writesToOldServer] > 8)
    }
}
