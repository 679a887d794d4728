internal import ArgumentParser
internal import KSDigests
internal import KSPostgreSQLStore

struct RenewSecretCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew-secret",
        abstract: "Makes a new token secret, in case the old one was read; every session ends.",
        discussion: """
            No server may be running on the directory; servers on a database take the secret at \
            their next start. Devices open new sessions by themselves; nothing is lost.
            """
    )

    @OptionGroup
    var place: PlaceOptions

    var directory: DataDirectory? { place.directory }

    func perform() async throws {
        if let database = try place.database() {
            try database.renewSecret(byteCount: ServerSecret.byteCount)
            database.close()
            print("the token secret is new; restart all servers, which ends every session")
            return
        }
        let directory = try place.existingDirectory()
        let lock = try DataDirectoryLock(directory)
        try ServerSecret.renew(in: directory, random: SystemRandomSource())
        withExtendedLifetime(lock) {}
        print("the token secret is new; every session has ended")
    }
}
