import KSCausality
import KSMerging
import KSTestSupport
import Testing

struct MergeTests {
    private func vector(_ entries: [(actor: ActorID, counter: UInt64)]) -> VersionVector {
        VersionVector(entries)
    }

    private let left = ActorID(rawValue: 1)
    private let right = ActorID(rawValue: 2)

    @Test
    func `a write drops exactly the siblings it names`() {
        var siblings = Siblings<String>()
        var vector = VersionVector()
        for (actor, value) in [(left, "a"), (right, "b")] {
            let dot = Dot(actor: actor, counter: 1)
            #expect(Merge.apply(value, dot: dot, replacing: [], to: &siblings, vector: &vector))
        }
        let next = Dot(actor: left, counter: 2)
        let seen = [Dot(actor: left, counter: 1)]
        #expect(Merge.apply("c", dot: next, replacing: seen, to: &siblings, vector: &vector))
        #expect(siblings.entries.map(\.value) == ["c", "b"])
        #expect(vector == self.vector([(actor: left, counter: 2), (actor: right, counter: 1)]))
    }

    @Test
    func `a straggler changes nothing`() {
        var siblings = Siblings<String>([(dot: Dot(actor: left, counter: 5), value: "new")])
        var vector = self.vector([(actor: left, counter: 5)])
        for counter in 1...5 as ClosedRange<UInt64> {
            let dot = Dot(actor: left, counter: counter)
            let isNew = Merge.apply(
                "old",
                dot: dot,
                replacing: [Dot(actor: left, counter: 5)],
                to: &siblings,
                vector: &vector
            )
            #expect(!isNew)
        }
        #expect(siblings.entries.map(\.value) == ["new"])
        #expect(vector == self.vector([(actor: left, counter: 5)]))
    }
}
