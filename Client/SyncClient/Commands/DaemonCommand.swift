internal import KSDaemon
internal import KSAgent
internal import ArgumentParser
internal import KSKeychain
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

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
                        )
                    ],
                    gracefulShutdownSignals: [.sigterm, .sigint],
                    logger: logger
                )
            )
            try await group.run()
        } catch KeychainError.readOnly {
            // Apple has a status for it, which the process that started the daemon passes on.
            Console.warn(KeychainError.readOnly.message)
            throw ExitCode(AgentError.exitCodeWhenReadOnly)
        } catch {
            try Console.end(CommandFailure(error))
        }
    }
}
