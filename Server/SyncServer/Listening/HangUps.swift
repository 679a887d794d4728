internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// Notes that the terminal was closed, or that someone sent SIGHUP: the server goes on.
///
/// There is nothing to load again but a certificate, and devices wait for a server that restarts.
struct HangUps: Service {
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown { [logger] in
            for await _ in await UnixSignalsSequence(trapping: .sighup) {
                logger.notice("SIGHUP: the server goes on; restart it to use a new certificate")
            }
        }
    }
}
