internal import ArgumentParser
internal import KSDigests
internal import KSMerging
internal import Foundation
internal import KSPostgreSQLStore
internal import KSStore
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import UnixSignals

extension ListenAddress: ExpressibleByArgument {
    init?(argument: String) {
        self.init(argument)
    }

    var defaultValueDescription: String { text }
}

extension Registration: ExpressibleByArgument {}

extension TrustedProxies.Network: ExpressibleByArgument {
    init?(argument: String) {
        self.init(argument)
    }
}

/// A number of MiB above 0, or no limit.
enum SizeLimit: ExpressibleByArgument {
    case none
    case mebibytes(UInt64)

    init?(argument: String) {
        guard argument != "none" else {
            self = .none
            return
        }
        guard let count = UInt64(argument), count > 0, count <= 1 << 40 else { return nil }
        self = .mebibytes(count)
    }

    /// Nil for no limit.
    var bytes: UInt64? {
        switch self {
        case .none: nil
        case .mebibytes(let count): count << 20
        }
    }

    var defaultValueDescription: String { bytes.map { String($0 >> 20) } ?? "none" }
}

struct ServeCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the server until SIGTERM or SIGINT; SIGHUP rereads the certificate.",
        discussion: """
            When ready it prints one line: listening on https://ADDRESS:PORT pin sha256//BASE64=
            """
    )

    @OptionGroup
    var place: PlaceOptions

    @Option(
        help: """
            With a pooler in --store: the same database without it. Servers wake each other up \
            over such a connection.
            """
    )
    var directStore: String?

    @Option(help: "Where to listen, HOST:PORT; port 0 is any free one.")
    var listen = ListenAddress(host: "127.0.0.1", port: 8443)

    @Option(
        help: """
            Where operators get /metrics, /healthz and /readyz, HOST:PORT or a port of loopback; \
            without TLS or login, and off by default.
            """,
        transform: { text in
            if let port = UInt16(text) { return ListenAddress(host: "127.0.0.1", port: Int(port)) }
            guard let address = ListenAddress(text) else {
                throw ValidationError("--admin takes a port, or HOST:PORT.")
            }
            return address
        }
    )
    var admin: ListenAddress?

    @Option(
        name: .customLong("origin"),
        help: """
            A URL that clients use for this server, such as https://sync.example.org; may be given \
            several times. By default the address of --listen; on loopback localhost, 127.0.0.1 \
            and [::1] too.
            """
    )
    var originURLs: [String] = []

    @Option(help: "A certificate chain (PEM); without it a self-signed certificate is made once.")
    var tlsCert: String?

    @Option(help: "The private key of --tls-cert (PEM).")
    var tlsKey: String?

    @Option(
        help: """
            Who may make an account: open, invite or closed. With invite, the default, a sign-up \
            needs a code of sync-server invite.
            """
    )
    var registration = Registration.invite

    @Option(help: "How many MiB one account may hold; none for no limit.")
    var quota = SizeLimit.mebibytes(1024)

    @Option(
        help: """
            How many MiB an account may hold in its first week, if --registration is open; none \
            for as many as later.
            """
    )
    var newQuota = SizeLimit.mebibytes(64)

    @Option(
        help: """
            After how many days without a contact a device holds back no removal of deleted records.
            """
    )
    var dormantDays: UInt64 = 90

    @Option(
        help: """
            How many connections may be open at once; by default as many as open files allow.
            """
    )
    var connections: Int?

    @Option(
        help: """
            How many connections one address may have open, or one IPv6 network of 64 bits; by \
            default an eighth of all. Behind a proxy that passes TLS on, set it to --connections: \
            all clients then have the proxy's address.
            """
    )
    var connectionsPerAddress: Int?

    @Option(
        name: .customLong("trusted-proxy"),
        help: """
            A proxy whose X-Forwarded-For counts, an address or a network such as 10.0.0.0/8; may \
            be given several times. Limits then count its clients by their own addresses.
            """
    )
    var trustedProxies: [TrustedProxies.Network] = []

    @Option(
        help: """
            The lowest level that is logged: trace, debug, info, notice, warning, error or \
            critical; info by default.
            """,
        transform: { text in
            guard let level = Logger.Level(rawValue: text) else {
                throw ValidationError("There is no log level \(text).")
            }
            return level
        }
    )
    var logLevel = Logger.Level.info

    func validate() throws {
        guard (tlsCert == nil) == (tlsKey == nil) else {
            throw ValidationError("Give both --tls-cert and --tls-key, or neither.")
        }
        guard place.path != nil || tlsCert != nil else {
            throw ValidationError(
                "Without --data there is no place for a certificate: give --tls-cert and --tls-key."
            )
        }
        if let directStore {
            try PlaceOptions.check(directStore, option: "--direct-store")
            guard place.address != nil else {
                throw ValidationError("--direct-store needs --store.")
            }
        }
        for url in originURLs where Origins.origin(ofURL: url) == nil {
            throw ValidationError("--origin takes a URL like https://sync.example.org:8443.")
        }
        if dormantDays == 0 || dormantDays > 36_500 {
            throw ValidationError("--dormant-days takes a number of days from 1 to 36500.")
        }
        if let connections, connections < 1 {
            throw ValidationError(
                "--connections takes a number above 0; leave it out for as many as fit."
            )
        }
        if let connectionsPerAddress, connectionsPerAddress < 1 {
            throw ValidationError(
                "--connections-per-address takes a number above 0; leave it out for an eighth."
            )
        }
    }

    var directory: DataDirectory? { place.directory }
    // As in a container.
    var isForSuperuser: Bool { true }

    func perform() async throws {
        // Also while it starts: its terminal may be closed.
        _ = signal(SIGHUP, SIG_IGN)
        try directory?.create()
        let lock = try directory.map { try DataDirectoryLock($0) }
        try await serve()
        withExtendedLifetime(lock) {}
    }

    private func serve() async throws {
        let origins = originURLs.compactMap(Origins.origin(ofURL:))
        var logger = Logger(label: "sync-server") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel
        let certificates = try certificates(origins: origins, logger)
        if !listen.isLoopback, origins.isEmpty {
            logger.warning("no --origin given: clients must use the address of --listen")
        }
        let metrics = ServerMetrics()
        let served = try servedStore(metrics, logger)
        var options = SyncService.Options()
        options.registration = registration
        options.quotaBytes = quota.bytes
        options.connections = connectionLimits(logger)
        options.trustedProxies = TrustedProxies(trustedProxies)
        options.removal = RemovalRules(dormantDays: dormantDays)
        let service = SyncService(
            store: served.store,
            secret: served.secret,
            options: options,
            origins: Origins(origins),
            invitations: served.invitations,
            metrics: metrics,
            // The disk of a database is another machine's.
            health: ServerHealth(folder: place.address == nil ? place.path : nil),
            random: SystemRandomSource(),
            clock: .system
        )
        let wakeUps = served.wakeUps(of: service.hub, listenAddress: directStore, logger)
        try wakeUps?.start()
        var server = SyncServer(
            service: service,
            address: listen,
            tlsConfiguration: certificates.tlsConfiguration,
            logger: logger,
            onListening: { [listen] port in
                let url = Origins.url(host: listen.host, port: port)
                print("listening on \(url) pin \(certificates.certificate.pin)")
                fflush(nil)
            },
            onStopping: { [logger] in StopDeadline.start(logger) }
        )
        server.certificates = certificates
        server.admin = adminListener(of: service, certificates, logger)
        do {
            try await server.run(signals: [.sigterm, .sigint])
        } catch let error as IOError {
            throw ExitReason(.unavailable, listen.sentence(errno: error.errnoCode))
        } catch is SocketAddressError.UnknownHost {
            throw ExitReason(
                .unavailable,
                "\(listen.host) is not an address or name that this machine knows; give another"
                    + " --listen."
            )
        }
        wakeUps?.stop()
        try served.close()
    }

    private func servedStore(_ metrics: ServerMetrics, _ logger: Logger) throws -> ServedStore {
        try ServedStore(
            place,
            quota: AccountQuota(
                bytesMax: quota.bytes,
                newBytesMax: registration == .open ? newQuota.bytes : nil
            ),
            whenLeftOut: { row in
                metrics.noteLeftOutRow()
                logger.error(
                    "a damaged record is left out of an answer: run sync-server check",
                    metadata: ["seq": "\(row.seq)"]
                )
            }
        )
    }

    /// What answers operators; nil if they did not ask for it.
    private func adminListener(
        of service: SyncService,
        _ certificates: CertificateWatch,
        _ logger: Logger
    ) -> AdminListener? {
        guard let admin else { return nil }
        if !admin.isLoopback {
            logger.warning("--admin has no TLS and no login: let only operators reach it")
        }
        return AdminListener(
            service: service,
            address: admin,
            certificateEndSeconds: { UInt64(max(0, certificates.certificate.endSeconds)) },
            backupSeconds: { [directory] in directory?.lastBackupSeconds },
            onListening: { port in
                let address = ListenAddress(host: admin.host, port: port).text
                logger.notice("operators get http://\(address)/metrics, /healthz and /readyz")
            }
        )
    }

    private func connectionLimits(_ logger: Logger) -> ConnectionLimits {
        let openFilesMax = OpenFiles.raiseMax()
        let limits = ConnectionLimits(
            openFilesMax: openFilesMax,
            count: connections,
            countPerAddress: connectionsPerAddress
        )
        if let connections, connections > limits.count {
            logger.warning(
                "fewer connections than asked for: raise the limit of open files (ulimit -Hn)",
                metadata: ["connections": "\(limits.count)", "open files": "\(openFilesMax)"]
            )
        }
        return limits
    }

    private func certificates(
        origins: [String],
        _ logger: Logger
    ) throws -> CertificateWatch {
        if let tlsCert, let tlsKey {
            return try CertificateWatch(files: [tlsCert, tlsKey], logger: logger) {
                try ServerCertificate(certificatePath: tlsCert, keyPath: tlsKey)
            }
        }
        let directory = try place.existingDirectory()
        try ServerCertificate.makeFirstKey(in: directory)
        let files = [directory.certificatePath, directory.keyPath]
        return try CertificateWatch(files: files, logger: logger) { [listen] in
            try ServerCertificate(ofDirectory: directory, address: listen, origins: origins)
        }
    }
}
