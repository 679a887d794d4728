internal import KSRPC
internal import KSDaemon
internal import KSAgent
internal import ArgumentParser

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Pushes and pulls until nothing is left.",
        discussion: """
            It ends with 0 only when everything is on the server and everything of the server's \
            could be read.
            """
    )

    @OptionGroup
    var home: HomeOption

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        try Console.run {
            let answer = try home.call("sync.now")
            let counts = answer.dictionary ?? [:]
            Console.say(json ? JSONText.text(answer) : Self.line(counts))
            if let failure = CommandFailure(openRecordsIn: counts) { throw failure }
        }
    }

    static func line(_ counts: AgentDictionary) -> String {
        func count(_ name: String) -> Int64 { counts[name]?.integer ?? 0 }
        return "pushed \(count("pushed")), pulled \(count("pulled")),"
            + " conflicts \(count("conflicts"))"
    }
}

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the account, the device, and how sync stands."
    )

    @OptionGroup
    var home: HomeOption

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        try Console.run {
            let answer = try home.call("status")
            guard !json else { return Console.say(JSONText.text(answer)) }
            for line in Self.lines(answer.dictionary ?? [:]) { Console.say(line) }
        }
    }

    static func lines(_ status: AgentDictionary) -> [String] {
        func count(_ name: String) -> Int64 { status[name]?.integer ?? 0 }
        let unreadable = count("unreadable")
        let integrity =
            unreadable == 0
            ? "integrity    ok"
            : "integrity    \(unreadable) items on this device cannot be read"
        let lock = lockLine(status)
        guard status["joined"]?.bool == true else {
            let problem = status["problem"]?.string
            let isUnknown = status["lock"]?.string == "beforeFirstUnlock"
            let account =
                if problem != nil {
                    "cannot be read"
                } else if isUnknown {
                    "can be read after the first unlock"
                } else {
                    "none on this device"
                }
            let problems = problem.map { ["problem      " + $0] } ?? []
            return ["account      " + account] + lock + [integrity] + problems
        }
        let quarantined = (status["quarantined"]?.dictionary ?? [:]).entries
        let total = quarantined.reduce(0) { $0 + ($1.value.integer ?? 0) }
        let reasons = quarantined.map { "\($0.key) \($0.value.integer ?? 0)" }
        var lines = [
            "account      \(status["account"]?.string ?? "")",
            "device       \(status["device"]?.string ?? "")",
            "server       \(status["server"]?.string ?? "")",
            "last sync    \(status["lastSync"]?.date.map(JSONText.time) ?? "never")",
            "unsent       \(count("unsent"))",
            "conflicts    \(count("conflicts"))",
            "quarantined  \(total)"
                + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"),
            integrity,
        ]
        lines += OpenRecordLines.lines(status)
        if count("waiting") > 0 {
            lines.append("waiting      \(count("waiting")) received, opened at the next unlock")
        }
        lines += lock
        lines += [
            "connection   \(status["listening"]?.bool == true ? "open" : "closed")"
        ]
        if let held = status["held"]?.string { lines.append("held         \(held)") }
        if let problem = status["problem"]?.string { lines.append("problem      \(problem)") }
        return lines
    }

    private static func lockLine(_ status: AgentDictionary) -> [String] {
        guard let state = status["lock"]?.string else { return [] }
        let shown =
            switch state {
            case "beforeFirstUnlock": "not unlocked since the start"
            default: state
            }
        guard status["passcode"]?.bool == true else {
            return ["lock         \(shown), no passcode"]
        }
        let after = status["lockAfterMinutes"]?.integer.map { ", by itself after \($0) min" }
        return ["lock         \(shown), passcode set" + (after ?? "")]
    }
}

struct StopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stops the home's daemon, if one runs."
    )

    private static let endMilliseconds: Int32 = 5000
    /// In which a daemon that has the home takes connections, or does so again.
    private static let listenMilliseconds = 3000
    /// In which one that runs at all says that it stops.
    private static let answerMilliseconds = 5000

    @OptionGroup
    var home: HomeOption

    func run() throws {
        try Console.run {
            let agentHome = try home.agentHome()
            guard let client = try Self.connect(agentHome) else { return }
            client.limitSilence(milliseconds: Self.answerMilliseconds)
            do throws(AgentError) {
                _ = try client.call("stop")
                client.waitUntilClosed(milliseconds: Self.endMilliseconds)
                // Its connections close a little before it lets go of the home.
                _ = try AgentLock.waitUntilFree(
                    agentHome,
                    milliseconds: Int(Self.endMilliseconds)
                )
            } catch .connectionLost {
                // Somebody else stopped it at this moment.
                return
            } catch .daemonSilent {
                throw try Self.deaf(agentHome, "does not answer")
            }
        }
    }

    /// Connects to the daemon that listens; nil when none does.
    private static func listening(_ home: AgentHome) throws(AgentError) -> AgentClient? {
        do throws(AgentError) {
            return try AgentClient(home: home, startsDaemon: false)
        } catch {
            guard error == .daemonNotRunning else { throw error }
            return nil
        }
    }

    /// Connects to the daemon that has the home, also one that is just beginning to.
    ///
    /// - Returns: nil when none has it.
    private static func connect(_ home: AgentHome) throws -> AgentClient? {
        let end = ContinuousClock.now + .milliseconds(listenMilliseconds)
        while true {
            if let client = try listening(home) { return client }
            if try AgentLock.waitUntilFree(home, milliseconds: 50) { return nil }
            guard ContinuousClock.now < end else { break }
        }
        throw try deaf(home, "takes no connection")
    }

    private static func deaf(
        _ home: AgentHome,
        _ complaint: String
    ) throws(AgentError) -> CommandFailure {
        let process = try AgentLock.holder(of: home).map { " (process \($0))" } ?? ""
        return CommandFailure(
            .tryAgain,
            "A daemon\(process) still holds this home directory and \(complaint): end that"
                + " process, or try again."
        )
    }
}
