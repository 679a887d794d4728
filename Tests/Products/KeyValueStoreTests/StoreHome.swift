import Foundation
import KSAgent
import KSKeyValues
import KSTestSupport
import KeyValueStore
import Testing

/// A new home with a daemon, which the first call starts.
struct StoreHome {
    private let home: DaemonHome
    var path: String { home.path }
    /// The program's own store.
    var store: KeyValueStore { KeyValueStore(home: path) }

    /// Runs a test in a home, in which this program may use some named stores.
    static func with(
        stores: [String] = [],
        _ body: (StoreHome) async throws -> Void
    ) async throws {
        try await DaemonHome.with("store", groups: stores) { home in
            try await body(StoreHome(home: home))
        }
    }

    /// Waits until the daemon has gone.
    func stopDaemon() throws { try home.stopDaemon() }

    func client() throws -> AgentClient { try AgentClient(home: AgentHome(argument: path)) }

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
}

/// Waits until something is so, for two minutes at most, which no machine needs.
func eventually(_ isSo: () throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < end {
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
