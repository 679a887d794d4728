internal import CoreMetrics
internal import KSBytes
internal import KSOpenMetrics
internal import KSStore

/// What an operator sees of a running server.
///
/// No label has a name, an id, an address or anything that a client has sent: routes are those of
/// the router, codes those of the protocol.
package struct ServerMetrics: Sendable {
    /// A call of the store, as a label.
    enum StoreCall: String {
        case push, read, write
    }

    private static let secondBounds = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]

    let registry = MetricsRegistry(Self.families)

    package init() {
        gauge("sync_server_info", [("version", ProgramVersion.text)]).set(1)
    }

    private static let families = [
        MetricFamily("sync_server_info", .gauge, "The server's version, as a label."),
        MetricFamily(
            "sync_server_requests",
            .counter,
            "Answers by route, method and status."
        ),
        MetricFamily(
            "sync_server_refusals",
            .counter,
            "Answers that refuse a request, by the code that the client gets."
        ),
        MetricFamily(
            "sync_server_request_duration_seconds",
            .histogram(bounds: secondBounds),
            "Time until an answer begins; pulls that wait for news have a route of their own."
        ),
        MetricFamily("sync_server_streams", .gauge, "Open event streams and waiting pulls."),
        MetricFamily("sync_server_connections", .gauge, "Open connections."),
        MetricFamily(
            "sync_server_commit_batches",
            .histogram(bounds: [1, 2, 4, 8, 16, 32, 64, 128]),
            "Batches of devices that one commit of the store took."
        ),
        MetricFamily(
            "sync_server_store_duration_seconds",
            .histogram(bounds: secondBounds),
            "Time of one call of the store, by its kind."
        ),
        MetricFamily(
            "sync_server_store_failures",
            .counter,
            "Calls of the store that failed for its disk."
        ),
        MetricFamily(
            "sync_server_left_out_rows",
            .counter,
            "Damaged rows that answers left out: run sync-server check."
        ),
        MetricFamily("sync_server_accounts", .gauge, "Accounts of the store."),
        MetricFamily(
            "sync_server_full_accounts",
            .gauge,
            "Accounts that hold at least nine tenths of their quota."
        ),
        MetricFamily("sync_server_suspended_accounts", .gauge, "Accounts that are suspended."),
        MetricFamily("sync_server_records", .gauge, "Records of all accounts."),
        MetricFamily(
            "sync_server_stored_bytes",
            .gauge,
            "Bytes of all accounts, as they count against the quota."
        ),
        MetricFamily("sync_server_quota_bytes", .gauge, "The quota; absent without one."),
        MetricFamily(
            "sync_server_free_bytes",
            .gauge,
            "Free bytes of the file system that holds the data directory."
        ),
        MetricFamily(
            "sync_server_backup_timestamp_seconds",
            .gauge,
            "When sync-server backup last wrote a backup; absent before the first."
        ),
        MetricFamily(
            "sync_server_certificate_end_timestamp_seconds",
            .gauge,
            "When the certificate in use ends."
        ),
        MetricFamily("process_start_time_seconds", .gauge, "When the server started."),
        MetricFamily("process_cpu_seconds", .counter, "Processor time of the server."),
        MetricFamily("process_resident_memory_bytes", .gauge, "Memory of the server."),
        MetricFamily("process_open_fds", .gauge, "Open files and connections."),
        MetricFamily("process_max_fds", .gauge, "The limit of open files and connections."),
    ]

    // MARK: What happens

    func noteAnswer(
        route: String,
        method: String,
        isWaiting: Bool,
        status: Int,
        code: String?,
        elapsed: Duration
    ) {
        let route = isWaiting ? route + " waiting" : route
        counter(
            "sync_server_requests",
            [("route", route), ("method", method), ("status", String(status))]
        ).increment()
        timer("sync_server_request_duration_seconds", [("route", route)]).recordNanoseconds(
            elapsed.nanoseconds
        )
        if let code { counter("sync_server_refusals", [("code", code)]).increment() }
    }

    func noteCommit(batches: Int) {
        Recorder(
            label: "sync_server_commit_batches",
            dimensions: [],
            aggregate: true,
            factory: registry
        ).record(batches)
    }

    func noteStoreCall(_ call: StoreCall, elapsed: Duration) {
        timer("sync_server_store_duration_seconds", [("call", call.rawValue)]).recordNanoseconds(
            elapsed.nanoseconds
        )
    }

    package func noteLeftOutRow() { counter("sync_server_left_out_rows", []).increment() }

    func noteStoreFailure() { counter("sync_server_store_failures", []).increment() }

    // MARK: What is there

    func show(_ store: StoreFigures, quotaBytes: UInt64?) {
        set("sync_server_accounts", store.accounts)
        set("sync_server_full_accounts", store.fullAccounts)
        set("sync_server_suspended_accounts", store.suspendedAccounts)
        set("sync_server_records", store.records)
        set("sync_server_stored_bytes", store.storedBytes)
        if let quotaBytes { set("sync_server_quota_bytes", quotaBytes) }
    }

    func show(streams: Int, connections: Int) {
        set("sync_server_streams", UInt64(streams))
        set("sync_server_connections", UInt64(connections))
    }

    func show(freeBytes: UInt64?, backupSeconds: UInt64?, certificateEndSeconds: UInt64?) {
        if let freeBytes { set("sync_server_free_bytes", freeBytes) }
        if let backupSeconds { set("sync_server_backup_timestamp_seconds", backupSeconds) }
        if let certificateEndSeconds {
            set("sync_server_certificate_end_timestamp_seconds", certificateEndSeconds)
        }
    }

    func show(_ process: ProcessFigures) {
        gauge("process_start_time_seconds", []).set(process.startSeconds)
        gauge("process_resident_memory_bytes", []).set(Double(process.residentBytes))
        gauge("process_open_fds", []).set(process.openFiles)
        gauge("process_max_fds", []).set(process.openFilesMax)
        let counter = FloatingPointCounter(
            label: "process_cpu_seconds",
            dimensions: [],
            factory: registry
        )
        counter.increment(by: process.newCPUSeconds)
    }

    // MARK: swift-metrics

    private func counter(_ name: String, _ labels: [(String, String)]) -> Counter {
        Counter(label: name, dimensions: labels, factory: registry)
    }

    private func gauge(_ name: String, _ labels: [(String, String)]) -> Meter {
        Meter(label: name, dimensions: labels, factory: registry)
    }

    private func timer(_ name: String, _ labels: [(String, String)]) -> CoreMetrics.Timer {
        CoreMetrics.Timer(label: name, dimensions: labels, factory: registry)
    }

    private func set(_ name: String, _ value: UInt64) { gauge(name, []).set(Double(value)) }
}

extension Duration {
    fileprivate var nanoseconds: Int64 { Int64(self / .nanoseconds(1)) }
}
