internal import Foundation
internal import KSMerging
internal import Synchronization

/// Whether the server can take a write now.
package final class ServerHealth: Sendable {
    private struct State {
        var isStopping = false
        var failure: ContinuousClock.Instant?
    }

    /// What is wrong.
    enum Trouble: String {
        case stopping
        case diskFull = "disk full"
        case storageFailed = "the store cannot write"
    }

    /// Less cannot take the largest batch and the log that it needs.
    private static let freeBytesMin: UInt64 = 32 << 20
    /// For how long a failed write counts, unless one has succeeded since.
    private static let failureTime = Duration.seconds(60)

    private let state = Mutex(State())
    /// The folder of the store; nil if it is elsewhere.
    private let folder: String?

    package init(folder: String? = nil) {
        self.folder = folder
    }

    func noteStopping() { state.withLock { $0.isStopping = true } }

    /// Notes how a write ended: only a failure of the disk counts, not a refusal.
    func noteWrite(failure: StoreError?) {
        switch failure {
        case .storageFailed: state.withLock { $0.failure = .now }
        case nil: state.withLock { $0.failure = nil }
        default: break
        }
    }

    /// Of the file system that holds the store; nil if it is unknown.
    var freeBytes: UInt64? {
        guard let folder else { return nil }
        var figures = statvfs()
        guard unsafe statvfs(folder, &figures) == 0 else { return nil }
        return UInt64(figures.f_bavail) * UInt64(figures.f_frsize)
    }

    var trouble: Trouble? {
        let state = state.withLock { $0 }
        if state.isStopping { return .stopping }
        if let free = freeBytes, free < Self.freeBytesMin { return .diskFull }
        if let failure = state.failure, .now - failure < Self.failureTime { return .storageFailed }
        return nil
    }
}
