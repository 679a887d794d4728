import Foundation
import KSAgent
import KSKeyValues
import KeyValueStore
import Testing
import UbiquitousKeyValueStore

/// Programs whose daemon dies, cannot be started, or refuses them.
struct LostDaemonTests {
    /// Of the calls that a dying daemon leaves without an answer, it has carried out some.
    @Test
    func `increments are exact although the daemon is killed again and again`() async throws {
        try await StoreHome.with { home in
            let store = home.store
            let agentHome = try AgentHome(argument: home.path)
            let steps = 4000
            let writing = Task.detached {
                for step in 1...steps {
                    try store.counter("n").increment()
                    try store.set(step, forKey: "step \(step % 50)")
                    if step % 20 == 0 { try await Task.sleep(for: .milliseconds(1)) }
                }
            }
            var kills = 0
            while kills < 5 {
                guard let daemon = try AgentLock.holder(of: agentHome) else {
                    try await Task.sleep(for: .milliseconds(1))
                    continue
                }
                // While calls are under way.
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...30)))
                if kill(daemon, SIGKILL) == 0 { kills += 1 }
                #expect(try await eventually { try AgentLock.holder(of: agentHome) != daemon })
                try store.set(kills, forKey: "kills")
            }
            try await writing.value
            #expect(await eventually { store.synchronize() })
            #expect(try home.stored("n") == .integer(Int64(steps)))
            #expect(store.counter("n").value == Int64(steps))
            for step in steps - 49...steps {
                #expect(try home.stored("step \(step % 50)") == .integer(Int64(step)))
            }
        }
    }

    @Test
    func `a program hears that it may not use a store`() async throws {
        try await StoreHome.with { home in
            let store = KeyValueStore(named: "of another program", home: home.path)
            try store.set(1, forKey: "a")
            #expect(!store.synchronize())
            let refusal = try #require(
                #expect(throws: KeyValueStoreError.self) { try store.status() }
            )
            await #expect(throws: refusal) { try await store.sync() }
            await #expect(throws: refusal) { try await store.waitForFirstSync() }
        }
    }

    @Test
    func `a program that cannot save its writes says so when it sets them and at its end`()
        async throws
    {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let none = KeyValueStore(home: "/dev/null/none")
                let store = NSUbiquitousKeyValueStore(store: none)
                for number in 1...3 { store.set(number, forKey: "secret") }
                exit(EXIT_SUCCESS)
            }
        )
        let log = String(decoding: result.standardErrorContent, as: UTF8.self)
        let lines = log.split(separator: "\n").filter { $0.contains("KeyValueStore") }
        try #require(lines.count == 2, "\(log)")
        #expect(lines[0].contains("what this program sets is not on the disk yet. "), "\(log)")
        #expect(lines[1].contains("3 changes of this program may be lost. "), "\(log)")
        #expect(!log.contains("secret"))
    }
}
