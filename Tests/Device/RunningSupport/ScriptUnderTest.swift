import Foundation
import Glibc
import KSRunning

/// A shell script that runs with pipes or on a terminal of its own.
///
/// `$P` is this project's program for such tests.
package final class ScriptUnderTest {
    /// No test waits longer for what does not come.
    private static let secondsMax = 30

    private let program: Program
    private let started: StartedProgram
    private let outer: Int32
    private let isTerminal: Bool
    private var buffer: [UInt8] = []
    private var exitCode: Int32?

    /// - Parameters:
    ///   - script: for `/bin/sh`; its standard error leads to its output.
    ///   - variables: in place of this process's own.
    ///   - onTerminal: whether its three streams are a terminal.
    /// - Throws: an error if it cannot be started.
    package init(
        _ script: String,
        _ variables: [String] = [],
        onTerminal: Bool = false
    ) throws {
        let folder = try Self.ownFolder
        let added = ["P=\(folder)/KSRunningProgram", "TERM=xterm"] + variables
        let unset = ["EDITOR=", "VISUAL=", "XDG_RUNTIME_DIR="]
        let replaced = unset + added.map { String($0.prefix { $0 != "=" }) + "=" }
        let own = Program.ownEnvironment.filter { entry in
            !replaced.contains { entry.starts(with: $0.utf8) }
        }
        // Who starts the tests may ignore signals, and a shell cannot trap such a signal.
        let shell = ["/usr/bin/env", "--default-signal", "/bin/sh", "-c", script]
        program = try Program(
            arguments: shell.map { Array($0.utf8) },
            environment: added.map { Array($0.utf8) } + own
        )
        isTerminal = onTerminal
        if onTerminal {
            guard let terminal = PseudoTerminal(like: -1, isForOutputOnly: false) else {
                throw ScriptError.noTerminal
            }
            let inner = terminal.inner
            started = try StartedProgram(program, on: inner, input: inner, errors: inner)
            close(inner)
            outer = terminal.outer
        } else {
            guard let pipe = Pipe() else { throw ScriptError.noTerminal }
            started = try StartedProgram(program, output: pipe.writing, errors: pipe.writing)
            close(pipe.writing)
            outer = pipe.reading
        }
        _ = fcntl(outer, F_SETFL, O_NONBLOCK)
    }

    deinit {
        if exitCode == nil {
            started.send(SIGKILL)
            // Swift Testing looks at the first program that has ended: none may be left to it.
            for _ in 0..<Self.secondsMax * 100 {
                // A program that cannot be waited for is not there.
                if case .ended = try? started.nextChange(of: program) { break }
                usleep(10_000)
            }
        }
        started.end()
        close(outer)
    }

    /// The programs are built beside the tests.
    private static var ownFolder: String {
        get throws {
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(filePath: tests).deletingLastPathComponent().path
        }
    }

    /// All output so far, with the line ends of Unix.
    package var output: String {
        String(decoding: buffer.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }

    /// The same with carriage returns.
    package var rawOutput: [UInt8] { buffer }

    /// Sends a signal to the script alone.
    package func send(_ name: String) {
        let numbers = [
            "INT": SIGINT, "TERM": SIGTERM, "HUP": SIGHUP, "QUIT": SIGQUIT, "USR1": SIGUSR1,
            "USR2": SIGUSR2, "TSTP": SIGTSTP, "CONT": SIGCONT,
        ]
        started.send(numbers[name] ?? 0)
    }

    package func type(_ keys: String) {
        _ = unsafe write(outer, keys, keys.utf8.count)
    }

    /// Sets the size of the terminal's window.
    package func resize(columns: UInt16) {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(outer, UInt(TIOCSWINSZ), &size)
    }

    /// Waits until the output contains a text.
    package func wait(for text: String) throws {
        try wait { [self] in output.contains(text) }
    }

    /// Waits for the end of the script, not for programs that it leaves behind.
    ///
    /// - Returns: its exit code, as a shell counts it.
    package func end() throws -> Int32 {
        try wait { [self] in
            // Once it has ended, its leader's end would count as that of a killed one.
            while exitCode == nil, let change = try started.nextChange(of: program) {
                if case .ended(let end) = change { exitCode = end.exitCode }
            }
            return exitCode != nil
        }
        // What it has written by its end may still be on its way.
        while read(milliseconds: isTerminal ? 100 : 0) {}
        return exitCode ?? -1
    }

    private func wait(until isMet: () throws -> Bool) throws {
        for _ in 0..<Self.secondsMax * 100 {
            while read(milliseconds: 10) { if try isMet() { return } }
            if try isMet() { return }
        }
        throw ScriptError.timeOut(output: output)
    }

    private func read(milliseconds: Int32) -> Bool {
        var event = pollfd(fd: outer, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&event, 1, milliseconds) == 1 else { return false }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe Glibc.read(outer, &bytes, bytes.count)
        guard count > 0 else {
            // At the end poll returns at once.
            usleep(UInt32(milliseconds) * 1_000)
            return false
        }
        buffer += bytes[..<count]
        return true
    }
}

private enum ScriptError: Error {
    case noTerminal
    case timeOut(output: String)
}
