internal import KSFiles
package import Logging
internal import NIOCore
internal import NIOSSL
internal import ServiceLifecycle
internal import Synchronization

/// Keeps a running server's certificate current, without a restart.
///
/// Connections that are open keep theirs; each new one gets the newest.
package final class CertificateWatch: Service {
    /// How often the certificate is looked at.
    package struct Intervals: Sendable {
        /// A certificate that was not renewed because the clock was wrong must not wait for a day.
        package var check = Duration.seconds(3600)
        /// How often the files are looked at: certificate and key are often replaced one after the
        /// other, so they are read once they have stayed the same from one look to the next.
        package var look = Duration.seconds(3)

        package init() {}
    }

    private let intervals: Intervals
    private let current: Mutex<ServerCertificate>
    private let files: [String]
    private let clock: WallClock
    private let logger: Logger
    private let read: @Sendable () throws -> ServerCertificate

    /// Reads the certificate a first time.
    ///
    /// `files`: those of the certificate and its key, which are watched for changes. `read`: reads
    /// the certificate, and renews one that the server has made itself.
    package init(
        files: [String],
        clock: WallClock = .system,
        intervals: Intervals = Intervals(),
        logger: Logger,
        read: @escaping @Sendable () throws -> ServerCertificate
    ) throws {
        self.files = files
        self.intervals = intervals
        current = Mutex(try read())
        self.clock = clock
        self.logger = logger
        self.read = read
        warnOfEnd()
    }

    /// The certificate for new connections.
    package var certificate: ServerCertificate { current.withLock { $0 } }

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
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            var warnedDays = daysLeft
            var lastRead = fileStates
            var lastLook = lastRead
            var lastCheck = ContinuousClock.now
            // Only a cancellation ends the sleep early.
            while (try? await Task.sleep(for: intervals.look)) != nil {
                let look = fileStates
                let isReplaced = look == lastLook && look != lastRead
                lastLook = look
                guard isReplaced || .now - lastCheck >= intervals.check else { continue }
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
