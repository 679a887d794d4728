import ArgumentParser
import Foundation
import Simulation

/// `sync-simulate record`: a story that is typed line by line.
struct RecordStory: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Records a story: each line that is typed runs at once.",
        discussion: """
            After each line stands what devices show now and did not show before. A line that is \
            wrong, or that cannot be done, is not recorded. The word undo takes the last line \
            back; save, or the end of the input, writes the story, with what is shown at its end \
            as expectations; quit writes nothing. The command actions lists what a line can be.
            """
    )

    @Option(help: "Decides keys, delays and all else that is random.")
    var seed: UInt64 = 1

    @Flag(help: "Write over a file that is there.")
    var force = false

    @Argument(help: "The file of the story, which must not be there yet.", completion: .file())
    var story: String

    func run() throws {
        guard force || !FileManager.default.fileExists(atPath: story) else {
            throw ValidationError("\(story) is there already; give --force, or another name.")
        }
        let recorder = try StoryRecorder(seed: seed)
        prompt()
        while let line = readLine() {
            switch line.trimmingCharacters(in: .whitespaces) {
            case "quit": return
            case "save": return try save(recorder)
            case "undo":
                print(try recorder.undo().map { "took back: \($0)" } ?? "there is no line")
            default: show(try recorder.add(line))
            }
            prompt()
        }
        try save(recorder)
    }

    private func prompt() {
        guard isatty(FileHandle.standardInput.fileDescriptor) == 1 else { return }
        // What print() buffers is written at the end of each line, and this has none.
        FileHandle.standardOutput.write(Data("> ".utf8))
    }

    private func show(_ answer: StoryRecorder.Answer) {
        switch answer {
        case .done(let news): for line in news { print("  \(line)") }
        case .failed(let expected, let shown):
            print("  not recorded; expected: \(expected), shown: \(shown)")
        case .mistake(let mistake):
            print("  not recorded; column \(mistake.column): \(mistake.message)")
        }
    }

    private func save(_ recorder: StoryRecorder) throws {
        do {
            try Data(recorder.file().utf8).write(to: URL(filePath: story))
        } catch {
            throw ValidationError("\(story) cannot be written; name another file.")
        }
        print("wrote \(story); sync-simulate run \(story) runs it")
    }
}
