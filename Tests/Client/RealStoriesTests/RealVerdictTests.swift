import KSRealStories
import Simulation
import Testing

/// When a story counts as kept on real programs.
struct RealVerdictTests {
    private static let text = """
        devices laptop phone
        laptop kv set theme dark
        sync
        expect phone kv theme is light
        """
    private let file: StoryFile
    private let simulated: StoryOutcome

    init() throws {
        file = try StoryFile(parsing: Self.text)
        simulated = try file.run(keepsEnd: true, bug: nil)
    }

    private func outcome(fails: Bool, _ end: RealOutcome.End = .played) throws -> RealOutcome {
        var outcome = RealOutcome()
        outcome.end = end
        outcome.devices = simulated.end
        if fails {
            let line = try #require(file.lines.last)
            outcome.failures = [.init(line, expected: #""light""#, shown: #""blue""#)]
        }
        return outcome
    }

    @Test
    func `the end of a simulated story has each device with its values`() {
        let values = simulated.end.map(\.values)
        let theme = DeviceEnd.Value(name: "kv theme", shown: #""dark""#)
        #expect(simulated.end.map(\.name) == ["laptop", "phone"])
        #expect(values == [[theme], [theme]])
        #expect(simulated.end[0].lines == [#"kv theme is "dark""#])
    }

    @Test
    func `an expectation that fails on one side only is named with both`() throws {
        let both = RealVerdict(try outcome(fails: true), simulated: simulated)
        #expect(!both.isKept && both.differences.isEmpty)
        #expect(both.lines.map(\.real) == [#""blue""#])
        #expect(both.lines.map(\.simulated) == [#""dark""#])
        let simulatedOnly = RealVerdict(try outcome(fails: false), simulated: simulated)
        #expect(!simulatedOnly.isKept)
        #expect(simulatedOnly.lines.map(\.line) == [4])
        #expect(simulatedOnly.lines.map(\.real) == [nil])
    }

    @Test
    func `a story is kept only if it was played and both ends are the same`() throws {
        var right = StoryOutcome()
        #expect(RealVerdict(RealOutcome(), simulated: right).isKept)
        right = simulated
        var different = try outcome(fails: false)
        different.devices[1].values = []
        let verdict = RealVerdict(different, simulated: right)
        #expect(verdict.differences.map(\.device) == ["phone"])
        #expect(!verdict.isKept)
        let broken = try outcome(fails: false, .broken(line: 1, text: "x", reason: "y"))
        #expect(!RealVerdict(broken, simulated: StoryOutcome()).isKept)
        let skipped = StoryPlan.SkippedLine(line: 1, text: "x", reason: "y")
        let left = RealVerdict(
            try outcome(fails: false, .skipped(skipped)),
            simulated: StoryOutcome()
        )
        #expect(left.isSkipped && !left.isKept)
    }
}
