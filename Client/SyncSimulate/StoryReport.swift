import ArgumentParser
import Foundation
import KSRealStories
import Simulation

/// The result of one story, for people and programs.
struct StoryReport {
    let path: String
    let outcome: StoryOutcome
    /// How the story ended on real programs; nil if it was only simulated, or has a mistake.
    let real: RealVerdict?
    let milliseconds: Double

    /// The story as a picture, if it was recorded for one.
    var picture: StoryPicture? {
        let name = URL(filePath: path).deletingPathExtension().lastPathComponent
        return outcome.record.map { StoryPicture(title: path == "-" ? "A story" : name, $0) }
    }

    /// `isReal`: whether real programs play the story too.
    init(
        path: String,
        seed: UInt64,
        keepsTrace: Bool,
        keepsRecord: Bool = false,
        isReal: Bool = false
    ) throws {
        self.path = path
        let text = try Self.text(at: path)
        let start = ContinuousClock.now
        var file: StoryFile?
        do throws(StorySyntaxError) {
            let parsed = try StoryFile(parsing: text)
            file = parsed
            do {
                outcome = try parsed.run(
                    seed: seed,
                    keepsTrace: keepsTrace && !isReal,
                    keepsRecord: keepsRecord,
                    keepsEnd: isReal,
                    bug: nil
                )
            } catch {
                throw StorySyntaxError(line: 1, column: 1, message: "\(error)")
            }
        } catch {
            outcome = StoryOutcome(mistake: error)
        }
        real =
            if let file, isReal, outcome.mistake == nil {
                RealVerdict(
                    try Self.play(file, seed: seed, keepsTrace: keepsTrace),
                    simulated: outcome
                )
            } else {
                nil
            }
        milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
    }

    private static func play(
        _ file: StoryFile,
        seed: UInt64,
        keepsTrace: Bool
    ) throws -> RealOutcome {
        do {
            return try RealStory.play(file, seed: seed, keepsTrace: keepsTrace)
        } catch let error as PlayError {
            throw ValidationError("\(error)")
        }
    }

    /// Whether the story could not be played as it was asked for.
    var isSkipped: Bool { real?.isSkipped ?? false }

    /// Whether all is as the story says, and on real programs as simulated.
    var isKept: Bool { real?.isKept ?? outcome.isKept }

    private static func text(at path: String) throws -> String {
        do {
            let data =
                path == "-"
                ? FileHandle.standardInput.readDataToEndOfFile()
                : try Data(contentsOf: URL(filePath: path))
            guard let text = String(validating: data, as: UTF8.self) else {
                throw ValidationError("\(path) is no UTF-8 text.")
            }
            return text
        } catch let error as ValidationError {
            throw error
        } catch {
            throw ValidationError("\(path) cannot be read.")
        }
    }

    /// Each failed expectation, the mistake, and the end.
    var lines: [String] {
        if let real { return realLines(real) }
        var lines = outcome.trace + outcome.shown
        for failure in outcome.failures {
            lines += [
                "\(path):\(failure.line): \(failure.text)", "  expected: \(failure.expected)",
                "  shown:    \(failure.shown)",
            ]
        }
        if let mistake = outcome.mistake { return lines + ["\(path):\(mistake)"] }
        let count = outcome.expectationCount
        let result =
            outcome.isKept
            ? "kept, \(count) expectation\(count == 1 ? "" : "s")"
            : "\(outcome.failures.count) of \(count) expectations failed"
        return lines + ["\(path): \(result), trace \(outcome.traceHash)"]
    }

    // MARK: JSON

    private struct Answer: Encodable {
        struct Failure: Encodable {
            let line: Int
            let text: String
            let expected: String
            let shown: String
        }

        struct Mistake: Encodable {
            let line: Int
            let column: Int
            let message: String
        }

        let story: String
        let kept: Bool
        let expectations: Int
        let failures: [Failure]
        let mistake: Mistake?
        let shown: [String]
        let trace: [String]
        let traceHash: String
    }

    var json: String {
        get throws {
            if let real { return try realJSON(real) }
            let answer = Answer(
                story: path,
                kept: outcome.isKept,
                expectations: outcome.expectationCount,
                failures: outcome.failures.map {
                    .init(line: $0.line, text: $0.text, expected: $0.expected, shown: $0.shown)
                },
                mistake: outcome.mistake.map {
                    .init(line: $0.line, column: $0.column, message: $0.message)
                },
                shown: outcome.shown,
                trace: outcome.trace,
                traceHash: outcome.traceHash
            )
            return try Self.text(answer)
        }
    }

    static func text(_ answer: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(answer), as: UTF8.self)
    }

    // MARK: JUnit

    /// One test case for each story.
    static func junit(_ reports: [StoryReport]) -> String {
        let wrong = reports.count { $0.outcome.mistake != nil }
        let skipped = reports.count(where: \.isSkipped)
        let failed = reports.count { !$0.isKept } - wrong - skipped
        let cases = reports.map(\.testCase).joined()
        let skips = skipped > 0 ? " skipped=\"\(skipped)\"" : ""
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuite name="stories" tests="\(reports.count)" failures="\(failed)" \
            errors="\(wrong)"\(skips)>
            \(cases)</testsuite>

            """
    }

    private var testCase: String {
        let seconds = String(format: "%.3f", milliseconds / 1000)
        let head =
            "<testcase classname=\"stories\" name=\"\(Self.escaped(path))\" time=\"\(seconds)\""
        var inner = ""
        if let mistake = outcome.mistake {
            inner = "<error message=\"\(Self.escaped("\(path):\(mistake)"))\"/>"
        } else if let real {
            inner = realTestCase(real)
        } else if !outcome.failures.isEmpty {
            let text = lines.dropFirst(outcome.trace.count + outcome.shown.count)
                .joined(separator: "\n")
            let first = outcome.failures[0]
            let message = "\(first.line): \(first.text)"
            inner =
                "<failure message=\"\(Self.escaped(message))\">\(Self.escaped(text))</failure>"
        }
        return inner.isEmpty ? "\(head)/>\n" : "\(head)>\(inner)</testcase>\n"
    }

    static func escaped(_ text: String) -> String {
        String(
            text.map { character in
                switch character {
                case "&": "&amp;"
                case "<": "&lt;"
                case ">": "&gt;"
                case "\"": "&quot;"
                case "\n": "&#10;"
                // XML 1.0 has no other control characters.
                case _ where character.unicodeScalars.allSatisfy({ $0.value < 32 }): "?"
                default: "\(character)"
                }
            }.joined()
        )
    }
}
