import Foundation
import KSTestPrograms
import Testing

/// Drives the built programs as a user would.
///
/// Each test has a folder, a server and processes of its own, so that several can run side by side.
@Suite(.timeLimit(.minutes(15)))
struct EndToEndTests {}

/// Checks a failure's message: one sentence without internals.
func expectOneSentence(
    _ result: ProgramResult,
    saying parts: String...,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    var text = result.errors.trimmingCharacters(in: .newlines)
    // On a busy machine a server that answers late is reported first.
    if text.contains("\n") {
        text = text.split(separator: "\n").filter { !$0.contains("Waiting for the server") }
            .joined(separator: "\n")
    }
    #expect(!text.contains("\n"), "more than one line: \(text)", sourceLocation: sourceLocation)
    #expect(text.hasSuffix("."), "no sentence: \(text)", sourceLocation: sourceLocation)
    for part in parts {
        #expect(text.contains(part), "it says: \(text)", sourceLocation: sourceLocation)
    }
    for inside in ["Error(", "Swift.", ".swift", World.password, "fatal"] {
        #expect(!text.contains(inside), "it says: \(text)", sourceLocation: sourceLocation)
    }
}
