internal import ArgumentParser
internal import KSDigests

struct InviteCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Prints a code with which one account can be made (--registration invite)."
    )

    @OptionGroup
    var data: DataOptions

    func perform() async throws {
        let invitations = Invitations(directory: try data.existingDirectory().invitationsPath)
        print(try invitations.make(random: SystemRandomSource()))
    }
}
