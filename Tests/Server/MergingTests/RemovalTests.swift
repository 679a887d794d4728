import KSMerging
import KSRecords
import KSTestSupport
import KSWire
import Testing

/// Up to where deleted records are removed, and who is refused afterwards.
struct RemovalTests {
    private static let day: UInt64 = 86_400
    private static let hour: UInt64 = 3600
    private let rules = RemovalRules()

    private func horizon(
        oldSeq: UInt64,
        _ devices: [MemberContact],
        from before: UInt64 = 0,
        nowSeconds: UInt64 = 0
    ) -> UInt64 {
        AccountStanding.with(seq: 100, removalHorizon: before).nextRemovalHorizon(
            oldSeq: oldSeq,
            devices: devices,
            rules: rules,
            nowSeconds: nowSeconds
        )
    }

    private func device(appliedSeq: UInt64, seconds: UInt64 = 0) -> MemberContact {
        MemberContact(appliedSeq: appliedSeq, seconds: seconds, isDormant: false)
    }

    @Test
    func `removal waits for the last active device, and for the age of the write`() {
        #expect(horizon(oldSeq: 80, [device(appliedSeq: 90), device(appliedSeq: 50)]) == 50)
        #expect(horizon(oldSeq: 40, [device(appliedSeq: 90), device(appliedSeq: 50)]) == 40)
        #expect(horizon(oldSeq: 80, [device(appliedSeq: 0)]) == 0)
        #expect(horizon(oldSeq: 80, []) == 80)
        // After an epoch has begun nothing counts as applied, and the horizon stays.
        #expect(horizon(oldSeq: 80, [device(appliedSeq: 0)], from: 30) == 30)
    }

    @Test
    func `writes are old after 30 days, and devices dormant after 90, never earlier`() {
        let (kept, silent) = (30 * Self.day, 90 * Self.day)
        #expect(rules.oldSeconds(nowSeconds: kept) == nil)
        #expect(rules.oldSeconds(nowSeconds: kept + Self.hour) == 0)
        let known = device(appliedSeq: 0, seconds: 500)
        #expect(!rules.isDormant(known, nowSeconds: 500 + silent))
        #expect(rules.isDormant(known, nowSeconds: 500 + silent + 2 * Self.hour))
        #expect(RemovalRules(dormantDays: 7).isDormant(known, nowSeconds: 8 * Self.day))
        #expect(!RemovalRules(dormantDays: 7).isDormant(known, nowSeconds: 6 * Self.day))
    }

    @Test
    func `a dormant device holds nothing back`() {
        let now = 500 * Self.day
        let present = device(appliedSeq: 70, seconds: now)
        let away = device(appliedSeq: 5, seconds: now - 91 * Self.day)
        let onHoliday = device(appliedSeq: 20, seconds: now - 80 * Self.day)
        #expect(horizon(oldSeq: 80, [present, away], nowSeconds: now) == 70)
        #expect(horizon(oldSeq: 80, [present, away, onHoliday], nowSeconds: now) == 20)
        #expect(horizon(oldSeq: 80, [away], nowSeconds: now) == 80)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `whatever happened, nothing is removed that an active device lacks`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let now = UInt64.random(in: 0...200 * Self.day, using: &random)
            let devices = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                device(
                    appliedSeq: .random(in: 0...100, using: &random),
                    seconds: .random(in: 0...now, using: &random)
                )
            }
            let old = UInt64.random(in: 0...120, using: &random)
            let before = UInt64.random(in: 0...100, using: &random)
            let next = horizon(oldSeq: old, devices, from: before, nowSeconds: now)
            #expect(next >= before && next <= 100)
            guard next > before else { continue }
            #expect(next <= old)
            for device in devices where now - device.seconds < 90 * Self.day {
                #expect(device.appliedSeq >= next)
            }
        }
    }

    // MARK: Cursors

    private let tag = CommitTag(validated: [UInt8](repeating: 5, count: 8))

    private func refusal(
        _ seq: UInt64,
        completeSeq: UInt64? = nil,
        tag: CommitTag? = nil
    ) -> ErrorCode? {
        AccountStanding.with(seq: 50, removalHorizon: 40).refusal(
            of: Cursor(epoch: .number(0), seq: seq, tag: self.tag),
            tag: tag ?? self.tag,
            completeSeq: completeSeq
        )
    }

    @Test
    func `a cursor below the horizon has to compare, even without its tag`() {
        #expect(refusal(40) == nil)
        #expect(refusal(39) == .resyncRequired)
        // Tags below the horizon are not kept: another one is no sign of a restored server.
        #expect(refusal(39, tag: .start) == .resyncRequired)
        #expect(refusal(40, tag: .start) == .unknownCursor)
        let standing = AccountStanding.with(seq: 50, removalHorizon: 40)
        let old = Cursor(epoch: .number(0), seq: 3, tag: tag)
        #expect(!standing.hasLost(old, tag: .start))
    }

    @Test
    func `a device that pulls everything goes on page by page while the horizon rises`() {
        // It began when the account had 45 writes.
        #expect(refusal(3, completeSeq: 45) == nil)
        #expect(refusal(3, completeSeq: 39) == .resyncRequired)
        #expect(refusal(45, completeSeq: 39) == .resyncRequired)
        let standing = AccountStanding.with(seq: 50, removalHorizon: 40)
        #expect(standing.refusal(ofWholePullAfter: nil) == nil)
        #expect(standing.refusal(ofWholePullAfter: 40) == nil)
        #expect(standing.refusal(ofWholePullAfter: 39) == .resyncRequired)
    }
}
