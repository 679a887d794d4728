internal import ArgumentParser
internal import KSPostgreSQLStore

struct MigrateCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Makes or updates the tables of a database, as serve does when it starts.",
        discussion: """
            Servers may be running. One call at a time works; others wait for it. It refuses a \
            database of a newer sync-server, and one that has only a part of the tables.
            """
    )

    @Option(
        name: .customLong("store"),
        help: "The PostgreSQL database, as one URI: postgresql://USER@HOST/NAME."
    )
    var address: String

    @Flag(help: "Print what would be done, and change nothing.")
    var dryRun = false

    var directory: DataDirectory? { nil }

    func validate() throws { try PlaceOptions.check(address) }

    func perform() async throws {
        let missing = try PostgreSQLSchema.migrate(address: address, isDryRun: dryRun)
        guard !missing.isEmpty else { return print("the database is up to date") }
        for name in missing { print(dryRun ? "would run \(name)" : "ran \(name)") }
    }
}
