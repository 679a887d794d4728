internal import ArgumentParser
internal import KSAgent
internal import KSDaemon

/// The way out for a device whose passcode is lost.
struct ResetCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Gives up this device's keychain, such as after a lost passcode.",
        discussion: """
            It shows what only this device has and would be lost, and asks. The keychain's files \
            move to a folder of the home, given-up-1, and an empty keychain begins: login brings \
            back all that is on the server, as a new device. If you remember the passcode, the \
            command unlock with that folder as its --home opens the old one; delete the folder \
            when you do not need it. Further keychains and entitlements.json stay.
            """
    )

    @OptionGroup
    var home: HomeOption

    @Flag(help: "Do not ask: lose what is not on the server.")
    var discardUnsent = false

    func perform() throws {
        let agentHome = try home.agentHome()
        if !discardUnsent { try ask() }
        var stop = StopCommand()
        stop.home = home
        try stop.perform()
        let folder = try GivenUpHome.giveUp(agentHome)
        Console.say("The keychain of this device is given up; its files are in \(folder).")
        Console.say("sync-client login adds this device to its account again, as a new device.")
        Console.say("Remove the old one then: sync-client devices shows it.")
    }

    /// Names what would be lost; returns only if it may be.
    private func ask() throws(CommandFailure) {
        let loss = whatIsLost()
        guard Console.canAsk else {
            throw CommandFailure(code: .wouldBeLost, ["what": loss ?? "nothing"])
        }
        Console.note(
            loss.map { "This would be lost: \($0)." }
                ?? "Nothing would be lost: all of it is on the server."
        )
        guard try SetupQuestion.isYes("Give up the keychain of this device?") else {
            throw CommandFailure(code: .nothingGivenUp)
        }
    }

    /// What only this device has; nil if it has nothing.
    private func whatIsLost() -> String? {
        do throws(CommandFailure) {
            return try home.call(CountLoss()).sentence
        } catch {
            // Such as a daemon that cannot start without a key file.
            return "all that is not on the server, which cannot be counted"
        }
    }
}
