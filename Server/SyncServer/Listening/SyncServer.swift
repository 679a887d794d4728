internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdHTTP2
package import Logging
internal import NIOCore
internal import NIOPosix
package import NIOSSL
internal import ServiceLifecycle
package import UnixSignals

/// Listens, serves, and stops gracefully.
package struct SyncServer: Sendable {
    /// A connection without a request is closed after this time.
    private static let idleTimeout = TimeAmount.seconds(120)
    /// A stop may take 5 seconds; after this part of them everything is cancelled.
    private static let gracefulSeconds = 4
    /// How long a client may take to answer that a connection ends.
    private static let goodbyeTimeout = TimeAmount.milliseconds(500)

    /// One thread for connections on every two processors; the store needs the others.
    ///
    /// A loop announces a batch to its listeners before it answers the writer. Two loops do both at
    /// once, and on two processors the writer would often be first.
    static let eventLoops = MultiThreadedEventLoopGroup(
        numberOfThreads: max(1, System.coreCount / 2)
    )

    let service: SyncService
    let address: ListenAddress
    /// Nil means plain HTTP/1.1, for tests only.
    let tlsConfiguration: TLSConfiguration?
    /// What renews the certificate of `tlsConfiguration`, if it can change.
    var certificates: CertificateWatch?
    /// What answers operators, if they asked for it.
    var admin: AdminListener?
    let logger: Logger
    /// Called once with the port that was bound.
    let onListening: @Sendable (Int) -> Void
    /// Called once when the stop begins.
    let onStopping: @Sendable () -> Void

    package init(
        service: SyncService,
        address: ListenAddress,
        tlsConfiguration: TLSConfiguration? = nil,
        logger: Logger,
        onListening: @escaping @Sendable (Int) -> Void,
        onStopping: @escaping @Sendable () -> Void
    ) {
        self.service = service
        self.address = address
        self.tlsConfiguration = tlsConfiguration
        self.logger = logger
        self.onListening = onListening
        self.onStopping = onStopping
    }

    /// Serves until a signal stops it, or the task is cancelled.
    package func run(signals: [UnixSignal]) async throws {
        let application = Application(
            router: service.router(),
            server: try channels(),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port)
            ),
            onServerRunning: { [address, service, onListening, logger] channel in
                // Fails only for a channel that is closed already.
                try? await channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptGate(connections: service.connections, logger: logger),
                        position: .first
                    )
                }.get()
                let port = channel.localAddress?.port ?? address.port
                service.origins.setUnlessNamed(address.origins(port: port))
                onListening(port)
            },
            eventLoopGroupProvider: .shared(Self.eventLoops),
            logger: logger
        )
        let stop = GracefulStop(service: service, onStopping: onStopping)
        // Services stop in reverse order: streams and waiting requests end before the listener.
        var services: [any Service] = [application, stop]
        services.insert(Maintenance(service: service, logger: logger), at: 0)
        if let certificates { services.insert(certificates, at: 0) }
        // The last to stop: it says that the server stops.
        if let admin {
            services.insert(admin.application(on: Self.eventLoops, logger: logger), at: 0)
        }
        if !signals.isEmpty {
            services.insert(HangUps(certificates: certificates, logger: logger), at: 0)
        }
        var group = ServiceGroupConfiguration(
            services: services,
            gracefulShutdownSignals: signals,
            logger: logger
        )
        group.maximumGracefulShutdownDuration = Duration.seconds(Self.gracefulSeconds)
        try await ServiceGroup(configuration: group).run()
    }

    private func channels() throws -> HTTPServerBuilder {
        let connections = service.connections
        guard var tlsConfiguration else {
            return HTTPServerBuilder { responder in
                ObservedChannel(base: HTTP1Channel(responder: responder), connections: connections)
            }
        }
        tlsConfiguration.shutdownTimeout = Self.goodbyeTimeout
        let configuration = HTTP2ChannelConfiguration(
            idleTimeout: .seconds(600),
            gracefulCloseTimeout: .seconds(2),
            streamConfiguration: HTTP1Channel.Configuration(idleTimeout: Self.idleTimeout)
        )
        return HTTPServerBuilder { [tlsConfiguration] responder in
            let base = try HTTP2UpgradeChannel(
                tlsConfiguration: tlsConfiguration,
                configuration: configuration,
                responder: responder
            )
            return ObservedChannel(base: base, connections: connections)
        }
    }
}
