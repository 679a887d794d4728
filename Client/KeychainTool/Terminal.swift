internal import KSFiles
internal import Glibc
internal import Synchronization

/// Where the tool's words go.
enum OutputStream: Int32 {
    case output = 1
    case error = 2
}

/// No password could be asked for, or none was typed.
struct NoTerminal: Error {
    enum Reason {
        case nobodyToAsk
        /// It was asked for, and the user ended the input.
        case brokenOff
        /// It came from a pipe, and went on and on.
        case tooLong
    }

    var reason = Reason.nobodyToAsk

    var sentence: String {
        switch reason {
        case .nobodyToAsk: "security: there is no terminal to ask for the password on\n"
        case .brokenOff: "security: nothing was typed\n"
        case .tooLong: LineTooLong().sentence
        }
    }
}

/// The process's arguments, streams and terminal.
enum Terminal {
    /// The arguments after the program's name, as bytes: a password need not be UTF-8.
    static var arguments: [[UInt8]] {
        let count = Int(CommandLine.argc)
        return (1..<max(1, count)).compactMap { index in
            guard let text = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
        }
    }

    /// Why something could not be written to standard output, the first time that it could not.
    static var outputError: FileError? { firstOutputError.withLock { $0 } }
    private static let firstOutputError = Mutex<FileError?>(nil)

    static func write(_ bytes: [UInt8], to stream: OutputStream) {
        do throws(FileError) {
            try OpenFile.write(bytes, to: stream.rawValue)
        } catch {
            note(error, of: stream)
        }
    }

    private static func note(_ error: FileError, of stream: OutputStream) {
        // Where nobody reads any more, or standard error is lost, there is no one to tell.
        guard stream == .output, error.number != EPIPE else { return }
        firstOutputError.withLock { $0 = $0 ?? error }
    }
}
