import KSAgent
import KSRPC
import KSTestBench
import Testing

/// The sample of Apple's known answers, each case through `rpc` on a new keychain.
struct SampleTests {
    /// The status that a case has here instead, and that of an earlier call, by its place.
    struct Difference {
        var status: Int64
        var setup: [Int: Int64] = [:]
    }

    /// Cases that are answered differently on purpose; docs/SecItem.md gives the reasons.
    static let differences: [String: Difference] = [
        // Apple's own call says "success" and stores nothing.
        "add-9": Difference(status: -50),
        // A damaged file is kept for its user to repair; no new one replaces it.
        "api-recover": Difference(status: -25291),
        // A migration of the database needs none of its keys.
        "secd02-1": Difference(status: -25300),
        "secd02-2": Difference(status: -25300, setup: [2: -25300]),
    ]

    @Test(arguments: SampleCase.all.filter { $0.reasonToSkip == nil })
    func `a case is answered as by Apple`(sample: SampleCase) throws {
        let difference = Self.differences[sample.id]
        var runner = try SampleRunner()
        let answer = try runner.run(sample, insteadBefore: difference?.setup ?? [:])
        let status = difference?.status ?? sample.status
        #expect(answer["status"]?.integer == status, "\(sample.call) gave \(answer)")
        guard answer["status"]?.integer == 0 else { return }
        let fault = SampleResult.fault(answer["result"], of: sample)
        #expect(fault == nil, "\(answer)")
    }

    @Test
    func `every case is run, or left out for a reported reason`() {
        var counts: [SampleCase.Reason: Int] = [:]
        for sample in SampleCase.all {
            if let reason = sample.reasonToSkip { counts[reason, default: 0] += 1 }
        }
        #expect(SampleCase.all.count == 186)
        #expect(
            counts == [.clientOfMacOS: 14, .fileKeychain: 3, .command: 13, .cloudRecord: 4]
        )
    }
}
