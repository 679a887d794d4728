import ArgumentParser
import Foundation
import Simulation

/// `sync-simulate run`: carries out stories, and says which expectations do not hold.
struct RunStories: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs stories: what happens on several devices, a line for each step.",
        discussion: """
            A story has a line for each step, and begins with "devices NAME...". The command \
            actions lists what a line can be. A failed expectation is printed with its line, what \
            was expected and what is shown.

            With --real the story is also played with a sync-server, and a home, a daemon and the \
            commands of each device, all in a temporary folder, and both ends are compared. A \
            story with a line that real programs cannot play is skipped.

            The exit status is 0 if all were kept, 1 if an expectation failed or the two ends \
            differ, 2 if a story was skipped and none failed, and 64 if a story has a mistake.
            """
    )

    @Option(help: "Decides keys, delays and all else that is random.")
    var seed: UInt64 = 1

    @Flag(help: "Print all events.")
    var trace = false

    @Flag(
        help: """
            Play the story on real programs too, which stand beside this one, and compare the \
            ends; it takes a few seconds.
            """
    )
    var real = false

    @Flag(help: "Print the result as one JSON object for each story, a line each.")
    var json = false

    @Option(
        help: "Write the results to this file too, in the format of JUnit.",
        completion: .file()
    )
    var junit: String?

    @Option(
        help: "Draw the story as a page, to this file; nothing in it comes from outside.",
        completion: .file()
    )
    var html: String?

    @Option(help: "Draw the story as an SVG image, to this file.", completion: .file())
    var svg: String?

    @Argument(help: "The files of the stories; - is standard input.", completion: .file())
    var story: [String]

    func validate() throws {
        guard story.count == 1 || html == nil && svg == nil else {
            throw ValidationError("--html and --svg draw one story; name one.")
        }
        guard !real || html == nil && svg == nil else {
            throw ValidationError("--html and --svg draw a simulated story; leave out --real.")
        }
    }

    func run() throws {
        var reports: [StoryReport] = []
        let isDrawn = html != nil || svg != nil
        for path in story {
            let report = try StoryReport(
                path: path,
                seed: seed,
                keepsTrace: trace,
                keepsRecord: isDrawn,
                isReal: real
            )
            reports.append(report)
            if let picture = report.picture {
                try html.map { try write(picture.html, to: $0) }
                try svg.map { try write(picture.svg, to: $0) }
            }
            if json { print(try report.json) } else { report.lines.forEach { print($0) } }
            // A real story takes seconds, and its result is of use before the next one.
            if real { fflush(nil) }
        }
        try junit.map { try write(StoryReport.junit(reports), to: $0) }
        if reports.contains(where: { $0.outcome.mistake != nil }) { throw ExitCode(64) }
        if reports.contains(where: { !$0.isKept && !$0.isSkipped }) { throw ExitCode.failure }
        if reports.contains(where: \.isSkipped) { throw ExitCode(2) }
    }

    private func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(filePath: path))
        } catch {
            throw ValidationError("\(path) cannot be written; name another file.")
        }
    }
}

/// `sync-simulate actions`: what a line of a story can be.
struct ListActions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "actions",
        abstract: "Lists what a line of a story can be."
    )

    @Flag(help: "Print the tables of docs/Simulation.md.")
    var markdown = false

    func run() {
        for section in StoryForm.Section.allCases {
            let forms = StoryForm.all.filter { $0.section == section }
            if markdown {
                print("\n### \(section.rawValue)\n\n| line | does |\n|---|---|")
                for form in forms { print("| `\(form.pattern)` | \(form.meaning) |") }
            } else {
                print("\(section.rawValue):")
                for form in forms {
                    let meaning = form.meaning.replacing("`", with: "")
                    print("  \(form.pattern)\n      \(meaning)")
                }
            }
        }
    }
}
