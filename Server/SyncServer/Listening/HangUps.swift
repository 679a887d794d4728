internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// Reads the certificate again at a SIGHUP, from a closed terminal or an operator.
///
/// The server keeps running.
struct HangUps: Service {
    let certificates: CertificateWatch?
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown { [certificates, logger] in
            for await _ in await UnixSignalsSequence(trapping: .sighup) {
                logger.notice("SIGHUP: the server keeps running, and reads its certificate again")
                certificates?.reload()
            }
        }
    }
}
