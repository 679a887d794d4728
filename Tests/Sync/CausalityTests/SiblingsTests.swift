import KSCausality
import KSTestSupport
import Testing

struct SiblingsTests {
    private func dot(_ actor: UInt64, _ counter: UInt64) -> Dot {
        Dot(actor: ActorID(rawValue: actor), counter: counter)
    }

    /// Vectors alone keep 101 siblings here: the "sibling explosion".
    ///
    /// Source: Preguiça and others, "Dotted Version Vectors" (arXiv 1011.5808).
    @Test
    func `two clients that write in turn leave two siblings`() {
        var siblings = Siblings<Int>()
        var seen: [[Dot]] = [[], []]
        for number in 0...100 {
            let client = number % 2
            let dot = dot(UInt64(client), UInt64(number / 2 + 1))
            siblings.write(number, dot: dot, replacing: seen[client])
            seen[client] = siblings.dots
        }
        #expect(siblings.entries.map(\.value).sorted() == [99, 100])
    }

    @Test
    func `a write replaces the siblings that it names and no others`() {
        var siblings = Siblings<String>()
        siblings.write("a", dot: dot(1, 1), replacing: [])
        siblings.write("b", dot: dot(2, 1), replacing: [])
        siblings.write("c", dot: dot(3, 1), replacing: [dot(1, 1), dot(9, 9)])
        #expect(siblings.dots == [dot(2, 1), dot(3, 1)])
        #expect(siblings.entries.map(\.value) == ["b", "c"])
    }

    @Test
    func `a dot occurs once`() {
        var siblings = Siblings<String>()
        siblings.write("a", dot: dot(1, 1), replacing: [])
        siblings.write("a", dot: dot(1, 1), replacing: [])
        #expect(siblings.entries.map(\.value) == ["a"])
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `a write that nobody has seen is never removed`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var siblings = Siblings<Int>()
        var counters: [UInt64: UInt64] = [:]
        var replaced: Set<Dot> = []
        var written: Set<Dot> = []
        var views: [UInt64: [Dot]] = [:]
        for number in 0..<40 {
            let actor = UInt64.random(in: 1...3, using: &random)
            if Bool.random(using: &random) { views[actor] = siblings.dots }
            counters[actor, default: 0] += 1
            let dot = dot(actor, counters[actor] ?? 0)
            siblings.write(number, dot: dot, replacing: views[actor] ?? [])
            replaced.formUnion(views[actor] ?? [])
            written.insert(dot)
        }
        #expect(Set(siblings.dots) == written.subtracting(replaced), "seed \(seed)")
        #expect(siblings.dots == siblings.dots.sorted())
    }
}
