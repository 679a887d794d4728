internal import NIOCore
internal import ServiceLifecycle

/// Ends what would otherwise go on for ever when the server is asked to stop.
///
/// It is over before the listener and the connections are asked to end: a connection that has said
/// that it ends closes with its last answer, and may close over that answer's last bytes.
struct GracefulStop: Service {
    // These two, and what TLS takes to say goodbye, are less than the server waits, and that is
    // less than ``StopDeadline``.

    /// For answers that are under way.
    private static let answersMax = Duration.seconds(2)
    /// For clients to close connections that nothing is on.
    private static let connectionsMax = TimeAmount.milliseconds(500)

    let hub: EventHub
    let answers: AnswersUnderWay
    let connections: OpenConnections
    let onStopping: @Sendable () -> Void

    @concurrent
    func run() async throws {
        // Being cancelled instead is a stop too.
        try? await gracefulShutdown()
        onStopping()
        hub.stop()
        await answers.waitForEnd(atMost: Self.answersMax)
        connections.close(after: Self.connectionsMax)
    }
}
