internal import Agent
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
    func call(
        _ name: String,
        _ arguments: AgentDictionary = [:]
    ) throws(CommandFailure) -> AgentValue {
        let bar = ProgressBar()
        defer { bar.clear() }
        var log: String?
        do throws(AgentError) {
            let agentHome = try agentHome()
            log = agentHome.logPath
            return try AgentClient(home: agentHome).call(name, arguments) { bar.show($0) }
        } catch {
            if case .daemonFailed = error, let log, let said = Self.lastWord(inLog: log) {
                throw CommandFailure(CommandFailure(error).exit, said)
            }
            throw CommandFailure(error)
        }
    }

    /// What a daemon said last before it ended, as if it had been started by hand.
    private static func lastWord(inLog path: String) -> String? {
        // Where there is no log to read, its exit code has to do.
        guard let bytes = try? FileInput.read(path, bytesMax: 64 << 20) else { return nil }
        let text = String(decoding: bytes.suffix(4096), as: UTF8.self)
        guard let line = text.split(separator: "\n").last, line.hasPrefix("sync-client: ") else {
            return nil
        }
        return String(line.dropFirst("sync-client: ".count))
    }
}
