import Foundation
import KSAgent
import KSDaemon
import Testing

struct GivenUpHomeTests {
    private let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appending(path: "ksg-" + UUID().uuidString.prefix(8)).path
    private let home: AgentHome

    init() throws {
        home = try AgentHome(argument: folder)
    }

    private func write(_ names: String...) throws {
        for name in names {
            try Data(name.utf8).write(to: URL(filePath: folder + "/" + name))
        }
    }

    private func names(_ path: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder + path))
    }

    @Test
    func `a call that was cut off is completed by the next one`() throws {
        // It can be removed with all that is in it.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write("device-secret", "key-bag", "device-pins", "settings.json", "keychain.db-wal")
        // The database was moved already.
        try FileManager.default.createDirectory(
            atPath: folder + "/given-up-1",
            withIntermediateDirectories: false
        )
        try write("given-up-1/keychain.db")
        #expect(try GivenUpHome.giveUp(home) == folder + "/given-up-1")
        let moved: Set = [
            "keychain.db", "keychain.db-wal", "device-secret", "key-bag", "device-pins",
        ]
        #expect(try names("/given-up-1") == moved)
        #expect(try names("") == ["given-up-1", "run", "settings.json"])
        // The next keychain that is given up gets a folder of its own.
        try write("keychain.db", "key-bag")
        #expect(try GivenUpHome.giveUp(home) == folder + "/given-up-2")
        #expect(try names("/given-up-2") == ["keychain.db", "key-bag"])
        #expect(try names("/given-up-1") == moved)
    }

    @Test
    func `nothing is moved while a daemon runs`() throws {
        // As above.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write("keychain.db")
        let lock = try AgentLock(home: home)
        #expect(throws: CommandFailure(AgentError.alreadyRunning)) {
            try GivenUpHome.giveUp(home)
        }
        lock.noteEnd()
        #expect(try names("").contains("keychain.db"))
    }
}
