internal import Glibc
internal import KSAgent
internal import KSEveryday
internal import KSBytes
internal import ArgumentParser
internal import KSDaemon
internal import KSTransport

/// The client's program: the daemon, and the commands about the account.
@main
struct SyncClient: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync-client",
        abstract: "Keeps this device's keychain in step with the account's other devices.",
        version: ProgramVersion.text,
        subcommands: [
            SetupCommand.self, SignupCommand.self, LoginCommand.self, LogoutCommand.self,
            DeleteAccountCommand.self, PasswdCommand.self, KitCommand.self,
            SyncCommand.self, StatusCommand.self, DevicesCommand.self, RevokeCommand.self,
            ImportCommand.self, ExportCommand.self, HistoryCommand.self, ConflictsCommand.self,
            DaemonCommand.self,
            StopCommand.self, EntitlementsCommand.self, LockCommand.self, UnlockCommand.self,
            PasscodeCommand.self, DoctorCommand.self, RPCCommand.self, BackupCommand.self,
            RestoreCommand.self, DeletedCommand.self, DeletionsCommand.self,
            KeyValueCommand.self, AccountServerCommand.self, ResetCommand.self,
        ]
    )

    static func main() async {
        // First of all: the next file that is opened would take a closed stream's place.
        Console.fillClosedStreams()
        // Before libraries start, since they read the environment then.
        TransportEnvironment.harden()
        ProcessProtection.crashSilently()
        if let status = EverydayReplacement.run(Terminal.arguments) { Glibc.exit(status) }
        do {
            try Console.run {
                try CommandWords.checkText()
                try CommandWords.check(CommandLine.arguments.dropFirst())
            }
        } catch {
            exit(withError: error)
        }
        do {
            var command = try parseAsRoot(nil)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(error)
        }
    }

    /// Ends the program with the parser's message, as JSON if the command line asks for it; an
    /// unknown option comes first.
    private static func end(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        let words = CommandLine.arguments.dropFirst()
        if code == .validationFailure, !message(for: error).contains("Unknown option"),
            let sentence = UnknownOption.sentence(
                words,
                help: helpMessage(for: CommandWords.command(words), includeHidden: true)
            )
        {
            Console.report(CommandFailure(.usage, sentence + " --help lists all."))
            exit(withError: code)
        }
        // An `ExitCode` is thrown after its reason was printed.
        guard Console.writesJSON, !code.isSuccess, !(error is ExitCode) else {
            exit(withError: error)
        }
        let exitCode = CommandFailure.Exit(rawValue: code.rawValue) ?? .other
        Console.report(CommandFailure(exitCode, message(for: error)))
        exit(withError: code)
    }
}
