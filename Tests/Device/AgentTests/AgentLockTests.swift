import Foundation
import Glibc
import Testing
import KSTestSupport

import KSAgent

/// One home has one daemon, whatever happens to the files beside its socket.
@Suite(.timeLimit(.minutes(10)))
struct AgentLockTests {
    let directory = TemporaryDirectory()

    private static func listener(_ home: AgentHome) throws -> AgentListener {
        let listener = try AgentListener(lock: try AgentLock(home: home)) { request, _, _ in
            .result(.dictionary(request.arguments))
        }
        try listener.start()
        return listener
    }

    /// Removes a file, or a folder to which the daemon may add files meanwhile: then the removal
    /// fails, because the folder is not empty.
    private static func remove(_ path: String) throws {
        for _ in 0..<1000 {
            do {
                return try FileManager.default.removeItem(atPath: path)
            } catch {
                guard mode(of: path) != nil else { throw error }
            }
        }
        Issue.record("it cannot be removed")
    }

    private static func client(_ home: AgentHome) throws -> AgentClient {
        try AgentClient(home: home, startsDaemon: false)
    }

    @Test
    func `a home whose lock file or run folder was deleted stays the daemon's`() async throws {
        let home = try directory.home()
        let listener = try Self.listener(home)
        defer { listener.stop() }
        try await blocking { () throws in
            let before = try Self.client(home)
            for gone in [[home.lockPath], [home.lockPath, home.socketPath], [home.runDirectory]] {
                for path in gone { try Self.remove(path) }
                #expect(throws: AgentError.alreadyRunning) {
                    try AgentLock(home: try AgentHome(argument: home.path))
                }
                #expect(try AgentLock.isHeld(home))
                try before.callUntilListening()
                #expect(try Self.client(home).call("echo") == [:])
            }
            #expect(try AgentLock.holder(of: home) == getpid())
            #expect(mode(of: home.runDirectory) == 0o700)
        }
    }

    @Test
    func `a lock names the process that crashed while it held the home, and no other`() throws {
        let home = try directory.home()
        for process in [nil, 4321, nil] as [Int32?] {
            // The crashed process left its number.
            if let process {
                try "\(process)\n".write(toFile: home.lockPath, atomically: false, encoding: .utf8)
            }
            let lock = try AgentLock(home: home)
            #expect(lock.crashedHolder == process)
            #expect(try AgentLock.holder(of: home) == getpid())
            if process == nil { lock.noteEnd() }
        }
        #expect(try AgentLock.holder(of: home) == nil)
    }

    @Test
    func `a daemon whose home was moved makes no socket at the old path`() async throws {
        let home = try directory.home()
        let listener = try Self.listener(home)
        defer { listener.stop() }
        try await blocking {
            let client = try Self.client(home)
            let aside = home.path + ".aside"
            let socket = home.socketPath.replacing(home.path, with: aside)
            try FileManager.default.moveItem(atPath: home.path, toPath: aside)
            let lock = try AgentLock(home: try AgentHome(argument: home.path))
            // Now it looks whether its socket is there.
            try FileManager.default.removeItem(atPath: socket)
            try client.callUntilListening()
            #expect(mode(of: lock.home.socketPath) == nil)
            withExtendedLifetime(lock) {}
        }
    }

    @Test
    func `the process that holds a home is known`() throws {
        let home = try directory.home()
        #expect(try AgentLock.holder(of: home) == nil)
        let lock = try AgentLock(home: home)
        #expect(try AgentLock.holder(of: lock.home) == getpid())
    }
}
