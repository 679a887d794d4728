internal import ArgumentParser
internal import KSDaemon

struct LogoutCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Ends sync on this device, and removes what it synced.",
        discussion: """
            Items that never synced stay. Without --keep-items the command refuses unless the \
            server confirms that it has all of this device. The account itself stays, with its \
            other devices; logging in again needs the password and the Account Key. Those go on \
            listing this one, which may return: if you give it away, run sync-client revoke there.
            """
    )

    @OptionGroup
    var home: HomeOption

    @Flag(
        help: """
            Keep synced items and key-value stores on this device. The same account gets what \
            changed meanwhile; before they go into another one, signup and login ask.
            """
    )
    var keepItems = false

    @Flag(
        help: """
            Leave even if changes of this device are not on the server, and lose them. \
            --keep-items keeps them in any case.
            """
    )
    var discardUnsent = false

    func perform() throws {
        let left = try home.call(
            LeaveAccount(keepsItems: keepItems, discardsUnsent: discardUnsent)
        )
        Console.say("Logged out of \(left.account); \(left.device) has no account now.")
        Console.say("Items and values \(keepItems ? "kept" : "removed"): \(left.entries).")
        if !keepItems, left.entries > left.unsent {
            Console.say("The account has them: sync-client login brings them back.")
        }
        guard left.unsent > 0 else { return }
        if keepItems {
            Console.say("Items and values with changes that are not on the server: \(left.unsent).")
            Console.say(
                "They are sent when this device logs in to the same account. If its server was"
                    + " restored from a backup meanwhile, items go up as they are now."
            )
        } else {
            Console.say("The unsent changes of \(countedEntries(left.unsent)) are lost.")
        }
    }
}
