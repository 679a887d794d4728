import KSAgent
import Foundation
import Glibc
import Testing

/// A command starts the daemon when none runs.
@Suite(.timeLimit(.minutes(10)))
struct DaemonStarterTests {
    let directory = TemporaryDirectory()

    /// Another process writes it: a program that a test starts meanwhile has this process's files
    /// open for writing too, and a script cannot run until they are closed.
    private func script(_ text: String) throws -> String {
        let path = directory.path + "/daemon"
        makeFile(path + ".text", "#!/bin/sh\n" + text + "\n", mode: 0o700)
        let arguments = ["--remove-destination", path + ".text", path]
        let copy = try Process.run(URL(filePath: "/bin/cp"), arguments: arguments)
        copy.waitUntilExit()
        try #require(copy.terminationStatus == 0)
        return path
    }

    @Test
    func `a daemon that cannot start is reported with its exit code, and has a log`() async throws {
        let home = try directory.home()
        let program = try script("echo \"$@\"; echo trouble >&2; exit 3")
        await #expect(throws: AgentError.daemonFailed(exitCode: 3)) {
            try await blocking { _ = try AgentClient(home: home, program: program) }
        }
        #expect(contents(of: home.logPath) == "daemon --home \(home.path)\ntrouble\n")
        #expect(mode(of: home.logPath) == 0o600)
    }

    @Test
    func `the daemon's own last error line is passed on, other output is not`()
        async throws
    {
        let home = try directory.home()
        let talker = try script("echo begun >&2; echo 'sync-client: It is full.' >&2; exit 74")
        let error = AgentError.daemonFailed(exitCode: 74, reason: "It is full.")
        await #expect(throws: error) {
            try await blocking { _ = try AgentClient(home: home, program: talker) }
        }
        #expect(error.sentence == "It is full.")
        let silent = try script("exit 74")
        await #expect(throws: AgentError.daemonFailed(exitCode: 74)) {
            try await blocking { _ = try AgentClient(home: home, program: silent) }
        }
    }

    @Test
    func `errno values have words, and exit codes a status`() {
        #expect(AgentError.system(errno: EACCES).sentence.contains("Permission denied"))
        #expect(AgentError.daemonFailed(exitCode: 73).status == -25292)
        #expect(AgentError.daemonFailed(exitCode: 74).status == -25291)
    }

    @Test
    func `a crashing daemon writes none of its memory to its log`() async throws {
        let home = try directory.home()
        let program = try script("echo \"$SWIFT_BACKTRACE $PATH\"; exit 3")
        await #expect(throws: AgentError.daemonFailed(exitCode: 3)) {
            try await blocking { _ = try AgentClient(home: home, program: program) }
        }
        let path = unsafe String(cString: getenv("PATH"))
        #expect(contents(of: home.logPath) == "enable=no \(path)\n")
    }

    @Test
    func `a daemon that never listens is an error`() async throws {
        let home = try directory.home()
        let program = try script("exec sleep 10")
        await #expect(throws: AgentError.daemonSilent) {
            try await blocking {
                _ = try AgentClient(home: home, program: program, waitMilliseconds: 50)
            }
        }
    }

    @Test
    func `an ended daemon is not a zombie of the program that started it`() async throws {
        let home = try directory.home()
        let pipe = try NamedPipe(path: directory.path + "/number")
        let program = try script("echo $$ >\(pipe.path)")
        await #expect(throws: AgentError.daemonSilent) {
            try await blocking {
                _ = try AgentClient(home: home, program: program, waitMilliseconds: 50)
            }
        }
        // Until its number is read, it does not end.
        let number = try await pipe.read().split(separator: "\n").first
        let daemon = try #require(number.flatMap { pid_t($0) })
        // A zombie answers to its number, and one that was taken does not.
        while kill(daemon, 0) == 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(errno == ESRCH)
    }

    @Test
    func `the daemon runs detached, without its starter's open files`() async throws {
        let home = try directory.home()
        let inherited = unsafe open("/dev/null", O_RDONLY)
        defer { close(inherited) }
        // The leader of a session has the session's id (field 6 of stat) as its own.
        let program = try script(
            "cut -d' ' -f1,6 /proc/$$/stat; ls -m /proc/$$/fd; pwd; exit 4"
        )
        await #expect(throws: AgentError.daemonFailed(exitCode: 4)) {
            try await blocking { _ = try AgentClient(home: home, program: program) }
        }
        let lines = contents(of: home.logPath).split(separator: "\n")
        let numbers = lines[0].split(separator: " ")
        #expect(numbers[0] == numbers[1])
        // The shell itself has its script open as 10 or above.
        let open = lines[1].split(separator: ", ").compactMap { Int($0) }
        #expect(open.filter { $0 < 10 } == [0, 1, 2])
        #expect(lines[2] == "/")
    }

    @Test
    func `a daemon that finds the home taken waits for the other one`() async throws {
        let home = try directory.home()
        let lock = try AgentLock(home: home)
        let pipe = try NamedPipe(path: directory.path + "/begun")
        let program = try script("echo >\(pipe.path); exit 75")
        let call = Task {
            try await blocking {
                try AgentClient(home: home, program: program, waitMilliseconds: 300_000).call("any")
            }
        }
        // The program above finds the home taken before anybody listens.
        _ = try await pipe.read()
        let listener = try AgentListener(lock: lock) { _, _, _ in .result(1) }
        try listener.start()
        defer { listener.stop() }
        #expect(try await call.value == 1)
    }

    @Test
    func `a missing program is an error`() async throws {
        let home = try directory.home()
        await #expect(throws: AgentError.system(errno: ENOENT)) {
            try await blocking { _ = try AgentClient(home: home, program: "/nonexistent/daemon") }
        }
    }
}
