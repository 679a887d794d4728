internal import ArgumentParser
internal import KSDaemon

struct LogoutCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Takes this device out of its account, and removes what it synced.",
        discussion: """
            Items that never synced stay. The command refuses while changes of this device are not \
            on the server. The account itself stays, with its other devices; logging in again \
            needs the password and the Account Key.
            """
    )

    @OptionGroup
    var home: HomeOption

    @Flag(
        help: """
            Keep synced items and key-value stores on this device; they go to the account that it \
            joins next.
            """
    )
    var keepItems = false

    @Flag(help: "Leave although changes of this device are not on the server, and lose them.")
    var discardUnsent = false

    func perform() throws {
        let left = try home.call(
            LeaveAccount(keepsItems: keepItems, discardsUnsent: discardUnsent)
        )
        Console.say("Logged out of \(left.account); \(left.device) has no account now.")
        Console.say("\(keepItems ? "Kept" : "Removed") \(left.entries) items and values.")
        if left.unsent > 0, !keepItems { Console.say("Changes lost: \(left.unsent).") }
    }
}
