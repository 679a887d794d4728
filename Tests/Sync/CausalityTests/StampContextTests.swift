import KSCausality
import KSTestSupport
import Testing

/// A context is a set of stamps.
struct StampContextTests {
    private static let all = (1...3 as ClosedRange<UInt64>).flatMap { actor in
        (0...4 as ClosedRange<UInt64>).map { stamp(actor, $0) }
    }

    private static func stamp(_ actor: UInt64, _ time: UInt64) -> Stamp {
        Stamp(time: HybridTime(rawValue: time), actor: ActorID(rawValue: actor))
    }

    /// A context, and the set that it is to be.
    private func make(_ random: inout SeededGenerator) -> (context: StampContext, set: Set<Stamp>) {
        var context = StampContext()
        var set: Set<Stamp> = []
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let stamp = Self.all[Int.random(in: Self.all.indices, using: &random)]
            if Bool.random(using: &random) {
                context.raise(to: stamp)
                set.formUnion(
                    Self.all.filter { $0.actor == stamp.actor && $0.time <= stamp.time }
                )
            } else {
                context.insertExactly(stamp)
                set.insert(stamp)
            }
        }
        return (context, set)
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a context contains raised and named stamps, and merging is the union`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (a, b, c) = (make(&random), make(&random), make(&random))
        #expect(Set(Self.all.filter(a.context.contains)) == a.set, "seed \(seed)")
        let merged = a.context.merged(with: b.context)
        #expect(Set(Self.all.filter(merged.contains)) == a.set.union(b.set), "seed \(seed)")
        #expect(merged == b.context.merged(with: a.context), "seed \(seed)")
        #expect(
            merged.merged(with: c.context)
                == a.context.merged(with: b.context.merged(with: c.context)),
            "seed \(seed)"
        )
        #expect(merged.merged(with: a.context) == merged, "seed \(seed)")
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `the order of the parts does not matter`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let context = make(&random).context
        let again = StampContext(
            highest: context.highestStamps.shuffled(using: &random),
            exact: (context.exactStamps + context.highestStamps).shuffled(using: &random)
        )
        #expect(again == context)
        #expect(again.highestStamps.map(\.actor) == again.highestStamps.map(\.actor).sorted())
        #expect(again.exactStamps == again.exactStamps.sorted())
    }

    @Test
    func `a stamp named exactly does not cover those below`() {
        var context = StampContext()
        context.insertExactly(Self.stamp(1, 4))
        #expect(context.contains(Self.stamp(1, 4)) && !context.contains(Self.stamp(1, 3)))
        #expect(context.latestTime == HybridTime(rawValue: 4))
        context.raise(to: Self.stamp(1, 4))
        #expect(context.exactStamps.isEmpty && context.contains(Self.stamp(1, 3)))
    }

    /// Four records with 400,000 stamps each once kept every device busy for minutes.
    @Test
    func `merging looks at each stamp once`() {
        func context(_ count: Int, from first: UInt64) -> StampContext {
            let numbers = first..<first + UInt64(count)
            return StampContext(
                highest: numbers.map { Self.stamp($0, 2) },
                exact: numbers.map { Self.stamp($0, 3) }
            )
        }
        let growth = growth(of: 8, from: 1000) { count in
            let merged = context(count, from: 1)
                .merged(with: context(count, from: UInt64(count / 2)))
            #expect(merged.count >= 2 * count)
        }
        #expect(growth < 24, "\(growth) times as long for 8 times as many")
    }
}
