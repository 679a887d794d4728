import ArgumentParser
import KSBytes

/// Devices, users, a bad network and a server: as a story says, or as a seed decides.
@main
struct SyncSimulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync-simulate",
        abstract: "Simulates devices, users, a bad network and a server.",
        discussion: """
            Everything runs the real keychain, sync, sealing and store in one thread. The same \
            story or seed does the same, and has the same trace hash, in every process.
            """,
        version: ProgramVersion.text,
        subcommands: [
            RunStories.self, RecordStory.self, ListActions.self, RunWorlds.self,
        ],
        defaultSubcommand: RunWorlds.self
    )
}
