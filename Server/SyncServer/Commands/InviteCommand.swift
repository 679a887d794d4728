internal import ArgumentParser
internal import KSDigests
internal import KSPostgreSQLStore

struct InviteCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Prints a code with which one account can be made (--registration invite)."
    )

    @OptionGroup
    var place: PlaceOptions

    var directory: DataDirectory? { place.directory }

    func perform() async throws {
        let database = try place.database()
        let invitations =
            try database.map(Invitations.init(database:))
            ?? Invitations(directory: place.existingDirectory().invitationsPath)
        print(try invitations.make(random: SystemRandomSource()))
        database?.close()
    }
}
