internal import ArgumentParser
internal import Foundation
internal import KSDigests

struct InviteCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Prints a code with which one account can be made (--registration invite).",
        discussion: """
            The code alone is on standard output; its number, by which invitations revoke knows \
            it, is on standard error.
            """
    )

    @OptionGroup
    var place: PlaceOptions

    var directory: DataDirectory? { place.directory }

    func perform() async throws {
        let code = try place.withInvitations { try $0.make(random: SystemRandomSource()) }
        print(code)
        let note = "sync-server: this is invitation number \(Invitations.number(of: code))\n"
        FileHandle.standardError.write(Data(note.utf8))
    }
}
