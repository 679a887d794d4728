import KSAgent
import Glibc
import Testing

/// Where a device lives and where its daemon listens.
@Suite(.timeLimit(.minutes(10)))
struct AgentHomeTests {
    let directory = TemporaryDirectory()

    private func home(_ environment: [String: String], argument: String? = nil) throws -> AgentHome
    {
        try AgentHome(argument: argument, environment: { environment[$0] })
    }

    @Test
    func `the argument precedes the environment variables, which have an order`() throws {
        let base = directory.path
        var environment = [
            "KEYCHAIN_SYNC_HOME": base + "/variable", "XDG_DATA_HOME": base + "/data",
            "HOME": base + "/user",
        ]
        #expect(try home(environment, argument: base + "/argument").path == base + "/argument")
        #expect(try home(environment).path == base + "/variable")
        environment["KEYCHAIN_SYNC_HOME"] = nil
        #expect(try home(environment).path == base + "/data/keychain-sync")
        environment["XDG_DATA_HOME"] = "relative"
        #expect(try home(environment).path == base + "/user/.local/share/keychain-sync")
        environment["HOME"] = nil
        #expect(throws: AgentError.homeUnknown) { try home(environment) }
    }

    @Test
    func `an empty path is refused, and is not the default home`() throws {
        let environment = ["KEYCHAIN_SYNC_HOME": directory.path + "/variable"]
        #expect(throws: AgentError.homeEmpty) { try home(environment, argument: "") }
        #expect(!AgentHome.exists(argument: nil) { environment[$0] })
    }

    @Test
    func `a home that the user names is made only on demand, the default one always`() throws {
        func home(_ environment: [String: String], argument: String? = nil) throws -> AgentHome {
            try AgentHome(argument: argument, makesNamed: false) { environment[$0] }
        }
        let path = directory.path + "/missing"
        let missing = AgentError.homeMissing(path: path)
        for _ in 0..<2 {
            #expect(throws: missing) { try home(["HOME": directory.path], argument: path) }
            #expect(throws: missing) { try home(["KEYCHAIN_SYNC_HOME": path]) }
        }
        #expect(AgentError.homeMissing(path: path).sentence.hasPrefix("There is no device at "))
        _ = try AgentHome(argument: path)
        #expect(try home([:], argument: path).path == path)
        let user = try home(["HOME": directory.path])
        #expect(user.path == directory.path + "/.local/share/keychain-sync")
    }

    @Test
    func `a home that is named and missing is known before it is made`() throws {
        let path = directory.path + "/missing"
        func missing(_ environment: [String: String], _ argument: String? = nil) -> String? {
            AgentHome.missing(argument: argument) { environment[$0] }
        }
        #expect(missing(["KEYCHAIN_SYNC_HOME": path]) == path)
        #expect(missing([:], path) == path)
        #expect(missing(["KEYCHAIN_SYNC_HOME": path], directory.path) == nil)
        // Nobody has named the default one.
        #expect(missing(["HOME": path]) == nil)
        _ = try AgentHome(argument: path)
        #expect(missing(["KEYCHAIN_SYNC_HOME": path]) == nil)
    }

    @Test
    func `a home with a short path contains its socket`() throws {
        let home = try directory.home()
        #expect(home.socketPath == home.path + "/run/agent.sock")
        #expect(home.lockPath == home.path + "/run/agent.lock")
    }

    @Test
    func `a home whose path is too long for a socket uses the runtime directory`() throws {
        let runtime = directory.path + "/runtime"
        unsafe mkdir(runtime, 0o700)
        let prefix = directory.path + "/"
        // "/run/agent.sock" has 15 bytes.
        let fitting = String(repeating: "h", count: 107 - 15 - prefix.utf8.count)
        let short = try directory.home(fitting, runtime: runtime)
        #expect(short.socketPath == short.path + "/run/agent.sock")
        let long = try directory.home(fitting + "h", runtime: runtime)
        #expect(long.socketPath.hasPrefix(runtime + "/keychain-sync/"))
        #expect(long.socketPath.utf8.count <= 107)
        let other = try directory.home(fitting + "hh", runtime: runtime)
        #expect(other.socketPath != long.socketPath)
    }

    @Test
    func `a daemon whose home has a long path is reached`() async throws {
        let runtime = directory.path + "/runtime"
        unsafe mkdir(runtime, 0o700)
        let home = try directory.home(String(repeating: "long/", count: 40), runtime: runtime)
        let listener = try AgentListener(lock: try AgentLock(home: home)) { _, _, _ in .result(1) }
        try listener.start()
        defer { listener.stop() }
        let answer = try await blocking {
            try AgentClient(home: home, startsDaemon: false).call("any")
        }
        #expect(answer == 1)
    }

    @Test
    func `a home that others may write to is refused`() throws {
        let path = directory.path + "/shared"
        unsafe mkdir(path, 0o700)
        unsafe chmod(path, 0o777)
        let error = #expect(throws: AgentError.directoryNotPrivate(path: path)) {
            try directory.home("shared")
        }
        #expect(error?.sentence.contains("run chmod 700 \(path)") == true)
    }

    @Test
    func `a home that others may read is made private`() throws {
        let path = directory.path + "/readable"
        unsafe mkdir(path, 0o700)
        unsafe chmod(path, 0o755)
        #expect(mode(of: try directory.home("readable").path) == 0o700)
    }
}
