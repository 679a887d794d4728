import KSCausality
import KSTestSupport
import Testing

struct VersionVectorTests {
    private func vector(_ random: inout SeededGenerator) -> VersionVector {
        VersionVector(
            (0..<Int.random(in: 0...4, using: &random)).map { _ in
                (
                    actor: ActorID(rawValue: .random(in: 1...3, using: &random)),
                    counter: .random(in: 0...3, using: &random)
                )
            }
        )
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `merging gives the least upper bound`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (a, b, c) = (vector(&random), vector(&random), vector(&random))
        let merged = a.merged(with: b)
        #expect(merged == b.merged(with: a))
        #expect(merged.merged(with: c) == a.merged(with: b.merged(with: c)))
        #expect(a.merged(with: a) == a)
        #expect(merged.covers(a) && merged.covers(b))
        if c.covers(a) && c.covers(b) { #expect(c.covers(merged), "seed \(seed)") }
        #expect(a.covers(b) == (merged == a), "seed \(seed)")
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a vector is the set of the writes it contains`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (a, b) = (vector(&random), vector(&random))
        let all = (1...3 as ClosedRange<UInt64>).flatMap { actor in
            (1...3 as ClosedRange<UInt64>).map {
                Dot(actor: ActorID(rawValue: actor), counter: $0)
            }
        }
        let (inA, inB) = (Set(all.filter(a.contains)), Set(all.filter(b.contains)))
        #expect(Set(all.filter(a.merged(with: b).contains)) == inA.union(inB))
        let order: VersionVector.Order =
            if inA == inB {
                .equal
            } else if inA.isSubset(of: inB) {
                .before
            } else if inB.isSubset(of: inA) {
                .after
            } else {
                .concurrent
            }
        #expect(a.compare(to: b) == order, "seed \(seed)")
    }

    @Test
    func `an entry of 0 counts as missing, and lowering does nothing`() {
        var vector = VersionVector()
        vector.raise(ActorID(rawValue: 1), to: 0)
        #expect(vector == VersionVector() && vector.isEmpty)
        vector.raise(ActorID(rawValue: 1), to: 5)
        vector.raise(ActorID(rawValue: 1), to: 3)
        #expect(vector[ActorID(rawValue: 1)] == 5)
        #expect(vector.entries.map { $0.counter } == [5])
    }
}
