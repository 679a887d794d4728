package import KSFiles
internal import Glibc
internal import KSPrompting
internal import KSScreens

/// The process's arguments, streams, terminal and files.
package final class Terminal: Surroundings {
    private var lines = LineBuffer()
    private var isAtEnd = false
    /// The first error.
    package private(set) var outputError: FileError?

    /// The arguments after the program's name, as bytes: a password need not be UTF-8.
    package static var arguments: [[UInt8]] {
        let count = Int(CommandLine.argc)
        return (1..<max(1, count)).compactMap { index in
            guard let text = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
        }
    }

    package var isInteractive: Bool { isatty(STDIN_FILENO) == 1 }
    package var isShown: Bool { isatty(STDOUT_FILENO) == 1 }
    package var isErrorShown: Bool { isatty(STDERR_FILENO) == 1 }

    package var hasColors: Bool {
        let names = ["TERM", "NO_COLOR"]
        let values = names.map { name in
            unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
        }
        let variables = Dictionary(uniqueKeysWithValues: zip(names, values))
        return isShown && TerminalFeatures(environment: variables).hasColors
    }

    package var width: Int {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return 80
        }
        return Int(size.ws_col)
    }

    package init() {}

    // MARK: Streams

    package func write(_ bytes: [UInt8], to stream: OutputStream) {
        do throws(FileError) {
            try OpenFile.write(bytes, to: stream.rawValue)
        } catch {
            // Nothing can report that standard output or standard error is closed.
            guard stream == .output, error.number != EPIPE else { return }
            outputError = outputError ?? error
        }
    }

    package func readLine() throws(Failure) -> [UInt8]? {
        while true {
            if let line = try lines.next(isAtEnd: isAtEnd) {
                guard !isInteractive || !TypedLine.mayBeCut(line) else { throw .lineMayBeCut }
                return line
            }
            if isAtEnd { return nil }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count > 0 { lines.append(buffer[..<count]) } else { isAtEnd = true }
        }
    }

    package func askPassword(_ prompt: String) throws(Failure) -> [UInt8] {
        do throws(PromptError) {
            return try PasswordPrompt.ask(prompt)
        } catch {
            if error == .tooLong { throw .lineTooLong }
            if error == .severalLines { throw .severalLines }
            guard error == .noTerminal else { throw Failure("nothing was typed") }
            // As on macOS, scripts may pipe the password in; nobody would read a prompt.
            guard let line = try readLine() else { throw .noTerminal }
            return line
        }
    }

    package func askText(_ prompt: String, isHidden: Bool) throws(Failure) -> [UInt8] {
        if isHidden, isInteractive {
            do throws(PromptError) {
                return try PasswordPrompt.askText(prompt)
            } catch {
                if error == .tooLong { throw .lineTooLong }
                throw Failure("nothing was typed")
            }
        }
        write(Array(prompt.utf8), to: .error)
        var text: [UInt8] = []
        while let line = try readLine() { text += line + Array("\n".utf8) }
        // A terminal can be read on after the end of input was typed.
        isAtEnd = !isInteractive
        return text
    }

    package func dropTypedAhead() {
        if isInteractive { tcflush(STDIN_FILENO, TCIFLUSH) }
    }

    package func askLine(_ prompt: String) throws(Failure) -> String {
        write(Array(prompt.utf8), to: .error)
        guard let line = try readLine() else { throw Failure("nothing was typed") }
        return String(decoding: line, as: UTF8.self)
    }

    package func readAll() throws(Failure) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return all }
            all += buffer[..<count]
            guard all.count <= 16 << 20 else {
                throw Failure("standard input has more than 16 MiB")
            }
        }
    }

    // MARK: Files

    /// Writes a file; only the user may read a new one, since it may contain keys.
    ///
    /// The new file replaces the old one when it is complete, so a full disk leaves the old one
    /// intact. A device, a pipe, or a file with a second name or another owner is written in place.
    package func write(_ bytes: [UInt8], toFile path: String) throws(FileError) {
        // Replaces the file that a link leads to, not the link.
        let place = resolve(path) ?? path
        var status = stat()
        let isThere = unsafe lstat(place, &status) == 0
        if isThere {
            guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
                status.st_uid == geteuid(), unsafe access(place, W_OK) == 0
            else { return try overwrite(place, bytes) }
        }
        do throws(FileError) {
            var file = try ReplacementFile(for: place, replaces: true)
            try file.write(bytes)
            try file.finish(permissions: isThere ? status.st_mode & 0o777 : 0o600)
        } catch .system(errno: EACCES) where isThere {
            // The folder takes no new files, but the file itself may be writable.
            try overwrite(place, bytes)
        }
    }

    private func overwrite(_ path: String, _ bytes: [UInt8]) throws(FileError) {
        try OpenFile.overwriting(path).write(bytes)
    }

    /// Reads a whole file, up to the size of a message to the daemon.
    package func read(_ path: String) throws(FileError) -> [UInt8] {
        try OpenFile(reading: path).contents(bytesMax: 16 << 20)
    }

    package func resolve(_ path: String) -> String? {
        // The call that uses the path reports why the file is missing.
        try? Paths.resolved(path)
    }

    package var workingDirectory: String? {
        guard let path = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}
