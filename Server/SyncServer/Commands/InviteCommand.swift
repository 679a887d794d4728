internal import ArgumentParser
internal import KSDigests

struct InviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Prints a code with which one account can be made (--registration invite)."
    )

    @OptionGroup
    var data: DataOptions

    func run() async throws {
        try await ExitReason.orExit {
            let directory = try data.existingDirectory()
            do throws(DataDirectoryError) {
                let invitations = Invitations(directory: directory.invitationsPath)
                print(try invitations.make(random: SystemRandomSource()))
            } catch {
                throw ExitReason(error, directory)
            }
        }
    }
}
