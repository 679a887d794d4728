internal import KSDaemon
internal import KSAgent
internal import ArgumentParser

struct HomeOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The device's directory; by default KEYCHAIN_SYNC_HOME, else one below XDG_DATA_HOME.",
            valueName: "dir"
        )
    )
    var home: String?

    func agentHome() throws(AgentError) -> AgentHome {
        try AgentHome(argument: home)
    }

    /// Calls the home's daemon, starts it when none runs, and shows the progress of the call.
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
