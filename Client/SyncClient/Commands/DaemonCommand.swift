internal import KSDaemon
internal import KSAgent
internal import ArgumentParser
internal import Glibc
internal import KSKeychain
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// Logs a SIGHUP, from a closed terminal or a user; the daemon keeps running.
///
/// It reads its settings whenever they have changed, so there is nothing to load again.
private struct IgnoredHangUps: Service {
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown { [logger] in
            for await _ in await UnixSignalsSequence(trapping: .sighup) {
                logger.notice("SIGHUP: the daemon keeps running; sync-client stop ends it")
            }
        }
    }
}

struct DaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon",
        abstract: "Serves the keychain of one home and keeps it in sync, until it is stopped.",
        discussion: "Other commands start it when none runs."
    )

    @OptionGroup
    var home: HomeOption

    func run() async throws {
        ProcessProtection.forbidMemoryReading()
        ProcessProtection.limitMemoryArenas()
        // Also while it starts: its terminal may be closed.
        _ = signal(SIGHUP, SIG_IGN)
        do {
            var logger = Logger(
                label: "sync-client",
                factory: { StreamLogHandler.standardError(label: $0) }
            )
            logger.logLevel = .notice
            let service = try await DaemonService(home: try home.madeHome(), logger: logger)
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [
                        .init(
                            service: service,
                            successTerminationBehavior: .gracefullyShutdownGroup
                        ),
                        .init(service: IgnoredHangUps(logger: logger)),
                    ],
                    gracefulShutdownSignals: [.sigterm, .sigint],
                    logger: logger
                )
            )
            try await group.run()
        } catch ItemStoreError.readOnly {
            // Apple has a status for this error; the process that started the daemon passes it on.
            Console.warn(ItemStoreError.readOnly.message)
            throw ExitCode(AgentError.exitCodeWhenReadOnly)
        } catch {
            try Console.end(CommandFailure(error))
        }
    }
}
