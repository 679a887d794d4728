internal import Glibc

/// Where the tool's words go.
enum OutputStream: Int32 {
    case output = 1
    case error = 2
}

/// No password could be asked for.
struct NoTerminal: Error {}

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

    static func write(_ bytes: [UInt8], to stream: OutputStream) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { all in
                unsafe Glibc.write(
                    stream.rawValue,
                    all.baseAddress?.advanced(by: sent),
                    all.count - sent
                )
            }
            if count < 0 && errno == EINTR { continue }
            // Nobody reads any more: there is no one to tell.
            guard count > 0 else { return }
            sent += count
        }
    }
}
