import Simulation
import Testing

/// Worlds that break a promise, with fewer actions.
struct ShrinkingTests {
    private static let settings: WorldSettings = {
        var settings = WorldSettings()
        (settings.deviceCount, settings.steps, settings.itemCount) = (2, 12, 1)
        settings.keyValueProbability = 0
        return settings
    }()

    @Test
    func `a world breaks its promise with only the actions that it needs`() throws {
        var settings = Self.settings
        settings.bug = .dropsSibling
        var found: World.Shrunk?
        for seed in 1...30 as ClosedRange<UInt64> where found == nil {
            found = try World.shrink(seed: seed, settings: settings)
        }
        let shrunk = try #require(found)
        let failure = try #require(shrunk.outcome.failure)
        #expect(shrunk.actions.count <= 6, "\(shrunk.actions)")
        let again = try World.run(
            seed: shrunk.outcome.seed,
            settings: settings,
            onlyActions: shrunk.actions
        )
        #expect(again.failure == failure && again.traceHash == shrunk.outcome.traceHash)
        #expect(shrunk.lines.first == "devices device1 device2")
        #expect(shrunk.lines.count > shrunk.actions.count)
        // Each is a line of a story.
        #expect(throws: Never.self) {
            try StoryFile(parsing: shrunk.lines.joined(separator: "\n"))
        }
    }

    @Test
    func `with all of its actions a world is the same`() throws {
        let whole = try World.run(seed: 5, settings: Self.settings)
        #expect(whole.failure == nil && whole.waiting.isEmpty)
        let all = Array(0..<Self.settings.steps)
        #expect(try World.run(seed: 5, settings: Self.settings, onlyActions: all) == whole)
        let few = try World.run(seed: 5, settings: Self.settings, onlyActions: [1, 4])
        #expect(few.traceHash != whole.traceHash)
        #expect(try World.shrink(seed: 5, settings: Self.settings) == nil)
    }
}
