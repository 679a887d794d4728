import Foundation
import Simulation
import Testing

/// Stories as files: those of the repository, and mistakes in them.
struct StoryFileTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Examples/Stories").standardizedFileURL

    /// The stories of the repository, by file name.
    private static let names: [String] = {
        // Without the folder, the test of its contents fails.
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (names ?? []).filter { $0.hasSuffix(".story") }.sorted()
    }()

    @Test
    func `the repository has stories`() {
        #expect(Self.names.count > 30)
        #expect(Self.names.contains("first.story"))
    }

    @Test(arguments: names)
    func `a story of the repository is kept, and always goes the same way`(
        name: String
    ) throws {
        let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        let story = try StoryFile(parsing: text)
        let outcome = try story.run(keepsTrace: true)
        for failure in outcome.failures {
            Issue.record("\(name):\(failure.line): shown is \(failure.shown)")
        }
        #expect(outcome.mistake == nil)
        #expect(outcome.expectationCount > 1)
        #expect(try story.run(keepsTrace: true) == outcome)
        // Another seed has other delays and keys, and the users see the same.
        let other = try story.run(seed: 2)
        #expect(other.failures.isEmpty && other.traceHash != outcome.traceHash)
    }

    @Test
    func `every form of a line is in a story of the repository or in these`() throws {
        let others = """
            devices laptop phone
            show
            phone clock -2h
            laptop set mail note x
            laptop unset mail note
            laptop delete mail
            """
        let texts =
            try Self.names.map {
                try String(contentsOf: Self.folder.appending(path: $0), encoding: .utf8)
            } + [others]
        let used = Set(
            try texts.flatMap { text in try StoryFile(parsing: text).patterns }
        )
        let unused = StoryForm.all.map(\.pattern).filter { !used.contains($0) }
        #expect(unused == [])
    }

    /// The stories that a planted bug breaks.
    private static func broken(by bug: PlantedBug) throws -> [String] {
        try names.filter { name in
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            let story = try StoryFile(parsing: text)
            do {
                return try !story.run(bug: bug).isKept
            } catch {
                // Some bugs end in an error of the database.
                return true
            }
        }
    }

    @Test(
        arguments: [
            .dropsSibling, .cursorOffByOne, .rollsRecordBack, .forgetsTombstones,
            .takesBatchApartUnasked, .returnsAsStranger, .trustsSetClock,
        ] as [PlantedBug]
    )
    func `a planted bug breaks some story of the repository`(
        bug: PlantedBug
    ) throws {
        #expect(try !Self.broken(by: bug).isEmpty)
    }

    /// A line, the column of the mistake in it, and a part of what is said.
    static let mistakes: [(line: String, column: Int, message: String)] = [
        ("advance", 8, "expected DURATION, a duration such as 90s"),
        ("advance soon", 9, "found \"soon\""),
        ("advance 5s 6s", 12, "expected the end of the line, found \"6s\""),
        ("devices", 8, "expected NAME, a name"),
        ("devices \"my laptop\"", 9, "expected NAME, a name"),
        (
            "laptop flies", 8,
            "expected a word such as offline, online, slow, found \"flies\"; \"sync"
        ),
        ("laptop ofline", 8, "found \"ofline\"; did you mean offline?"),
        ("laptop kv incremnt n 1", 11, "found \"incremnt\"; did you mean increment?"),
        ("lapotp ofline", 1, "found \"lapotp\"; did you mean laptop?"),
        ("snyc", 1, "found \"snyc\"; did you mean sync?"),
        ("adavnce 5s", 1, "found \"adavnce\"; did you mean advance?"),
        ("server sleeps", 8, "expected a word such as away, back, disk-full, found \"sleeps\""),
        ("server bakc", 8, "did you mean back?"),
        ("laptop kv set key", 18, "expected VALUE, a value, found the end of the line"),
        ("laptop kv declare best most", 24, "expected TYPE, one of register, max"),
        ("laptop kv increment n 1.5", 23, "expected NUMBER, a whole number"),
        ("laptop lossy 101", 14, "expected PERCENT, a number from 0 to 100"),
        ("laptop add mail \"first", 23, "expected a closing quotation mark"),
        ("laptop kv set k [1, 2", 22, "expected \",\" or \"]\", found the end of the line"),
        ("laptop kv set k {a 1}", 20, "expected \":\", found \"1\""),
        ("laptop add mail \"a\"b", 20, "expected a blank, found \"b\""),
        ("laptop add mail \"\\x\"", 19, "expected n, t, \\ or \""),
        ("expect laptop unsent because tired", 30, "REASON, one of offline, server-away"),
        ("expect laptop unsent because ofline", 30, "found \"ofline\"; did you mean offline?"),
        ("  # a comment\tand\n\texpect", 8, "found the end of the line"),
    ]

    @Test(arguments: mistakes)
    func `a mistake is reported with its line and column, and what was expected`(
        line: String,
        column: Int,
        message: String
    ) throws {
        let text = "devices laptop\n# comment\n\n" + line + "\nsync\n"
        let error = #expect(throws: StorySyntaxError.self) { try StoryFile(parsing: text) }
        let found = try #require(error)
        #expect(found.line == (line.contains("\n") ? 5 : 4))
        #expect(found.column == column, "\(found)")
        #expect(found.message.contains(message), "\(found)")
    }

    @Test
    func `values are read as they are written`() throws {
        let text = """
            devices laptop
            laptop kv set a "two words, \\"quoted\\" \\\\ and\\ttab"
            laptop kv set b {list: [1, -2.5, true, word], "other key": {}} # comment
            laptop kv set c []
            laptop kv set d 007
            expect laptop kv a is "two words, \\"quoted\\" \\\\ and\\ttab"
            expect laptop kv b is {"other key": {}, list: [1, -2.5, true, "word"]}
            expect laptop kv c is []
            expect laptop kv d is 7
            show
            """
        let outcome = try StoryFile(parsing: text).run()
        #expect(outcome.isKept, "\(outcome)")
        #expect(outcome.shown[0] == #"laptop: kv a is "two words, \"quoted\" \\ and\ttab""#)
        #expect(outcome.shown[1].hasSuffix(#"{"list": [1, -2.5, true, "word"], "other key": {}}"#))
    }

    @Test
    func `a failed expectation says what is shown, and the story goes on`() throws {
        let text = """
            devices laptop phone
            laptop add mail first
            expect phone shows mail
            sync
            expect phone mail password is second
            expect phone mail password is first
            expect phone mail note is nothing
            expect server records 2
            laptop set mail note x
            expect agreement
            """
        let outcome = try StoryFile(parsing: text).run()
        #expect(outcome.mistake == nil)
        #expect(outcome.expectationCount == 6)
        #expect(outcome.failures.map(\.line) == [3, 5, 8, 10])
        #expect(outcome.failures.map(\.expected) == ["mail", "\"second\"", "2", "agreement"])
        #expect(outcome.failures[0].shown == "nothing")
        #expect(outcome.failures[1].shown == "\"first\"")
        #expect(outcome.failures[2].shown == "1")
        #expect(outcome.failures[3].shown == "phone shows something else than laptop")
    }

    @Test
    func `what cannot be done ends the story with its line`() throws {
        let text = "devices laptop\nlaptop delete mail\nsync\n"
        let outcome = try StoryFile(parsing: text).run()
        #expect(outcome.mistake?.description == "2:1: laptop shows no item mail; it shows none")
        #expect(!outcome.isKept)
    }

    @Test
    func `a slip in the name of an item or device names the nearest one`() throws {
        let item = "devices laptop\nlaptop add mail x\nlaptop delete mial"
        var outcome = try StoryFile(parsing: item).run()
        #expect(
            outcome.mistake?.description == "3:1: laptop shows no item mial; did you mean mail?"
        )
        outcome = try StoryFile(parsing: "devices laptop phone\nphnoe lock").run()
        #expect(
            outcome.mistake?.description == "2:1: there is no device phnoe; did you mean phone?"
        )
    }

    /// A story that never comes to rest would run for ever.
    @Test
    func `devices that lose everything are named`() throws {
        let text = "devices laptop\nlaptop lossy 100\nlaptop add mail first\nsync\n"
        let outcome = try StoryFile(parsing: text).run()
        #expect(outcome.mistake?.line == 4)
        let message = outcome.mistake?.message ?? ""
        let start = "the devices do not come to rest: laptop waits for "
        #expect(message.hasPrefix(start), "\(message)")
        let end = ", with 1 unsent, on a network that loses 100 % of its messages"
        #expect(message.hasSuffix(end), "\(message)")
    }
}
