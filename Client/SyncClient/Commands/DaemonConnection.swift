internal import KSDeviceKeys
internal import KSDaemon
internal import KSAgent
internal import ArgumentParser
internal import KSRPC
internal import KSSealing

/// A command that turns any error into one sentence and an exit status.
///
/// Other programs of the user cannot read its memory, except while it connects to the daemon.
protocol ClientCommand: ParsableCommand {
    func perform() throws
}

extension ClientCommand {
    func run() throws {
        ProcessProtection.forbidMemoryReading()
        try Console.run(perform)
    }
}

/// The connection of a command to its daemon, which all its calls share: a command connects before
/// it has a secret in its memory.
enum DaemonConnection {
    // Safety: a command makes its calls on one thread.
    nonisolated(unsafe) private static var open: (client: AgentClient, home: AgentHome)?

    /// Makes a call over the open connection, if it can be used, else over a new one.
    static func call<Call: AgentCall>(
        _ call: Call,
        on home: AgentHome,
        whenProgress: (AgentProgress) -> Void
    ) throws(AgentError) -> Call.Answer {
        do throws(AgentError) {
            return try client(of: home).call(call, whenProgress: whenProgress)
        } catch {
            switch error {
            // These leave the connection usable.
            case .failed, .messageTooLarge: break
            default: unsafe open = nil
            }
            throw error
        }
    }

    private static func client(of home: AgentHome) throws(AgentError) -> AgentClient {
        if let open = unsafe open, open.home == home, !open.client.isStale { return open.client }
        let client = try connect(to: home)
        unsafe open = (client, home)
        return client
    }

    /// Connects, and starts the daemon first when none runs.
    static func connect(
        to home: AgentHome,
        startsDaemon: Bool = true
    ) throws(AgentError) -> AgentClient {
        ProcessProtection.allowBeingLookedAt()
        defer { ProcessProtection.forbidMemoryReading() }
        let client = try AgentClient(home: home, startsDaemon: startsDaemon)
        do throws(AgentError) {
            _ = try client.call(Greet())
        } catch {
            // An error reply is an answer too; the command's own call will get the same one.
            guard case .failed = error else { throw error }
        }
        return client
    }
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
    ///
    /// `expectsOne`: whether a home usually exists before this command. The path of a new home
    /// from the environment is always shown: the user may have mistyped or forgotten it.
    func madeHome(expectsOne: Bool = false) throws(AgentError) -> AgentHome {
        let isMissing = AgentHome.missing(argument: home) != nil
        let made = try AgentHome(argument: home)
        if isMissing, expectsOne || home == nil { Console.warn(made.sentenceWhenNew) }
        return made
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
        let line = ProgressLine()
        defer { line.clear() }
        var waitsForServer = false
        do throws(AgentError) {
            return try DaemonConnection.call(call, on: agentHome()) { progress in
                if progress == .waitsForServer, !waitsForServer {
                    waitsForServer = true
                    line.clear()
                    Console.warn("Waiting for the server: it has not answered yet.")
                }
                line.show(progress)
            }
        } catch {
            throw CommandFailure(error)
        }
    }
}

/// The options of a command that shows what the daemon answers.
struct AnswerOptions: ParsableArguments {
    @OptionGroup
    var home: HomeOption

    @Flag(help: "Print JSON; an error is JSON too, with code, message and next.")
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
        say(lines(answer), json: answer.agentValue)
        return answer
    }

    /// Prints lines, or JSON.
    func say(_ lines: @autoclosure () -> [String], json value: AgentValue) {
        for line in json ? [JSONText.text(value)] : lines() { Console.say(line) }
    }
}
