internal import Glibc
internal import KSRunning

/// Lets a user edit a text with secrets.
///
/// The text is in a file that only the user can access, in a folder of its own in memory. Both are
/// gone when ``edit(_:fileName:onDisk:)`` returns, also after SIGINT, SIGTERM and SIGHUP, and when
/// the process is killed. Vim's swap, undo and backup files are in the same
/// folder, and it keeps no history; other editors that keep copies elsewhere are up to the user.
package struct Editor {
    /// As of an item with all its notes and keys.
    package static let textBytesMax = 4 << 20
    /// How long an editor may take to end after a signal.
    private static let endMillisecondsMax: Int32 = 1_000

    private let environment: [[UInt8]]
    private let sharedMemory: String
    /// Shell words, as git takes them: a program with arguments.
    package let command: String
    /// Whether the user has set the command.
    package let isNamed: Bool

    /// - Parameters:
    ///   - environment: as `NAME=value`; `VISUAL`, `EDITOR` and `XDG_RUNTIME_DIR` of it count.
    ///   - sharedMemory: the folder that every Linux has in memory.
    package init(
        environment: [[UInt8]] = Program.ownEnvironment,
        sharedMemory: String = "/dev/shm"
    ) {
        self.environment = environment
        self.sharedMemory = sharedMemory
        let named = ["VISUAL", "EDITOR"].compactMap { Self.value($0, in: environment) }
        let own = named.first { !$0.allSatisfy(\.isWhitespace) }
        command = own ?? "vi"
        isNamed = own != nil
    }

    private static func value(_ name: String, in environment: [[UInt8]]) -> String? {
        let start = Array((name + "=").utf8)
        return environment.first { $0.starts(with: start) }
            .map { String(decoding: $0.dropFirst(start.count), as: UTF8.self) }
    }

    /// Waits until the user has edited the text.
    ///
    /// - Parameters:
    ///   - text: what the file contains at first.
    ///   - fileName: a name without slashes.
    ///   - folder: an existing folder on a disk, used if no folder in memory is found.
    /// - Returns: the new text, or nil if it is unchanged.
    /// - Throws: ``EditorError`` if the editor fails or leaves no text.
    package func edit(
        _ text: [UInt8],
        fileName: String = "item.txt",
        onDisk folder: String? = nil
    ) throws(EditorError) -> [UInt8]? {
        let parents =
            PrivateFolder.parents(
                runtime: Self.value("XDG_RUNTIME_DIR", in: environment),
                shared: sharedMemory
            ) + [folder].compactMap(\.self)
        guard let parent = parents.first else { throw .noFolderInMemory }
        parents.forEach(PrivateFolder.removeLeftovers)
        let numbers = [SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP]
        guard let arrivals = SignalArrivals(numbers) else { throw .file(errno: errno) }
        defer { arrivals.end() }
        let result: Result<[UInt8]?, EditorError>
        var ending: Int32?
        do throws(EditorError) {
            let folder = try PrivateFolder(in: parent)
            let path = folder.path + "/" + fileName
            try Self.write(text, to: path)
            ending = try run(path, in: folder.path, arrivals)
            result = .success(ending == nil ? try Self.read(path) : nil)
            // The folder is removed here.
            _ = consume folder
        } catch {
            result = .failure(error)
        }
        if let ending {
            arrivals.deliver(ending)
            throw .interrupted
        }
        let edited = try result.get()
        return edited == text ? nil : edited
    }

    /// Runs the editor to its end.
    ///
    /// - Returns: the signal that is to end this process, or nil.
    private func run(
        _ path: String,
        in folder: String,
        _ arrivals: SignalArrivals
    ) throws(EditorError) -> Int32? {
        var terminal = termios()
        let isTerminal = unsafe tcgetattr(STDIN_FILENO, &terminal) == 0
        let program: Program
        let started: StartedProgram
        do throws(RunError) {
            program = try self.program(path, in: folder)
            started = try StartedProgram(program, output: STDOUT_FILENO, errors: STDERR_FILENO)
        } catch {
            throw .notStarted(editor: command)
        }
        var ending: Int32?
        while true {
            var change: StartedProgram.Change?
            do throws(RunError) {
                change = try started.nextChange(of: program)
            } catch {
                throw .notStarted(editor: command)
            }
            if case .ended(let end) = change {
                let code = end.exitCode
                guard code != 0 || ending != nil else { return nil }
                // A killed editor leaves the terminal as it used it.
                if isTerminal { unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal) }
                guard ending == nil else { return ending }
                throw code == 126 || code == 127
                    ? .notStarted(editor: command) : .failed(editor: command, exitCode: code)
            }
            var event = pollfd(fd: arrivals.descriptor, events: Int16(POLLIN), revents: 0)
            let timeout = ending == nil ? -1 : Self.endMillisecondsMax
            if unsafe poll(&event, 1, timeout) == 0 { started.send(SIGKILL) }
            for arrival in arrivals.take() where arrival.number != SIGCHLD {
                // Keys of the terminal are the editor's, which got the signal too.
                let isKey = [SIGINT, SIGQUIT].contains(arrival.number) && arrival.isFromTerminal
                guard !isKey else { continue }
                ending = arrival.number
                started.send(arrival.number)
            }
        }
    }

    private func program(_ path: String, in folder: String) throws(RunError) -> Program {
        // Files that the editor itself makes for a moment.
        let temporary = Array("TMPDIR=".utf8)
        let others = environment.filter { !$0.starts(with: temporary) }
        let words = ["/bin/sh", "-c", shellCommand, command] + vimOptions(folder) + [path]
        return try Program(
            arguments: words.map { Array($0.utf8) },
            environment: others + [temporary + Array(folder.utf8)]
        )
    }

    /// What the shell carries out.
    ///
    /// It becomes the editor, which then gets the signals, unless the command is more than a
    /// program with arguments.
    private var shellCommand: String {
        let isProgram =
            !command.contains { ";&|<>()`\n".contains($0) }
            && command.split(separator: " ").first?.contains("=") == false
        return (isProgram ? "exec " : "") + command + " \"$@\""
    }

    /// Options that keep Vim's and Neovim's other files in the folder, after the user's settings.
    private func vimOptions(_ folder: String) -> [String] {
        let name = command.split(separator: " ").first.map(String.init) ?? ""
        // An editor that is not found has no files.
        let found = try? Program(arguments: [Array(name.utf8)], environment: environment)
        let file = found?.realPath.split(separator: "/").last ?? ""
        guard ["vim", "nvim", "gvim"].contains(where: file.hasPrefix) else { return [] }
        let path = folder.map {
            $0.isLetter || $0.isNumber || "/._-".contains($0) ? "\($0)" : "\\\($0)"
        }
        .joined()
        let settings = ["directory", "backupdir", "undodir"].map { "\($0)=\(path)" }
        return [
            "--cmd",
            "autocmd BufReadPre,BufNewFile,VimEnter * silent! set "
                + settings.joined(separator: " ") + " | silent! set viminfo=",
        ]
    }

    private static func write(_ text: [UInt8], to path: String) throws(EditorError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = unsafe open(path, flags, 0o600)
        guard file >= 0 else { throw .file(errno: errno) }
        defer { close(file) }
        var rest = text[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(file, bytes.baseAddress, bytes.count)
            }
            guard count > 0 || count < 0 && errno == EINTR else { throw .file(errno: errno) }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    /// Many editors write a new file and rename it, so the path counts.
    private static func read(_ path: String) throws(EditorError) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw errno == ENOENT ? .fileIsGone : .file(errno: errno) }
        defer { close(file) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe Glibc.read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .file(errno: errno) }
            guard count > 0 else { return text }
            text += part[..<count]
            guard text.count <= textBytesMax else { throw .tooLong(bytesMax: textBytesMax) }
        }
    }
}
