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

/// A command of the server; if it fails, the program ends with the error's sentence.
protocol ServerCommand: AsyncParsableCommand {
    /// The directory that the command works on, if it is one.
    var directory: DataDirectory? { get }
    /// Whether the superuser may run it on the directory of another user.
    var isForSuperuser: Bool { get }

    func perform() async throws
}

/// A command on a data directory.
protocol DirectoryCommand: ServerCommand {
    var data: DataOptions { get }
}

extension DirectoryCommand {
    var directory: DataDirectory? { data.directory }
}

extension ServerCommand {
    var isForSuperuser: Bool { false }

    /// Performs the command; an error of the store is one of the store in the data directory.
    func run() async throws {
        let directory = directory
        let reason: ExitReason
        do {
            try directory?.checkOwner(isForSuperuser: isForSuperuser)
            return try await perform()
        } catch let known as ExitReason {
            reason = known
        } catch let error as FileError {
            reason =
                directory?.cannotBeWritten(error)
                ?? ExitReason(.disk, "A file cannot be read or written.")
        } catch let error as StoreError {
            let isNoStore = error == .notAStore ? directory?.isNoStore : nil
            reason = isNoStore ?? ExitReason(error)
        }
        FileHandle.standardError.write(Data("sync-server: \(reason.sentence)\n".utf8))
        throw ExitCode(reason.code.rawValue)
    }
}
