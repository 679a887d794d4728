import Foundation
import KSTestPrograms
import Testing

/// What a command with `--json` prints on standard error: one line with an object.
struct PrintedFailure: Decodable {
    struct Next: Decodable {
        let code: String
        let command: String?
    }

    let code: Int32
    let message: String
    let next: Next

    /// Expects the failure of a command that ended with this status.
    init(of result: ProgramResult, _ words: [String], status: Int32) throws {
        #expect(result.status == status, "\(words): \(result)")
        let lines = result.errors.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 2 && lines.last == "", "\(words): \(result)")
        self = try JSONDecoder().decode(Self.self, from: Data(result.errors.utf8))
        #expect(code == status, "\(words): \(result)")
    }
}
