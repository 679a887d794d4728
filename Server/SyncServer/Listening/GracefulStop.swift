internal import NIOCore
internal import ServiceLifecycle

/// Ends event streams and waiting requests when the server is asked to stop.
///
/// It does so before the listener and the connections are asked to end: a connection that was
/// asked closes with its last answer, and might cut off that answer's last bytes.
struct GracefulStop: Service {
    // Together with the closing of TLS these are shorter than the server's own wait, which is
    // shorter than ``StopDeadline``.

    /// The time for answers under way.
    private static let answersMax = Duration.seconds(2)
    /// The time for clients to close idle connections.
    private static let connectionsMax = TimeAmount.milliseconds(500)

    let service: SyncService
    let onStopping: @Sendable () -> Void

    @concurrent
    func run() async throws {
        // Cancellation is a stop too.
        try? await gracefulShutdown()
        service.health.noteStopping()
        onStopping()
        service.hub.stop()
        await service.answers.waitForEnd(atMost: Self.answersMax)
        service.connections.close(after: Self.connectionsMax)
    }
}
