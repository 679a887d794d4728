internal import Hummingbird
internal import HummingbirdCore
internal import KSMerging
internal import KSOpenMetrics
internal import KSStore
internal import Logging
internal import NIOCore
internal import Synchronization

/// Answers operators on a listener of its own: metrics, and whether the server works.
///
/// It has neither TLS nor a login, so it belongs on loopback or in a network of operators. Nothing
/// that it shows names an account.
struct AdminListener: Sendable {
    /// How old the figures of the store may be: they are made of all accounts.
    private static let figuresAge = Duration.seconds(60)
    private static let idleTimeout = TimeAmount.seconds(10)

    let service: SyncService
    let address: ListenAddress
    /// When the certificate in use ends; nil without TLS.
    let certificateEndSeconds: @Sendable () -> UInt64?
    /// When the last backup was written; nil if that is unknown.
    let backupSeconds: @Sendable () -> UInt64?
    let onListening: @Sendable (Int) -> Void
    private let figures = LastFigures()
    private let process = ProcessFigures.Reader()

    func application(
        on eventLoops: any EventLoopGroup,
        logger: Logger
    ) -> some ApplicationProtocol {
        Application(
            router: router(),
            server: .http1(configuration: .init(idleTimeout: Self.idleTimeout)),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port)
            ),
            onServerRunning: { [address, onListening] channel in
                onListening(channel.localAddress?.port ?? address.port)
            },
            eventLoopGroupProvider: .shared(eventLoops),
            logger: logger
        )
    }

    private func router() -> Router<SyncRequestContext> {
        let router = Router(context: SyncRequestContext.self)
        router.get("/metrics") { _, _ in
            await answer(.ok, metrics(), contentType: MetricsRegistry.contentType)
        }
        router.get("/healthz") { _, _ in
            let trouble = await trouble()
            // A server that stops is healthy.
            return answer(trouble == nil || trouble == .stopping ? nil : trouble)
        }
        router.get("/readyz") { _, _ in await answer(trouble()) }
        return router
    }

    private func trouble() async -> ServerHealth.Trouble? {
        if let trouble = service.health.trouble { return trouble }
        do {
            try await service.store.read { try $0.probe() }
            return nil
        } catch {
            return .storageFailed
        }
    }

    private func answer(_ trouble: ServerHealth.Trouble?) -> Response {
        answer(
            trouble == nil ? .ok : .serviceUnavailable,
            (trouble?.rawValue ?? "ok") + "\n",
            contentType: "text/plain; charset=utf-8"
        )
    }

    private func answer(
        _ status: HTTPResponse.Status,
        _ text: String,
        contentType: String
    ) -> Response {
        Response(
            status: status,
            // So that no idle connection holds up a stop.
            headers: [.contentType: contentType, .cacheControl: "no-store", .connection: "close"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }

    private func metrics() async -> String {
        let metrics = service.metrics
        metrics.show(
            streams: service.hub.listenerCount,
            connections: service.connections.count
        )
        metrics.show(
            freeBytes: service.health.freeBytes,
            backupSeconds: backupSeconds(),
            certificateEndSeconds: certificateEndSeconds()
        )
        metrics.show(process.read())
        if let figures = await storeFigures() {
            metrics.show(figures, quotaBytes: service.options.quotaBytes)
        }
        return metrics.registry.text
    }

    /// The store's figures, at most a minute old; nil if it does not answer.
    private func storeFigures() async -> StoreFigures? {
        if let last = figures.value(notOlderThan: Self.figuresAge) { return last }
        let quotaBytes = service.options.quotaBytes
        // The failure is counted where the store is called.
        guard let new = try? await service.store.read({ try $0.figures(quotaBytes: quotaBytes) })
        else { return nil }
        figures.save(new)
        return new
    }
}

/// The figures that were read last.
private final class LastFigures: Sendable {
    private let last = Mutex<(figures: StoreFigures, time: ContinuousClock.Instant)?>(nil)

    func value(notOlderThan age: Duration) -> StoreFigures? {
        last.withLock { last in
            guard let last, .now - last.time < age else { return nil }
            return last.figures
        }
    }

    func save(_ figures: StoreFigures) { last.withLock { $0 = (figures, .now) } }
}
