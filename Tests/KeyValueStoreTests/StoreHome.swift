import Foundation
import KSAgent
import KSKeyValues
import KeyValueStore
import Testing

/// A new home, with a daemon that starts itself.
struct StoreHome {
    let path: String
    /// The program's own store.
    var store: KeyValueStore { KeyValueStore(home: path) }

    /// Runs a test in a home, in which this program may use some named stores.
    static func with(
        stores: [String] = [],
        _ body: (StoreHome) async throws -> Void
    ) async throws {
        let home = FileManager.default.temporaryDirectory.appending(
            path: "store-\(UUID().uuidString.prefix(8))"
        ).path
        // Leftovers are in the temporary folder.
        defer { try? FileManager.default.removeItem(atPath: home) }
        if !stores.isEmpty { try entitle(home, stores) }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(StoreHome(path: home)))
        } catch {
            result = .failure(error)
        }
        try StoreHome(path: home).stopDaemon()
        try result.get()
    }

    func client() throws -> AgentClient { try AgentClient(home: AgentHome(argument: path)) }

    /// Waits until the daemon has gone.
    func stopDaemon() throws {
        let home = try AgentHome(argument: path)
        // If no daemon runs, there is nothing to wait for.
        guard let client = try? AgentClient(home: home, startsDaemon: false) else { return }
        _ = try client.call(StopDaemon())
        client.waitUntilClosed(milliseconds: 10_000)
    }

    /// Writes to this program's store as another program would.
    func write(_ writes: [KeyWrite]) throws {
        let answer = try client().call(
            WriteKeyValues(store: nil, writes: writes.map(\.encoded))
        )
        #expect(answer.refusals.isEmpty)
    }

    func set(_ key: String, _ value: PropertyValue) throws {
        try write([KeyWrite(key: key, .write(.set(value, base: nil)))])
    }

    /// The daemon's values.
    func stored(_ key: String) throws -> PropertyValue? {
        try client().call(ReadKeyValues(store: nil, keys: [key])).first?.value
            .map { try PropertyValue(decoding: $0) }
    }

    private static func entitle(_ home: String, _ groups: [String]) throws {
        let files = FileManager.default
        try files.createDirectory(
            atPath: home,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let program = try files.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let entry = ["programs": [program: ["keychain-access-groups": groups]]]
        let file = home + "/entitlements.json"
        try JSONSerialization.data(withJSONObject: entry).write(to: URL(filePath: file))
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }
}

/// Waits for a condition.
func eventually(_ isSo: () throws -> Bool) async rethrows -> Bool {
    for _ in 0..<500 {
        if try isSo() { return true }
        // A cancelled task stops waiting, and the test fails.
        try? await Task.sleep(for: .milliseconds(20))
    }
    return try isSo()
}

/// Finds out whether code runs on the main queue, which no thread serves in tests.
enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()

    /// Has to be called before the first use.
    static func mark() { DispatchQueue.main.setSpecific(key: key, value: true) }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}
