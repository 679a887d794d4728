import Foundation
import KSAgent
import KSKeyValues
import KeyValueStore
import Synchronization
import Testing
import UbiquitousKeyValueStore

/// The last writes of a program that ends, or of a store that a program has released.
struct ProgramEndTests {
    @Test
    func `a program that ends without synchronizing loses no write`() async throws {
        try await StoreHome.with { home in
            await #expect(processExitsWith: .success) { [path = home.path as String] in
                // Nothing holds a store after its write.
                try KeyValueStore(home: path).counter("typed").increment()
                NSUbiquitousKeyValueStore(store: KeyValueStore(home: path)).set("x", forKey: "a")
                // More than goes in one call: the last ones are not sent yet.
                let store = KeyValueStore(home: path)
                for number in 1...3000 { try store.set(number, forKey: "number") }
                exit(EXIT_SUCCESS)
            }
            let (typed, other) = (try home.stored("typed"), try home.stored("a"))
            let number = try home.stored("number")
            #expect(typed == .integer(1) && other == .string("x") && number == .integer(3000))
        }
    }

    @Test
    func `what was synchronized survives a program that is killed, and a killed daemon`()
        async throws
    {
        try await StoreHome.with { home in
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = home.path as String] in
                let store = KeyValueStore(home: path)
                for number in 1...100 {
                    try store.counter("count").increment()
                    try store.set(number, forKey: "number")
                }
                try #require(store.synchronize())
                kill(getpid(), SIGKILL)
            }
            let agentHome = try AgentHome(argument: home.path)
            let daemon = try #require(try AgentLock.holder(of: agentHome))
            kill(daemon, SIGKILL)
            #expect(try await eventually { try !AgentLock.isHeld(agentHome) })
            let (count, number) = (try home.stored("count"), try home.stored("number"))
            #expect(count == .integer(100) && number == .integer(100))
        }
    }

    @Test
    func `a write goes to the disk after the program has released the store`() async throws {
        try await StoreHome.with { home in
            for number in 0..<20 { try home.store.set(number, forKey: "key \(number)") }
            #expect(
                try await eventually {
                    try (0..<20).allSatisfy { try home.stored("key \($0)") == .integer($0) }
                }
            )
        }
    }

    @Test
    func `a program ends after two seconds if the daemon does not answer`() async throws {
        let file = Self.newFile
        await #expect(processExitsWith: .success) { [file = file as String] in
            ProgramEndTests.reportAtEnd()
            try await StandInDaemon.with { daemon in
                let store = KeyValueStore(home: daemon.path)
                try store.set(1, forKey: "sent")
                try #require(store.synchronize())
                daemon.fallSilent()
                try store.set(2, forKey: "unsent")
                let began = ContinuousClock.now
                ProgramEndTests.report.withLock {
                    $0 = (file, { "\((ContinuousClock.now - began) / .milliseconds(1))" })
                }
                exit(EXIT_SUCCESS)
            }
        }
        let milliseconds = try #require(Double(Self.takeText(of: file)))
        #expect((1990...20_000).contains(milliseconds), "\(milliseconds)")
    }

    @Test
    func `a program that ends waits for a slow daemon as long as it takes writes`() async throws {
        let file = Self.newFile
        await #expect(processExitsWith: .success) { [file = file as String] in
            ProgramEndTests.reportAtEnd()
            try await StandInDaemon.with { daemon in
                let store = KeyValueStore(home: daemon.path)
                try store.set(0, forKey: "number")
                try #require(store.synchronize())
                daemon.delayWrites(milliseconds: 1200)
                // More than goes in two calls.
                for number in 1...3000 { try store.set(number, forKey: "number") }
                ProgramEndTests.report.withLock {
                    $0 = (file, { daemon.value("number") == .integer(3000) ? "all" : "some" })
                }
                exit(EXIT_SUCCESS)
            }
        }
        #expect(try Self.takeText(of: file) == "all")
    }

    /// What a program says at its very end, and the file for it.
    private static let report = Mutex<(file: String, text: @Sendable () -> String)?>(nil)

    /// Call it before the program makes a store: the handler that was added first runs last.
    private static func reportAtEnd() {
        atexit {
            guard let (file, text) = ProgramEndTests.report.withLock(\.self) else { return }
            // Without the file the test fails.
            try? Data(text().utf8).write(to: URL(filePath: file))
        }
    }

    private static var newFile: String {
        FileManager.default.temporaryDirectory.appending(path: "end-\(UUID())").path
    }

    private static func takeText(of file: String) throws -> String {
        let text = try String(contentsOf: URL(filePath: file), encoding: .utf8)
        try FileManager.default.removeItem(atPath: file)
        return text
    }
}
