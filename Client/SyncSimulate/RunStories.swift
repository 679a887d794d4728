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
            """
    )

    @Option(help: "Decides keys, delays and all else that is random.")
    var seed: UInt64 = 1

    @Flag(help: "Print all events.")
    var trace = false

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
    }

    func run() throws {
        var reports: [StoryReport] = []
        let isDrawn = html != nil || svg != nil
        for path in story {
            let report = try StoryReport(
                path: path,
                seed: seed,
                keepsTrace: trace,
                keepsRecord: isDrawn
            )
            reports.append(report)
            if let picture = report.picture {
                try html.map { try write(picture.html, to: $0) }
                try svg.map { try write(picture.svg, to: $0) }
            }
            if json { print(try report.json) } else { report.lines.forEach { print($0) } }
        }
        try junit.map { try write(StoryReport.junit(reports), to: $0) }
        if reports.contains(where: { $0.outcome.mistake != nil }) { throw ExitCode(64) }
        if reports.contains(where: { !$0.outcome.isKept }) { throw ExitCode.failure }
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
