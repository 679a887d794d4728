internal import ArgumentParser
internal import Foundation
internal import KSStore

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
}

extension DataOptions {
    /// Runs `body`; if it fails, ends the program with the error's sentence.
    ///
    /// An error of the store is one of the store in the data directory.
    func orExit(_ body: () async throws -> Void) async throws {
        let reason: ExitReason
        do {
            return try await body()
        } catch let known as ExitReason {
            reason = known
        } catch let error as DataDirectoryError {
            reason = ExitReason(error, directory)
        } catch let error as StoreError {
            reason = error == .notAStore ? directory.isNoStore : ExitReason(error)
        }
        FileHandle.standardError.write(Data("sync-server: \(reason.sentence)\n".utf8))
        throw ExitCode(reason.code.rawValue)
    }
}
