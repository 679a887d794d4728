internal import KSDaemon
internal import KSAgent
internal import ArgumentParser

struct HomeOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The device's directory; else KEYCHAIN_SYNC_HOME, else as XDG says.",
            valueName: "dir"
        )
    )
    var home: String?

    func agentHome() throws(AgentError) -> AgentHome {
        try AgentHome(argument: home)
    }

    /// Calls the home's daemon, which is started when none runs, and shows how far it is.
    func call<Call: AgentCall>(_ call: Call) throws(CommandFailure) -> Call.Answer {
        let bar = ProgressBar()
        defer { bar.clear() }
        do throws(AgentError) {
            return try AgentClient(home: agentHome()).call(call) { bar.show($0) }
        } catch {
            throw CommandFailure(error)
        }
    }
}
