import KSCausality
import KSResolution
import KSTestSupport
import Testing

/// The laws of the join, over siblings that real histories made.
struct JoinTests {
    private static let siblingCount = 5

    /// Five states of one record; in every third world, devices with one actor took part.
    private func siblings(seed: UInt64) -> [RecordState] {
        var world = World(seed: seed, records: 2, forgets: seed % 2 == 1)
        world.run(steps: 40)
        if seed % 3 == 0 {
            // A cloned device: one actor, two histories.
            world.devices.append(world.devices[0])
            world.run(steps: 30)
        }
        let record = Int(seed % 2)
        while world.sealed[record].count < Self.siblingCount { world.run(steps: 10) }
        var pool = world.sealed[record]
        pool.shuffle(using: &world.random)
        return Array(pool.prefix(Self.siblingCount))
    }

    /// Joins every pair of sets of siblings, overlapping ones too.
    ///
    /// That the join of two sets is always the join of their union means that neither order nor
    /// grouping nor repetition matters, for any expression over these siblings.
    private func checkAllExpressions(
        _ states: [RecordState],
        historyCountMax: Int,
        seed: UInt64
    ) {
        let states = states.map {
            RecordState().joined(with: $0, historyCountMax: historyCountMax)
        }
        guard !states.isEmpty else { return }
        var joins = [RecordState()]
        for set in 1..<(1 << states.count) {
            let last = set.trailingZeroBitCount
            joins.append(
                joins[set & (set - 1)].joined(
                    with: states[last],
                    historyCountMax: historyCountMax
                )
            )
        }
        let expected = joins.map(\.encoded)
        for left in joins.indices {
            for right in joins.indices {
                let joined = joins[left].joined(
                    with: joins[right],
                    historyCountMax: historyCountMax
                )
                guard joined.encoded == expected[left | right] else {
                    Issue.record("seed \(seed): sets \(left) and \(right) of \(states.count)")
                    return
                }
            }
        }
    }

    /// Checks that the worlds still produce enough different histories for these tests.
    @Test
    func `the histories have five siblings each, which hardly ever are equal`() {
        var allDiffer = 0
        for seed in 0..<80 as Range<UInt64> {
            let states = siblings(seed: seed)
            #expect(states.count == 5, "seed \(seed)")
            let different = Set(states.map(\.encoded)).count
            #expect(different >= 4, "seed \(seed)")
            allDiffer += different == 5 ? 1 : 0
        }
        #expect(allDiffer >= 75)
    }

    @Test(arguments: 0..<80 as Range<UInt64>)
    func `neither order nor grouping nor repetition matters`(seed: UInt64) {
        checkAllExpressions(
            siblings(seed: seed),
            historyCountMax: RecordState.historyCountMax,
            seed: seed
        )
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `nor with a history of two`(seed: UInt64) {
        checkAllExpressions(siblings(seed: seed), historyCountMax: 2, seed: seed)
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `nor when large secrets evict each other from the history`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var first = Author(1)
        let start = try shared(by: &first)
        let states = try (0..<4 as Range<UInt64>).map { number in
            var author = Author(number + 2)
            var record = LocalRecord(mirror: start)
            for _ in 0..<3 {
                let count = Int.random(in: 0...2, using: &random) * 30_000 + 5
                record.set(
                    [.secret: [UInt8](repeating: UInt8(number), count: count)],
                    atMilliseconds: UInt64.random(in: 2000...2005, using: &random)
                )
                _ = try author.push(&record)
            }
            return try #require(record.mirror)
        }
        checkAllExpressions(states, historyCountMax: RecordState.historyCountMax, seed: seed)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `a joined state has seen all and keeps every value nobody has replaced`(seed: UInt64) {
        let states = siblings(seed: seed)
        let joined = RecordState.join(states)
        for state in states {
            #expect(joined.context == joined.context.merged(with: state.context), "seed \(seed)")
            for (name, values) in state.values {
                for value in values where joined.values[name]?.contains(value) != true {
                    let isReplaced = states.contains { other in
                        other.context.contains(value.stamp)
                            && !other.stamps(of: name).contains(value.stamp)
                    }
                    #expect(isReplaced, "seed \(seed)")
                }
            }
        }
    }
}
