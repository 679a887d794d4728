internal import Foundation
internal import Glibc
internal import KSAgent

/// A new home with a daemon, which the first call starts and which ends with the test.
package struct DaemonHome: Sendable {
    package let path: String

    /// Runs a test in a new home, in which this program may have some access groups or named stores
    /// instead of its own.
    package static func with(
        _ name: String,
        groups: [String] = [],
        _ body: (DaemonHome) async throws -> Void
    ) async throws {
        TestDaemons.prepare()
        let home = DaemonHome(
            path: FileManager.default.temporaryDirectory.appending(
                path: "\(name)-\(UUID().uuidString.prefix(8))"
            ).path
        )
        try FileManager.default.createDirectory(
            atPath: home.path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        // What is left lies in the temporary folder.
        defer { try? FileManager.default.removeItem(atPath: home.path) }
        if !groups.isEmpty { try home.entitle(groups) }
        let permit = try TestDaemons.Permit(home: home.path)
        // A daemon that is there after its end was asked for is killed.
        defer { permit.revoke() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(home))
        } catch {
            result = .failure(error)
        }
        permit.startNoMore()
        try home.stopDaemon()
        try result.get()
    }

    /// Waits until the daemon has gone.
    package func stopDaemon() throws {
        let home = try AgentHome(argument: path)
        // If no daemon runs, there is nothing to wait for.
        guard let client = try? AgentClient(home: home, startsDaemon: false) else { return }
        _ = try client.call(StopDaemon())
        client.waitUntilClosed(milliseconds: 60_000)
    }

    private func entitle(_ groups: [String]) throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let entry = ["programs": [program: ["keychain-access-groups": groups]]]
        let file = path + "/entitlements.json"
        try JSONSerialization.data(withJSONObject: entry).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }
}

/// Which daemons the programs under test may start.
///
/// A program starts the daemon whenever it finds none, also when its test has ended meanwhile and
/// the home is gone. Such a daemon would run until somebody noticed it.
package enum TestDaemons {
    private static let isPrepared: Bool = {
        let starter = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "daemon-of-tests").path
        return unsafe setenv("KEYCHAIN_SYNC_DAEMON", starter, 1) == 0
    }()

    /// Lets this process, and those that it starts, start daemons only where there is a permit.
    package static func prepare() {
        precondition(isPrepared, "no room in the environment")
    }

    /// Allows daemons in a home, and ends them when it is revoked or this process has ended.
    final class Permit: Sendable {
        private let file: Int32
        private let path: String

        init(home: String) throws {
            path = home + "/daemon-of-tests"
            file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            let line = Array((try Self.program + "\n").utf8)
            guard file >= 0, flock(file, LOCK_EX | LOCK_NB) == 0,
                unsafe write(file, line, line.count) == line.count
            else { throw CocoaError(.fileWriteUnknown) }
        }

        deinit { if file >= 0 { close(file) } }

        private static var program: String {
            get throws {
                let tests = try FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/exe"
                )
                return URL(filePath: tests).deletingLastPathComponent()
                    .appending(path: "sync-client").path
            }
        }

        /// Lets no further daemon start; the one that runs goes on.
        func startNoMore() { unsafe unlink(path) }

        func revoke() {
            startNoMore()
            flock(file, LOCK_UN)
        }
    }
}
