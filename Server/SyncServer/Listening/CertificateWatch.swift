internal import KSFiles
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import ServiceLifecycle
internal import Synchronization

/// Keeps a running server's certificate current, without a restart.
///
/// Connections that are open keep theirs; each new one gets the newest.
final class CertificateWatch: Service {
    /// A certificate that was not renewed because the clock was wrong must not wait for a day.
    private static let checkInterval = Duration.seconds(3600)
    /// How often the files are looked at: certificate and key are often replaced one after the
    /// other, so they are read once they have stayed the same from one look to the next.
    private static let lookInterval = Duration.seconds(3)

    private let current: Mutex<ServerCertificate>
    private let files: [String]
    private let clock: WallClock
    private let logger: Logger
    private let read: @Sendable () throws -> ServerCertificate

    /// Reads the certificate a first time.
    ///
    /// `files`: those of the certificate and its key, which are watched for changes. `read`: reads
    /// the certificate, and renews one that the server has made itself.
    init(
        files: [String],
        clock: WallClock = .system,
        logger: Logger,
        read: @escaping @Sendable () throws -> ServerCertificate
    ) throws {
        self.files = files
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
        readAgain()
        warnOfEnd()
    }

    private func readAgain() {
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
    }

    /// Reads it again when its files change and each hour, and warns of its end each day.
    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            var warnedDays = daysLeft
            var lastRead = fileStates
            var lastLook = lastRead
            var lastCheck = ContinuousClock.now
            // Only a cancellation ends the sleep early.
            while (try? await Task.sleep(for: Self.lookInterval)) != nil {
                let look = fileStates
                let isReplaced = look == lastLook && look != lastRead
                lastLook = look
                guard isReplaced || .now - lastCheck >= Self.checkInterval else { continue }
                (lastRead, lastCheck) = (look, .now)
                readAgain()
                guard isReplaced || daysLeft != warnedDays else { continue }
                warnedDays = daysLeft
                warnOfEnd()
            }
        }
    }

    private var fileStates: [OpenFile.State?] {
        // A file that is missing or cannot be read may be there at the next look.
        files.map { try? OpenFile.reading(regular: $0, followsLinks: true).state() }
    }

    private var daysLeft: Int { certificate.daysLeft(now: clock.seconds()) }

    private func warnOfEnd() {
        let days = daysLeft
        guard days < ServerCertificate.renewalDays else { return }
        logger.warning(
            "the certificate ends soon: replace its files",
            metadata: ["days": "\(days)"]
        )
    }
}
