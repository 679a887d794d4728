internal import ArgumentParser
internal import KSDigests

struct RenewSecretCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew-secret",
        abstract: "Makes a new token secret, in case the old one was read; every session ends.",
        discussion: """
            No server may be running. Devices open new sessions by themselves; nothing is lost.
            """
    )

    @OptionGroup
    var data: DataOptions

    func perform() async throws {
        let directory = try data.existingDirectory()
        let lock = try DataDirectoryLock(directory)
        try ServerSecret.renew(in: directory, random: SystemRandomSource())
        withExtendedLifetime(lock) {}
        print("the token secret is new; every session has ended")
    }
}
