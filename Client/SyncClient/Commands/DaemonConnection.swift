internal import KSDaemon
internal import KSAgent
internal import ArgumentParser
internal import KSRPC
internal import KSSealing

/// A command that turns any error into one sentence and an exit status.
protocol ClientCommand: ParsableCommand {
    func perform() throws
}

extension ClientCommand {
    func run() throws { try Console.run(perform) }
}

struct HomeOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The device's directory; by default KEYCHAIN_SYNC_HOME, else one below XDG_DATA_HOME.",
            valueName: "dir"
        )
    )
    var home: String?

    /// The home, which must exist if the user names it.
    func agentHome() throws(AgentError) -> AgentHome {
        try AgentHome(argument: home, makesNamed: false)
    }

    /// The home, which is made if it does not exist.
    func madeHome() throws(AgentError) -> AgentHome {
        try AgentHome(argument: home)
    }

    /// Fails on a locked device, before the command asks for anything or waits.
    ///
    /// `onlyBeforeFirstUnlock`: a device that was unlocked before and locked again is accepted.
    func refuseIfLocked(onlyBeforeFirstUnlock: Bool = false) throws(CommandFailure) {
        let lock = try call(GetLockStatus()).lock
        guard lock == .unlocked || onlyBeforeFirstUnlock && lock == .locked else { throw .locked }
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

/// The options of a command that shows what the daemon answers.
struct AnswerOptions: ParsableArguments {
    @OptionGroup
    var home: HomeOption

    @Flag(help: "Print JSON; an error is JSON too, with code and message.")
    var json = false

    /// Makes a call, and prints its answer: these lines, or JSON.
    ///
    /// - Returns: the answer.
    @discardableResult
    func show<Call: AgentCall>(
        _ call: Call,
        _ lines: (Call.Answer) -> [String]
    ) throws -> Call.Answer {
        let answer = try home.call(call)
        say(lines(answer), json: try answer.agentValue)
        return answer
    }

    /// Prints lines, or JSON.
    func say(_ lines: @autoclosure () -> [String], json value: AgentValue) {
        for line in json ? [JSONText.text(value)] : lines() { Console.say(line) }
    }
}
