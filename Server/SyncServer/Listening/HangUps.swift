internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// Logs a SIGHUP, from a closed terminal or an operator; the server keeps running.
///
/// Only a new certificate needs a restart, and devices wait for a server that restarts.
struct HangUps: Service {
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown { [logger] in
            for await _ in await UnixSignalsSequence(trapping: .sighup) {
                logger.notice("SIGHUP: the server keeps running; restart it for a new certificate")
            }
        }
    }
}
