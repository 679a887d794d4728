internal import ArgumentParser
internal import Foundation

/// Why a command ends: one sentence for a person, one number for a program.
struct ExitReason: Error, Equatable {
    enum Code: Int32 {
        case failure = 1
        case usage = 64
        /// The server cannot listen on the address.
        case unavailable = 69
        case disk = 74
        case refused = 77
    }

    let code: Code
    let sentence: String

    init(_ code: Code, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }

    /// Runs `body`; if it fails, ends the program with the error's sentence.
    static func orExit(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let reason as ExitReason {
            FileHandle.standardError.write(Data("sync-server: \(reason.sentence)\n".utf8))
            throw ExitCode(reason.code.rawValue)
        }
    }
}
