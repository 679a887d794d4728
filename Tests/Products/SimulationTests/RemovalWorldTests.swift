import KSTestSupport
import Simulation
import Testing

/// A server that removes deleted records at any time, and devices that are away for longer than it
/// waits.
struct RemovalWorldTests {
    /// How many seeds one test case runs.
    private static let chunk: UInt64 = isThorough ? 50 : 12

    private static func settings(revocations: Double = 0) -> WorldSettings {
        var settings = WorldSettings()
        settings.deviceCount = 4
        settings.steps = 80
        settings.itemCount = 4
        settings.mergeTypeCount = 7
        settings.removalProbability = 0.3
        settings.silentProbability = 0.05
        settings.revocationProbability = revocations
        return settings
    }

    @Test(
        arguments: (0..<(isThorough ? 6 : 2)).map { (0, 1 + $0 * chunk) } + [(0.05, 1)]
            as [(Double, UInt64)]
    )
    func `nothing deleted returns and nothing unsent is lost when records are removed`(
        revocations: Double,
        first: UInt64
    ) throws {
        let settings = Self.settings(revocations: revocations)
        var happenings = Happenings()
        for seed in first..<first + Self.chunk {
            let outcome = try World.run(seed: seed, settings: settings)
            happenings = happenings + outcome.happenings
            #expect(
                outcome.failure == nil,
                """
                replay with: sync-simulate --seed \(seed) --devices 4 --steps 80 --items 4 \
                --merge-types 7 --removals 0.3 --silences 0.05 --revocations \(revocations) \
                --trace
                """
            )
        }
        #expect(happenings[.removals] > 10)
        #expect(happenings[.silences] > 10)
        #expect(happenings[.resyncs] > 1)
    }
}
