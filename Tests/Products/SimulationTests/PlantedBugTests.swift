import Foundation
import KSTestSupport
import Simulation
import Testing

/// Planted mistakes, each with how many worlds it takes until it is found.
///
/// docs/Simulation.md lists them, each with a world that shows it. Run with `WRITE_DOCS=1` in the
/// environment, the tests find such worlds and write the tables again; with `WRITE_DOCS=NAME` only
/// the rows of these bugs, with commas between their names.
@Suite(.serialized)
struct PlantedBugTests {
    /// A bug as the page has it.
    private struct Row {
        let name: String
        let line: Substring
        let seed: UInt64
    }

    /// The first seeds of several searches.
    private static let starts: [UInt64] = [1, 10_001, 20_001, 30_001, 40_001]
    /// How many worlds a search may take.
    private static let worldsMax: UInt64 = 2000
    /// How many worlds the ordinary run may take from the page's seed on: a change of the engine
    /// changes what happens in it.
    private static let retriesMax: UInt64 = 20

    private static let wanted = ProcessInfo.processInfo.environment["WRITE_DOCS"]
    private static let writes = wanted != nil
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/Simulation.md")

    /// The text between two marks of the page.
    private static func part(_ name: String) throws -> (text: Substring, page: String) {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let mark = "<!-- \(name), by PlantedBugTests -->\n\n"
        let start = try #require(page.range(of: mark)).upperBound
        let end = try #require(page.range(of: "\n\n<!-- end -->", range: start..<page.endIndex))
        return (page[start..<end.lowerBound], page)
    }

    private static func rows() throws -> [Row] {
        try part("bugs").text.split(separator: "\n").dropFirst(2).map { line in
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
            }
            return Row(
                name: try #require(cells.first),
                line: line,
                seed: try #require(cells.last.flatMap { UInt64($0) })
            )
        }
    }

    /// Whether the row of a bug is written again; otherwise it stays.
    private static func isWritten(_ bug: PlantedBug) -> Bool {
        guard let names = wanted?.split(separator: ",") else { return true }
        return names == ["1"] || names.contains { $0 == bug.name }
    }

    /// The first world from a seed on that shows a bug, and keeps every promise without it; nil if
    /// none does.
    private static func search(
        _ bug: PlantedBug,
        from first: UInt64,
        worlds: UInt64
    ) throws -> (seed: UInt64, failure: WorldFailure)? {
        for seed in first..<first + worlds {
            let failure = try World.run(seed: seed, settings: bug.settings).failure
            guard let failure else { continue }
            // The ordinary run lives no world without the bug: it has no time for that.
            guard writes || isThorough else { return (seed, failure) }
            let without = try World.run(seed: seed, settings: bug.mix.settings).failure
            if without == nil { return (seed, failure) }
        }
        return nil
    }

    @Test
    func `every planted bug is listed once`() throws {
        let names = PlantedBug.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.count >= 40)
        #expect(Set(PlantedBug.all.map(\.mistake)).count == names.count)
        #expect(Set(PlantedBug.all.map(\.promise)) == Set(PlantedBug.Promise.allCases))
        if !Self.writes { #expect(try Self.rows().map(\.name) == names) }
    }

    @Test(.enabled(if: !writes), arguments: PlantedBug.all)
    func `a planted bug is found in the world of its row, or soon after`(bug: PlantedBug) throws {
        let row = try #require(try Self.rows().first { $0.name == bug.name })
        let found = try Self.search(bug, from: row.seed, worlds: Self.retriesMax)
        #expect(found != nil, "run these tests with WRITE_DOCS=\(bug)")
    }

    @Test(.enabled(if: writes || isThorough))
    func `the page says how many worlds it takes to find each planted bug`() throws {
        var lines = [
            "| bug | mistake | breaks | worlds | found as | median | seed |",
            "|---|---|---|---|---|---|---|",
        ]
        let rows = try Self.rows()
        for bug in PlantedBug.all {
            if !Self.isWritten(bug), let row = rows.first(where: { $0.name == bug.name }) {
                lines.append("\(row.line)")
                continue
            }
            var counts: [UInt64] = []
            var failures: [String] = []
            var seeds: [UInt64] = []
            for start in Self.starts {
                let found = try Self.search(bug, from: start, worlds: Self.worldsMax)
                guard let found else { continue }
                counts.append(found.seed - start + 1)
                seeds.append(found.seed)
                failures.append(String("\(found.failure)".prefix { $0 != "(" }))
            }
            #expect(counts.count == Self.starts.count, "\(bug) is not found")
            guard let seed = seeds.first else { continue }
            let median = counts.sorted()[counts.count / 2]
            let names = Set(failures).sorted().joined(separator: ", ")
            let cells = [
                "`\(bug.name)`", bug.mistake, bug.promise.rawValue, bug.mix.rawValue, names,
                "\(median)", "\(seed)",
            ]
            lines.append("| " + cells.joined(separator: " | ") + " |")
            print(counts, lines[lines.count - 1])
        }
        guard Self.writes else { return }
        try Self.write("bugs", lines)
    }

    @Test
    func `the page says what the worlds of planted bugs are`() throws {
        var lines = ["| worlds | options of `sync-simulate` |", "|---|---|"]
        for mix in WorldMix.allCases {
            let options = mix.settings.options
            lines.append("| \(mix.rawValue) | \(options.isEmpty ? "none" : "`\(options)`") |")
        }
        if Self.writes {
            try Self.write("worlds", lines)
        } else {
            let text = lines.joined(separator: "\n")
            #expect(try Self.part("worlds").text == text[...], "run this test with WRITE_DOCS=1")
        }
    }

    /// A bug is found only if the same worlds keep every promise without it.
    @Test(arguments: WorldMix.allCases)
    func `every promise is kept in the worlds of planted bugs`(mix: WorldMix) throws {
        let seeds: UInt64 = isThorough ? 100 : 1
        for seed in 50_001..<50_001 + seeds {
            let failure = try World.run(seed: seed, settings: mix.settings).failure
            #expect(
                failure == nil,
                "replay with: sync-simulate --seed \(seed) --trace \(mix.settings.options)"
            )
        }
    }

    private static func write(_ name: String, _ lines: [String]) throws {
        let (text, page) = try part(name)
        let whole =
            page[..<text.startIndex] + lines.joined(separator: "\n") + page[text.endIndex...]
        try String(whole).write(to: Self.page, atomically: true, encoding: .utf8)
    }
}
