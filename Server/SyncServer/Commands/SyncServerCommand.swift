internal import ArgumentParser

@main
struct SyncServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync-server",
        abstract: "Keeps the sealed records of people's devices and passes them on.",
        discussion: """
            Exit codes: 0 done, 64 usage, 69 cannot listen, 74 disk trouble, 77 refused, \
            1 anything else.
            """,
        subcommands: [
            ServeCommand.self, InviteCommand.self, BackupCommand.self, RestoreCommand.self,
            ShowRecordCommand.self,
        ]
    )
}

/// The option that every command has.
struct DataOptions: ParsableArguments {
    @Option(name: .customLong("data"), help: "The directory that holds the server's data.")
    var path: String

    var directory: DataDirectory { DataDirectory(path: path) }
}
