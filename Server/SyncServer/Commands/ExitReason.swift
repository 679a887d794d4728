internal import ArgumentParser
internal import Foundation
internal import KSFiles
internal import KSMerging

/// Why a command ends: one sentence for a person, one number for a program.
package struct ExitReason: Error, Equatable {
    package enum Code: Int32 {
        case failure = 1
        case usage = 64
        /// The server cannot listen on the address.
        case unavailable = 69
        case disk = 74
        case refused = 77
    }

    package let code: Code
    package let sentence: String

    init(_ code: Code, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }
}

/// A command on a data directory; if it fails, the program ends with the error's sentence.
protocol ServerCommand: AsyncParsableCommand {
    var data: DataOptions { get }

    func perform() async throws
}

extension ServerCommand {
    /// Performs the command; an error of the store is one of the store in the data directory.
    func run() async throws {
        let directory = data.directory
        let reason: ExitReason
        do {
            return try await perform()
        } catch let known as ExitReason {
            reason = known
        } catch let error as FileError {
            reason = directory.cannotBeWritten(error)
        } catch let error as StoreError {
            reason = error == .notAStore ? directory.isNoStore : ExitReason(error)
        }
        FileHandle.standardError.write(Data("sync-server: \(reason.sentence)\n".utf8))
        throw ExitCode(reason.code.rawValue)
    }
}
