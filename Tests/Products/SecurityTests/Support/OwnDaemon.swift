import Foundation
import KSTestSupport
import Testing

/// Runs a suite in a new home, where the first call starts a daemon.
struct OwnDaemon: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await DaemonHome.with("security") { home in
            // It stays set: what runs later must not find the user's own home.
            unsafe setenv("KEYCHAIN_SYNC_HOME", home.path, 1)
            try await function()
        }
    }
}

extension Trait where Self == OwnDaemon {
    /// A daemon in a new home.
    static var ownDaemon: OwnDaemon { OwnDaemon() }
}
