import KSTestSupport
import Simulation
import Testing

/// Devices that join before and after the server goes back, while it removes deleted records and
/// other devices are revoked.
struct JoinWorldTests {
    private static var settings: WorldSettings {
        var settings = WorldSettings()
        settings.deviceCount = 3
        settings.steps = 120
        settings.itemCount = 4
        settings.mergeTypeCount = 7
        settings.joinProbability = 0.05
        settings.revocationProbability = 0.05
        settings.removalProbability = 0.5
        settings.silentProbability = 0.02
        return settings
    }

    private static let options = """
        --devices 3 --steps 120 --items 4 --merge-types 7 --joins 0.05 --revocations 0.05 \
        --removals 0.5 --silences 0.02
        """

    @Test(arguments: [(0.03, 0), (0, 0.02)] as [(Double, Double)])
    func `devices that join around a loss get all, and nothing deleted comes back`(
        restores: Double,
        empties: Double
    ) throws {
        var settings = Self.settings
        (settings.restoreProbability, settings.emptyProbability) = (restores, empties)
        var happenings = Happenings()
        let seeds: UInt64 = isThorough ? 100 : 10
        for seed in 1...seeds {
            let outcome = try World.run(seed: seed, settings: settings)
            happenings = happenings + outcome.happenings
            #expect(
                outcome.failure == nil,
                """
                replay with: sync-simulate --seed \(seed) \(Self.options) --restores \(restores) \
                --empties \(empties) --trace
                """
            )
        }
        // Without these, the worlds would test nothing of what they are for.
        #expect(happenings[.joins] > 15)
        #expect(happenings[.joinsAfterLosses] > 3)
        #expect(happenings[.lostJoins] > 3)
        #expect(happenings[.removals] > 0)
        #expect(happenings[.lostRemovals] > 1)
        #expect(happenings[.revocations] > 8)
        #expect(happenings[.silences] > 8)
    }

    /// Devices that were away for longer than the server waits compare all their records.
    @Test
    func `devices that join while others are dormant get all`() throws {
        var happenings = Happenings()
        for seed in 1...(isThorough ? 100 : 10) as ClosedRange<UInt64> {
            let outcome = try World.run(seed: seed, settings: Self.settings)
            happenings = happenings + outcome.happenings
            #expect(
                outcome.failure == nil,
                "replay with: sync-simulate --seed \(seed) \(Self.options) --trace"
            )
        }
        #expect(happenings[.joins] > 15)
        #expect(happenings[.removals] > 8)
        #expect(happenings[.revocations] > 8)
        #expect(happenings[.resyncs] > 1)
    }

    /// The server's backup has an item that was deleted, removed from the server and from all
    /// devices, and made again.
    @Test
    func `a deleted item stays deleted when it was made again after its removal`() throws {
        var settings = Self.settings
        settings.mergeTypeCount = 2
        settings.restoreProbability = 0.03
        (settings.joinProbability, settings.silentProbability) = (0, 0)
        #expect(try World.run(seed: 11, settings: settings).failure == nil)
    }

    /// A server that was made again from an older circle refuses a batch of a newer key generation.
    ///
    /// A late copy of the batch comes when that generation is back.
    @Test
    func `a refused batch is not accepted later`() throws {
        var settings = WorldSettings()
        settings.deviceCount = 4
        settings.steps = 80
        settings.itemCount = 4
        settings.removalProbability = 0.3
        settings.silentProbability = 0.05
        settings.emptyProbability = 0.05
        settings.revocationProbability = 0.05
        #expect(try World.run(seed: 1, settings: settings).failure == nil)
    }
}
