internal import Logging
internal import NIOCore
internal import NIOSSL
internal import ServiceLifecycle
internal import Synchronization

/// Keeps a running server's certificate current, without a restart.
///
/// Connections that are open keep theirs; each new one gets the newest.
final class CertificateWatch: Service {
    /// Often enough for a certificate that is renewed 30 days before its end.
    private static let checkInterval = Duration.seconds(86_400)

    private let current: Mutex<ServerCertificate>
    private let clock: WallClock
    private let logger: Logger
    private let read: @Sendable () throws -> ServerCertificate

    /// Reads the certificate a first time.
    ///
    /// `read`: reads the certificate, and renews one that the server has made itself.
    init(
        clock: WallClock = .system,
        logger: Logger,
        read: @escaping @Sendable () throws -> ServerCertificate
    ) throws {
        current = Mutex(try read())
        self.clock = clock
        self.logger = logger
        self.read = read
        warnOfEnd()
    }

    /// The certificate for new connections.
    var certificate: ServerCertificate { current.withLock { $0 } }

    /// A configuration whose new connections get the newest certificate.
    var tlsConfiguration: TLSConfiguration {
        var configuration = certificate.tlsConfiguration
        configuration.sslContextCallback = { [self] _, promise in
            let newest = certificate.tlsConfiguration
            var change = NIOSSLContextConfigurationOverride()
            change.certificateChain = newest.certificateChain
            change.privateKey = newest.privateKey
            promise.succeed(change)
        }
        return configuration
    }

    /// Reads the certificate again; if that fails, the present one stays in use.
    func reload() {
        do {
            let newest = try read()
            let old = current.withLock { certificate in
                defer { certificate = newest }
                return certificate
            }
            if newest.endSeconds != old.endSeconds || newest.pin != old.pin {
                logger.notice(
                    "the certificate is a new one",
                    metadata: [
                        "days": "\(newest.daysLeft(now: clock.seconds()))",
                        "pin": "\(newest.pin == old.pin ? "the same" : newest.pin)",
                    ]
                )
            }
        } catch let reason as ExitReason {
            logger.error("the certificate stays the old one: \(reason.sentence)")
        } catch {
            logger.error("the certificate stays the old one: its files cannot be written")
        }
        warnOfEnd()
    }

    /// Reads it again each day.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            // Only a cancellation ends the sleep early.
            while (try? await Task.sleep(for: Self.checkInterval)) != nil { reload() }
        }
    }

    private func warnOfEnd() {
        let days = certificate.daysLeft(now: clock.seconds())
        guard days < ServerCertificate.renewalDays else { return }
        logger.warning(
            "the certificate ends soon: replace its file, then send SIGHUP",
            metadata: ["days": "\(days)"]
        )
    }
}
