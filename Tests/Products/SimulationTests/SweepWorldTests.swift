import KSTestSupport
import Simulation
import Testing

/// Users who delete nearly everything, and users of other devices who keep it or let it go.
struct SweepWorldTests {
    private static var settings: WorldSettings {
        var settings = WorldSettings()
        settings.deviceCount = 3
        settings.steps = 60
        settings.itemCount = 45
        settings.mergeTypeCount = 7
        settings.sweepProbability = 0.05
        return settings
    }

    @Test(arguments: [0, 0.05] as [Double])
    func `no device loses most items unasked, and what a user keeps is there`(
        restores: Double
    ) throws {
        var settings = Self.settings
        settings.restoreProbability = restores
        var happenings = Happenings()
        let seeds: UInt64 = isThorough ? 40 : 5
        for seed in 1...seeds {
            let outcome = try World.run(seed: seed, settings: settings)
            happenings = happenings + outcome.happenings
            #expect(
                outcome.failure == nil,
                """
                replay with: sync-simulate --seed \(seed) --devices 3 --steps 60 --items 45 \
                --merge-types 7 --sweeps 0.05 --restores \(restores) --trace
                """
            )
        }
        #expect(happenings[.sweeps] > 4)
        #expect(happenings[.keptDeletions] > 0)
        #expect(happenings[.acceptedDeletions] > 0)
    }
}
