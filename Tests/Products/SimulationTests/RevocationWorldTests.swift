import KSTestSupport
import Simulation
import Testing

/// Devices that are revoked while others write, away or not: the account's keys change.
struct RevocationWorldTests {
    /// How many seeds one test case runs.
    private static let chunk: UInt64 = isThorough ? 50 : 20

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
        #expect(happenings[.revocations] > 20)
        #expect(happenings[.refusedRevocations] > 0)
        #expect(world.returns == 0 || happenings[.returns] > 0)
    }

    /// The server is put back, loses everything or is another one, and devices join.
    @Test(
        arguments: ["none", "restores", "empties", "moves"],
        (0..<(isThorough ? 8 : 1)).map { 1 + $0 * chunk } as [UInt64]
    )
    func `no write is lost or doubled when the password changes`(
        loss: String,
        first: UInt64
    ) throws {
        var settings = WorldSettings()
        settings.mergeTypeCount = 4
        settings.passwordProbability = 0.1
        settings.joinProbability = 0.05
        settings.revocationProbability = 0.02
        if loss == "restores" { settings.restoreProbability = 0.1 }
        if loss == "empties" { settings.emptyProbability = 0.05 }
        if loss == "moves" { settings.moveProbability = 0.1 }
        var happenings = Happenings()
        for seed in first..<first + Self.chunk {
            let outcome = try World.run(seed: seed, settings: settings)
            happenings = happenings + outcome.happenings
            #expect(outcome.failure == nil, "seed \(seed), \(loss)")
        }
        #expect(happenings[.passwordChanges] > 20)
        #expect(happenings[.joins] > 0)
    }

    /// In the world of the first seed, a device is cloned that has moved an element of a list in a
    /// batch without an answer, and has added another one since.
    @Test(arguments: [861_058] + (1...(isThorough ? 100 : 10)) as [UInt64])
    func `no write is lost or doubled when devices are copied and others revoked`(
        seed: UInt64
    ) throws {
        var settings = WorldSettings()
        settings.deviceCount = 4
        settings.steps = 60
        settings.itemCount = 2
        settings.keyValueProbability = 0.8
        settings.cloneProbability = 0.05
        settings.putBackProbability = 0.05
        settings.returnProbability = 0.1
        settings.revocationProbability = 0.3
        let outcome = try World.run(seed: seed, settings: settings)
        #expect(
            outcome.failure == nil,
            """
            replay with: sync-simulate --seed \(seed) --devices 4 --steps 60 --items 2 \
            --clones 0.05 --put-backs 0.05 --returns 0.1 --revocations 0.3 --key-values 0.8 --trace
            """
        )
    }
}
