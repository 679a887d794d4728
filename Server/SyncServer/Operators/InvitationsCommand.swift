internal import ArgumentParser
internal import Foundation
internal import KSDigests

struct InvitationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invitations",
        abstract: "Lists and revokes unused invitations, also while a server runs.",
        discussion: "sync-server invite makes one.",
        subcommands: [InvitationsListCommand.self, InvitationsRevokeCommand.self]
    )
}

struct InvitationsListCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract:
            "Lists unused invitations by number and age. A code is shown only when it is made."
    )

    @OptionGroup
    var data: DataOptions
    @OptionGroup
    var output: JSONOption
    var json: Bool { output.json }

    private struct Unused: Encodable {
        let number: String
        let ageSeconds: UInt64
    }

    func perform() async throws {
        let invitations = Invitations(directory: try data.existingDirectory().invitationsPath)
        let now = WallClock.system.seconds()
        let all = try invitations.all().map { unused in
            Unused(number: unused.number, ageSeconds: now - min(now, unused.seconds))
        }
        var table = TextTable(["NUMBER", "AGE"], numbers: [1])
        for unused in all {
            table.add([unused.number, Shown.silence(unused.ageSeconds)])
        }
        try show(all, all.isEmpty ? ["There is no unused invitation."] : table.lines)
    }
}

struct InvitationsRevokeCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Makes an unused invitation void."
    )

    @Argument(help: "Its number, as the list has it, or its code; all for all of them.")
    var invitation: String

    @OptionGroup
    var data: DataOptions
    @OptionGroup
    var output: JSONOption
    var json: Bool { output.json }

    func perform() async throws {
        let invitations = Invitations(directory: try data.existingDirectory().invitationsPath)
        let count: Int
        if invitation == "all" {
            count = try invitations.all().count { invitations.remove(number: $0.number) }
        } else {
            let isRevoked =
                invitations.take(invitation) || invitations.remove(number: invitation)
            guard isRevoked else {
                throw ExitReason(
                    .refused,
                    "There is no unused invitation of that number or code:"
                        + " sync-server invitations list shows all."
                )
            }
            count = 1
        }
        try show(["revoked": count], ["revoked \(count)"])
    }
}
