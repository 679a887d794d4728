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
    var options: OperatorOptions

    private struct Unused: Encodable {
        let number: String
        /// Nil if it is unknown.
        let ageSeconds: UInt64?
    }

    func perform() async throws {
        let now = WallClock.system.seconds()
        let all = try options.place.withInvitations { try $0.all() }.map { unused in
            Unused(
                number: unused.number,
                ageSeconds: unused.seconds.map { now - min(now, $0) }
            )
        }
        var table = TextTable(["NUMBER", "AGE"], numbers: [1])
        for unused in all {
            table.add([unused.number, unused.ageSeconds.map(Shown.silence) ?? "-"])
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
    var options: OperatorOptions

    func perform() async throws {
        let count = try options.place.withInvitations { invitations in
            if invitation == "all" {
                return try invitations.all().count { try invitations.remove(number: $0.number) }
            }
            let isRevoked =
                try invitations.take(invitation) || invitations.remove(number: invitation)
            guard isRevoked else {
                throw ExitReason(
                    .refused,
                    "There is no unused invitation of that number or code:"
                        + " sync-server invitations list shows all."
                )
            }
            return 1
        }
        try show(["revoked": count], ["revoked \(count)"])
    }
}
