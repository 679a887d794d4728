import KSCausality
import KSResolution
import KSTestSupport
import Testing

/// Folded counters over random histories of several key generations.
struct FoldWorldTests {
    private func run(seed: UInt64, folds: Bool, losesAnswers: Bool = false) -> FoldWorld {
        var world = FoldWorld(seed: seed, folds: folds, losesAnswers: losesAnswers)
        for _ in 0..<3 {
            world.run(steps: 30)
            world.endGeneration()
        }
        world.run(steps: 30)
        world.quiesce()
        return world
    }

    /// Checks that each device shows at each step what it shows without folds.
    ///
    /// Where two resets had not seen each other, and a fold came in between, more may count.
    private func compare(_ folding: FoldWorld, _ plain: FoldWorld, seed: UInt64) -> Int {
        #expect(folding.shown.count == plain.shown.count, "seed \(seed)")
        var exactCount = 0
        for (step, (mine, theirs)) in zip(folding.shown, plain.shown).enumerated() {
            #expect(mine.device == theirs.device && mine.isAlive == theirs.isAlive, "seed \(seed)")
            for name in FoldWorld.counters {
                let left = mine.numbers[name] ?? FoldWorld.Number()
                let right = theirs.numbers[name] ?? FoldWorld.Number()
                if !mine.contested.contains(name) {
                    exactCount += 1
                    guard left != right else { continue }
                } else if left.base == right.base, left.plus >= right.plus,
                    left.minus >= right.minus
                {
                    continue
                }
                Issue.record(
                    "seed \(seed), step \(step), counter \(name): \(left) instead of \(right)"
                )
                return exactCount
            }
        }
        return exactCount
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `every device shows the numbers that it would show without folds`(block: UInt64) {
        var (foldCount, exactCount, count) = (0, 0, 0)
        for seed in block * 100..<(block + 1) * 100 {
            let (folding, plain) = (run(seed: seed, folds: true), run(seed: seed, folds: false))
            foldCount += folding.foldCount
            exactCount += compare(folding, plain, seed: seed)
            count += folding.shown.count * FoldWorld.counters.count
        }
        // Otherwise the test says too little.
        #expect(
            foldCount > 100 && exactCount > count / 4,
            "\(foldCount), \(exactCount) of \(count)"
        )
    }

    /// Every fourth world has no resets, so each counter is the sum of what users added.
    ///
    /// What a device sends again while another device folds it may count twice, and nothing else.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `every increment counts once, or at most twice if it is sent again beside a fold`(
        block: UInt64
    ) {
        var (repeatedCount, racedCount, count) = (0, 0, 0)
        for seed in block * 100..<(block + 1) * 100 where seed % 4 == 3 {
            for folds in [true, false] {
                let world = run(seed: seed, folds: folds, losesAnswers: true)
                for number in world.devices.indices {
                    let shown = FoldWorld.numbers(of: world.devices[number].record.view)
                    for name in FoldWorld.counters {
                        let twice = world.raced.contains(name) ? world.repeated[name] : nil
                        let isRight = isBetween(shown[name], world.added[name], andAlso: twice)
                        #expect(isRight, "seed \(seed), device \(number), \(name), \(folds)")
                    }
                }
                repeatedCount += world.repeatedCount
                racedCount += world.raced.count
                count += FoldWorld.counters.count
            }
        }
        #expect(repeatedCount > 10 && racedCount < count / 5, "\(repeatedCount), \(racedCount)")
    }

    private func isBetween(
        _ shown: FoldWorld.Number?,
        _ least: FoldWorld.Number?,
        andAlso more: FoldWorld.Number?
    ) -> Bool {
        let (shown, least) = (shown ?? FoldWorld.Number(), least ?? FoldWorld.Number())
        let more = more ?? FoldWorld.Number()
        return shown.base == nil
            && (least.plus...least.plus + more.plus).contains(shown.plus)
            && (least.minus...least.minus + more.minus).contains(shown.minus)
    }

    /// Resets and lost answers together.
    ///
    /// If a fold holds an increment, a reset by a user who had seen it covers it for good. Without
    /// a fold, a device may send the increment again, and the reset does not cover that.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `beside resets, a fold changes only what is sent again`(block: UInt64) {
        var exactCount = 0
        for seed in block * 100..<(block + 1) * 100 where seed % 4 != 3 {
            let folding = run(seed: seed, folds: true, losesAnswers: true)
            let plain = run(seed: seed, folds: false, losesAnswers: true)
            #expect(folding.shown.count == plain.shown.count, "seed \(seed)")
            let (mine, theirs) = (folding.shown.last, plain.shown.last)
            for name in FoldWorld.counters {
                let left = mine?.numbers[name] ?? FoldWorld.Number()
                let right = theirs?.numbers[name] ?? FoldWorld.Number()
                let again = plain.repeated[name] ?? FoldWorld.Number()
                let isContested = folding.contested.contains(name)
                if again == FoldWorld.Number(), !isContested { exactCount += 1 }
                let isRight =
                    left.base == right.base
                    && left.plus + again.plus >= right.plus
                    && left.minus + again.minus >= right.minus
                    && (isContested || left.plus <= right.plus + again.plus)
                    && (isContested || left.minus <= right.minus + again.minus)
                #expect(isRight, "seed \(seed), counter \(name): \(left), \(right), \(again)")
            }
        }
        #expect(exactCount > 2, "\(exactCount)")
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `joins with folded states have one result, in any order`(block: UInt64) throws {
        for seed in block * 30..<(block + 1) * 30 {
            var world = run(seed: seed, folds: true)
            let states = world.sealed + world.sealed.map(\.folded)
            for _ in 0..<20 {
                let picked = (0..<3).map { _ in states.randomElement(using: &world.random) }
                let (a, b, c) = (
                    try #require(picked[0]), try #require(picked[1]), try #require(picked[2])
                )
                let joined = a.joined(with: b).joined(with: c)
                #expect(joined.encoded == c.joined(with: a).joined(with: b).encoded, "seed \(seed)")
                #expect(joined.encoded == a.joined(with: b.joined(with: c)).encoded, "seed \(seed)")
                #expect(joined.encoded == joined.joined(with: b).encoded, "seed \(seed)")
                #expect(try ItemState(decoding: joined.encoded) == joined, "seed \(seed)")
            }
            for state in world.sealed {
                let folded = state.folded
                #expect(folded.folded == folded, "seed \(seed)")
                #expect(state.joined(with: folded) == folded, "seed \(seed)")
                #expect(
                    FoldWorld.numbers(of: folded) == FoldWorld.numbers(of: state),
                    "seed \(seed)"
                )
                let decoded = try ItemState(decoding: folded.encoded)
                #expect(decoded == folded && decoded.encoded == folded.encoded, "seed \(seed)")
            }
        }
    }
}
