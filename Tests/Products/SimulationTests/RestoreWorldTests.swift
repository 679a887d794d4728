import KSTestSupport
import Simulation
import Testing

/// A server that is backed up and restored while devices write, with its knowledge or without.
struct RestoreWorldTests {
    /// How many seeds one test case runs.
    private static let chunk: UInt64 = isThorough ? 50 : 14

    private static func settings(revocations: Double = 0) -> WorldSettings {
        var settings = WorldSettings()
        settings.deviceCount = 4
        settings.steps = 60
        settings.itemCount = 4
        settings.mergeTypeCount = 7
        settings.restoreProbability = 0.1
        settings.revocationProbability = revocations
        return settings
    }

    /// Counters and lists are in all of them.
    @Test(
        arguments: (0..<(isThorough ? 2 : 1)).map { (0, 1 + $0 * chunk) } + [(0.05, 1)]
            as [(Double, UInt64)]
    )
    func `devices put a restored server right, and nothing is lost or comes back`(
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
                replay with: sync-simulate --seed \(seed) --devices 4 --steps 60 --items 4 \
                --merge-types 7 --restores 0.1 --revocations \(revocations) --trace
                """
            )
        }
        #expect(happenings[.restores] > 20)
        #expect(revocations == 0 || happenings[.revocations] > 8)
    }

    /// A newer backup may be restored before the devices have said what the older one lacked.
    @Test
    func `any earlier backup may be restored, and a newer one after it`() throws {
        var settings = Self.settings(revocations: 0.05)
        settings.olderBackupProbability = 0.5
        var happenings = Happenings()
        for seed in 1...(isThorough ? 100 : 10) as ClosedRange<UInt64> {
            let outcome = try World.run(seed: seed, settings: settings)
            happenings = happenings + outcome.happenings
            #expect(
                outcome.failure == nil,
                """
                replay with: sync-simulate --seed \(seed) --devices 4 --steps 60 --items 4 \
                --merge-types 7 --restores 0.1 --older-backups 0.5 --revocations 0.05 --trace
                """
            )
        }
        #expect(happenings[.restores] > 10)
    }

    @Test(arguments: [0, 0.05] as [Double])
    func `devices make an account again that the server has lost`(revocations: Double) throws {
        var settings = Self.settings(revocations: revocations)
        (settings.restoreProbability, settings.emptyProbability) = (0, 0.05)
        var happenings = Happenings()
        for seed in 1...(isThorough ? Self.chunk : 10) {
            let outcome = try World.run(seed: seed, settings: settings)
            happenings = happenings + outcome.happenings
            #expect(
                outcome.failure == nil,
                """
                replay with: sync-simulate --seed \(seed) --devices 4 --steps 60 --items 4 \
                --merge-types 7 --empties 0.05 --revocations \(revocations) --trace
                """
            )
        }
        #expect(happenings[.emptyServers] > 8)
        #expect(revocations == 0 || happenings[.revocations] > 3)
    }
}
