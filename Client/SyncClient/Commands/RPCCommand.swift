internal import ArgumentParser
internal import KSAgent
internal import KSRPC

/// The command that `keychain rpc` runs: SecItem calls for programs in any language.
struct RPCCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rpc",
        abstract: "Answers SecItem calls: a JSON request a line in, a JSON answer a line out.",
        shouldDisplay: false
    )

    @OptionGroup
    var home: HomeOption

    func run() {
        // The daemon identifies it at each connection, and the caller gets what it reads anyway.
        ProcessProtection.allowBeingLookedAt()
        RPCSession(keychain: DaemonKeychain(home: home.home, warn: Console.warn)).serve()
    }
}
