import KSAgent
import Foundation
import Testing

/// Runs a suite in a new home, where the first call starts a daemon.
struct OwnDaemon: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let home = FileManager.default.temporaryDirectory.appending(
            path: "security-\(UUID().uuidString.prefix(8))"
        )
        unsafe setenv("KEYCHAIN_SYNC_HOME", home.path, 1)
        defer {
            // Leftovers are in the temporary folder.
            try? FileManager.default.removeItem(at: home)
        }
        try await function()
        try Self.stop(home.path)
    }

    private static func stop(_ home: String) throws {
        let client = try AgentClient(home: try AgentHome(argument: home), startsDaemon: false)
        _ = try client.call("stop")
    }
}

extension Trait where Self == OwnDaemon {
    /// A daemon in a new home.
    static var ownDaemon: OwnDaemon { OwnDaemon() }
}
