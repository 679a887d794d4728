internal import ArgumentParser
internal import Glibc
internal import KSBytes

@main
struct SyncServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync-server",
        abstract: "Stores sealed records and delivers them to the account's other devices.",
        discussion: """
            Exit codes: 0 done, 64 usage, 69 cannot listen or reach the database, 74 disk trouble, \
            77 refused, 1 anything else.
            """,
        version: ProgramVersion.text,
        subcommands: [
            ServeCommand.self, InviteCommand.self, StoreBackupCommand.self,
            StoreRestoreCommand.self, MigrateCommand.self,
            RenewSecretCommand.self, NextPinCommand.self, ShowRecordCommand.self,
            AccountsCommand.self, InvitationsCommand.self, StatsCommand.self, CheckCommand.self,
        ]
    )

    static func main() async {
        crashSilently()
        await main(nil)
    }

    /// Lets a crash end the process without a backtrace, unless `SWIFT_BACKTRACE` asks for one.
    ///
    /// A backtrace would write registers and memory into the log, and with them tokens and names.
    private static func crashSilently() {
        guard unsafe getenv("SWIFT_BACKTRACE") == nil else { return }
        for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] {
            _ = signal(number, SIG_DFL)
        }
    }
}

/// The option of commands on a directory.
struct DataOptions: ParsableArguments {
    @Option(name: .customLong("data"), help: "The directory that holds the server's data.")
    var path: String

    var directory: DataDirectory { DataDirectory(path: path) }

    /// The directory, which must exist: only `serve` and `restore` create one.
    func existingDirectory() throws(ExitReason) -> DataDirectory { try Self.existing(path) }

    static func existing(_ path: String) throws(ExitReason) -> DataDirectory {
        let directory = DataDirectory(path: path)
        guard directory.exists else {
            throw ExitReason(
                .disk,
                "There is no data directory \(directory.path): name the one that sync-server serve"
                    + " was started with."
            )
        }
        return directory
    }
}
