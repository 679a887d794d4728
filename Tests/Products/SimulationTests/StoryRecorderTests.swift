import Simulation
import Testing

/// Stories that are typed line by line.
struct StoryRecorderTests {
    @Test
    func `each line runs at once, and the story is kept as it was shown`() throws {
        let recorder = try StoryRecorder()
        #expect(try recorder.add("devices laptop phone") == .done(news: []))
        #expect(
            try recorder.add("laptop add mail \"first one\"")
                == .done(
                    news: [
                        "laptop: mail password is \"first one\"",
                        "laptop: 1 unsent because waiting",
                    ]
                )
        )
        #expect(
            try recorder.add("sync")
                == .done(
                    news: ["laptop: all is sent", "phone: mail password is \"first one\""]
                )
        )
        for line in [
            "# both", "laptop set mail password a", "phone set mail password b", "sync",
            "phone kv set \"two words\" [1, x]",
        ] {
            guard case .done = try recorder.add(line) else {
                Issue.record("\(line)")
                return
            }
        }
        let file = try recorder.file()
        let end = """

            expect laptop mail password is "b"
            expect laptop mail password conflicts "a"
            expect phone mail password is "b"
            expect phone mail password conflicts "a"
            expect phone kv "two words" is [1, "x"]
            expect phone unsent because waiting

            """
        #expect(file.hasSuffix(end), "\(file)")
        let outcome = try StoryFile(parsing: file).run()
        #expect(outcome.isKept && outcome.expectationCount == 6, "\(outcome)")
    }

    @Test
    func `what is wrong is said, and is no part of the story`() throws {
        let recorder = try StoryRecorder()
        _ = try recorder.add("devices laptop")
        _ = try recorder.add("laptop add mail x")
        guard case .mistake(let slip) = try recorder.add("laptop ofline") else {
            Issue.record("a slip was taken")
            return
        }
        #expect(slip.description == "3:8: found \"ofline\"; did you mean offline?")
        guard case .mistake(let impossible) = try recorder.add("laptop delete bank") else {
            Issue.record("an item that is not there was deleted")
            return
        }
        #expect(impossible.message == "laptop shows no item bank; it shows mail")
        #expect(
            try recorder.add("expect laptop mail password is y")
                == .failed(
                    expected: "\"y\"",
                    shown: "\"x\""
                )
        )
        #expect(recorder.lines == ["devices laptop", "laptop add mail x"])
        #expect(try StoryFile(parsing: recorder.file()).run().isKept)
    }

    @Test
    func `the last line can be taken back`() throws {
        let recorder = try StoryRecorder()
        _ = try recorder.add("devices laptop")
        _ = try recorder.add("laptop kv set a 1")
        _ = try recorder.add("laptop kv set a 2")
        #expect(try recorder.undo() == "laptop kv set a 2")
        #expect(try recorder.file().contains("expect laptop kv a is 1\n"))
        #expect(try recorder.undo() != nil)
        #expect(try recorder.undo() != nil)
        #expect(try recorder.undo() == nil)
        #expect(try recorder.file().isEmpty)
    }
}
