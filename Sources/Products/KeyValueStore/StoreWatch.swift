internal import Dispatch
internal import Foundation
internal import KSAgent
internal import Synchronization

/// The thread that waits for the daemon's reports of changes.
///
/// It does not start the daemon: reading or writing does. It connects again after the daemon was
/// restarted.
final class StoreWatch: Sendable {
    enum Report: Sendable {
        /// Everything from now on is reported; what changed before has to be read.
        case began
        /// The keys that changed in one transaction, with the entries of those that have a value;
        /// without entries they have to be read.
        case changed(Set<StoreKey>, [StoreKey: ConfirmedEntry]?, KeyValueOrigin)
    }

    private struct State {
        var isStopped = false
        var interrupt: AgentInterrupt?
    }

    /// The wait before the next look for a daemon: short at first, later longer.
    private static let waitMilliseconds = 50...2000

    private let call: WatchKeyValues
    private let home: String?
    private let state = Mutex(State())
    private let stopped = DispatchSemaphore(value: 0)

    init(store: String?, home: String?, writer: [UInt8]) {
        call = WatchKeyValues(store: store, writer: writer)
        self.home = home
    }

    func start(_ take: @escaping @Sendable (Report) -> Void) {
        Thread.detachNewThread { [self] in
            var wait = Self.waitMilliseconds.lowerBound
            while !state.withLock({ $0.isStopped }) {
                if run(take) { wait = Self.waitMilliseconds.lowerBound }
                let isStopped = stopped.wait(timeout: .now() + .milliseconds(wait)) == .success
                if isStopped { return }
                wait = min(wait * 2, Self.waitMilliseconds.upperBound)
            }
        }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.interrupt?.interrupt()
        }
        stopped.signal()
    }

    /// Watches until the connection ends.
    ///
    /// - Returns: whether there was one.
    private func run(_ take: @escaping @Sendable (Report) -> Void) -> Bool {
        var isConnected = false
        do throws(AgentError) {
            let client = try AgentClient(home: AgentHome(argument: home), startsDaemon: false)
            let isStopped = state.withLock { state in
                state.interrupt = client.interrupt
                return state.isStopped
            }
            defer {
                // The interrupt must not outlive the client.
                withExtendedLifetime(client) { state.withLock { $0.interrupt = nil } }
            }
            guard !isStopped else { return true }
            try client.watch(call) { report in
                isConnected = true
                take(Report(report))
            }
        } catch {
            // The daemon has gone, or is not there yet: it is looked for again.
            return isConnected
        }
        return true
    }
}

extension StoreWatch.Report {
    /// `report`: nil where reports were lost.
    init(_ report: KeyValueReport?) {
        // Loading everything reads the limits and the account too.
        guard let report, ![.reload, .joined].contains(report.origin) else {
            self = .began
            return
        }
        self = .changed(
            Set(report.keys.map(StoreKey.init)),
            report.entries.map(ConfirmedEntry.byKey),
            report.origin
        )
    }
}
