internal import ArgumentParser
internal import Foundation
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
            StoreRestoreCommand.self, MigrateCommand.self, CopyCommand.self,
            RenewSecretCommand.self, NextPinCommand.self, ShowRecordCommand.self,
            AccountsCommand.self, InvitationsCommand.self, StatsCommand.self, CheckCommand.self,
        ]
    )

    static func main() async {
        crashSilently()
        var command: any ParsableCommand
        do {
            command = try parseAsRoot(nil)
        } catch {
            end(error)
        }
        do {
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(withError: error)
        }
    }

    /// Ends the program with the parser's message, or with one about an unknown command or option.
    private static func end(_ error: any Error) -> Never {
        let words = CommandLine.arguments.dropFirst()
        let help = helpMessage(for: command(words, of: Self.self), includeHidden: true)
        let text = fullMessage(for: error)
        guard exitCode(for: error) == .validationFailure,
            let sentence = unknownCommand(words)
                ?? (text.contains("Unknown option")
                    ? nil : UnknownOption.sentence(words, help: help))
        else { exit(withError: error) }
        let usage = text.firstRange(of: "\nUsage:").map { text[$0.lowerBound...] } ?? ""
        FileHandle.standardError.write(Data("Error: \(sentence)\(usage)\n".utf8))
        exit(withError: exitCode(for: error))
    }

    private static func unknownCommand(_ words: ArraySlice<String>) -> String? {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let word = words.first, !word.hasPrefix("-"), !names.contains(word) else {
            return nil
        }
        return UnknownOption.sentence(command: word, among: names)
    }

    /// The command that these words begin with.
    private static func command(
        _ words: ArraySlice<String>,
        of parent: any ParsableCommand.Type
    ) -> any ParsableCommand.Type {
        let next = parent.configuration.subcommands.first {
            $0.configuration.commandName == words.first
        }
        return next.map { command(words.dropFirst(), of: $0) } ?? parent
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
