import KSTestSupport
import Simulation
import Testing

/// Worlds whose devices come behind a proxy that refuses large requests, and leave it again.
struct ProxyWorldTests {
    /// How many seeds one test case runs.
    private static let chunk: UInt64 = isThorough ? 50 : 20

    /// Below the size of one record, and that of a few.
    @Test(arguments: [500, 1500], (0..<(isThorough ? 8 : 1)).map { 1 + $0 * chunk } as [UInt64])
    func `no write is lost, doubled or held back by a proxy that refuses large requests`(
        bytes: Int,
        first: UInt64
    ) throws {
        var settings = WorldSettings()
        settings.steps = 24
        settings.mergeTypeCount = 3
        settings.proxyBytesMax = bytes
        var happenings = Happenings()
        for seed in first..<first + Self.chunk {
            let outcome = try World.run(seed: seed, settings: settings)
            happenings = happenings + outcome.happenings
            #expect(
                outcome.failure == nil,
                """
                replay with: sync-simulate --seed \(seed) --steps 24 --proxy-bytes \(bytes) \
                --merge-types 3 --trace
                """
            )
        }
        #expect(happenings[.refusedForSize] > 0)
        #expect(happenings[.lostAcknowledgements] > 0)
    }
}
