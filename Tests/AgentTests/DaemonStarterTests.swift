import KSAgent
import Foundation
import Glibc
import Testing

/// A command starts the daemon when none runs.
@Suite(.timeLimit(.minutes(10)))
struct DaemonStarterTests {
    let directory = TemporaryDirectory()

    /// Written by another process: one that a test starts while a file is written here has it open
    /// for writing too, and then it cannot be run.
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
    func `a daemon that cannot start is told with its exit code and its log`() async throws {
        let home = try directory.home()
        let program = try script("echo \"$@\"; echo trouble >&2; exit 3")
        await #expect(throws: AgentError.daemonFailed(exitCode: 3)) {
            try await blocking { _ = try AgentClient(home: home, program: program) }
        }
        #expect(contents(of: home.logPath) == "daemon --home \(home.path)\ntrouble\n")
        #expect(mode(of: home.logPath) == 0o600)
    }

    @Test
    func `the last word of a daemon that cannot start is passed on, and none of another`()
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
    func `the system's numbers are told in words`() {
        #expect(AgentError.system(errno: EACCES).sentence.contains("Permission denied"))
        #expect(AgentError.daemonFailed(exitCode: 73).status == -25292)
        #expect(AgentError.daemonFailed(exitCode: 74).status == -25291)
    }

    @Test
    func `a daemon that crashes writes nothing of its memory into its log`() async throws {
        let home = try directory.home()
        let program = try script("echo \"$SWIFT_BACKTRACE $PATH\"; exit 3")
        await #expect(throws: AgentError.daemonFailed(exitCode: 3)) {
            try await blocking { _ = try AgentClient(home: home, program: program) }
        }
        let path = unsafe String(cString: getenv("PATH"))
        #expect(contents(of: home.logPath) == "enable=no \(path)\n")
    }

    @Test
    func `a daemon that never listens is given up`() async throws {
        let home = try directory.home()
        let program = try script("exec sleep 10")
        await #expect(throws: AgentError.daemonSilent) {
            try await blocking {
                _ = try AgentClient(home: home, program: program, waitMilliseconds: 50)
            }
        }
    }

    @Test
    func `a daemon that ends leaves no zombie to the program that started it`() async throws {
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
    func `the daemon runs detached, with nothing of ours open`() async throws {
        let home = try directory.home()
        let inherited = unsafe open("/dev/null", O_RDONLY)
        defer { close(inherited) }
        // Session (field 6 of stat) and process are one in a session of its own.
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
    func `who finds the home taken waits for the one that has it`() async throws {
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
    func `a program that is not there is an error`() async throws {
        let home = try directory.home()
        await #expect(throws: AgentError.system(errno: ENOENT)) {
            try await blocking { _ = try AgentClient(home: home, program: "/nonexistent/daemon") }
        }
    }
}
