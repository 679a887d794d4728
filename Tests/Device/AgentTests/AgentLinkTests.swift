import KSAgent
import Glibc
import Synchronization
import KSTestSupport
import Testing

/// One connection per link, through restarts of the daemon.
@Suite(.timeLimit(.minutes(10)))
struct AgentLinkTests {
    let directory = TemporaryDirectory()

    /// Counts calls; the first `vanish` restarts it without an answer.
    private final class Daemon: Sendable {
        let calls = Mutex<[String]>([])
        private let lock: AgentLock
        private let listener = Mutex<AgentListener?>(nil)

        init(_ home: AgentHome) throws {
            let lock = try AgentLock(home: home)
            self.lock = lock
            try start()
        }

        func start() throws {
            let made = try AgentListener(lock: lock) { [weak self] request, _, _ in
                guard let self else { return .result(0) }
                let calls = calls.withLock { calls in
                    calls.append(request.call)
                    return calls.count
                }
                if request.call == "vanish", calls == 1 {
                    // A failure shows in the call that follows.
                    try? restart()
                }
                return .result(1)
            }
            try made.start()
            listener.withLock { $0 = made }
        }

        func stop() {
            listener.withLock { $0.take() }?.stop()
        }

        func restart() throws {
            stop()
            try start()
        }
    }

    @Test
    func `a call after a restart finds the new daemon`() async throws {
        let home = try directory.home()
        let daemon = try Daemon(home)
        try await blocking {
            let link = AgentLink(home: home.path)
            let before = try link.call("one", [:], mayRepeat: false)
            try daemon.restart()
            let after = try link.call("two", [:], mayRepeat: false)
            #expect(before == 1 && after == 1)
            #expect(daemon.calls.withLock(\.self) == ["one", "two"])
        }
        daemon.stop()
    }

    @Test
    func `a look-up is repeated when the daemon ends during it`() async throws {
        let home = try directory.home()
        let daemon = try Daemon(home)
        try await blocking {
            let link = AgentLink(home: home.path)
            let answer = try link.call("vanish", [:], mayRepeat: true)
            #expect(answer == 1)
        }
        #expect(daemon.calls.withLock(\.self) == ["vanish", "vanish"])
        daemon.stop()
    }

    @Test
    func `a change that may have been made is not repeated`() async throws {
        let home = try directory.home()
        let daemon = try Daemon(home)
        try await blocking {
            let link = AgentLink(home: home.path)
            #expect(throws: AgentError.connectionLost) {
                try link.call("vanish", [:], mayRepeat: false)
            }
            // The next call works as before.
            let answer = try link.call("next", [:], mayRepeat: false)
            #expect(answer == 1)
        }
        #expect(daemon.calls.withLock(\.self) == ["vanish", "next"])
        daemon.stop()
    }

    /// The kernel accepts connections for an ended process a little longer; nobody answers them.
    @Test
    func `an ended process counts as ending, before and after its parent waits for it`()
        throws
    {
        // The program's name looks like further fields of /proc/PID/stat.
        let program = directory.path + "/a) R 1 1"
        // A link, because a new file may be busy: a process of another test may have it open too.
        try #require(unsafe symlink("/bin/true", program) == 0)
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [strdup(program), nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var child: pid_t = 0
        try #require(unsafe posix_spawn(&child, program, nil, nil, &arguments, nil) == 0)
        func isEnding(_ process: pid_t) -> Bool {
            AgentPeer(processID: process, userID: 0, executable: nil).isEnding
        }
        var information = unsafe siginfo_t()
        let options = WEXITED | WNOWAIT
        #expect(unsafe waitid(P_PID, id_t(child), &information, options) == 0)
        #expect(isEnding(child))
        #expect(!isEnding(getpid()))
        #expect(waitpid(child, nil, 0) == child)
        #expect(isEnding(child))
        #expect(!isEnding(0))
    }

    @Test
    func `threads share a connection`() async throws {
        let home = try directory.home()
        let daemon = try Daemon(home)
        let link = AgentLink(home: home.path)
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    try await blocking {
                        for _ in 0..<20 { _ = try link.call("call", [:], mayRepeat: false) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(daemon.calls.withLock(\.count) == 160)
        daemon.stop()
    }
}
