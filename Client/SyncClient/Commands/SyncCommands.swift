internal import KSBytes
internal import KSDeviceKeys
package import KSDaemon
internal import KSEveryday
internal import KSAgent
internal import ArgumentParser
internal import KSSealing

package struct SyncCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Pushes and pulls until nothing is left.",
        discussion: """
            The exit status is 0 only when the server has every change of this device, and this \
            device could read every record of the server.
            """
    )

    @OptionGroup
    var answer: AnswerOptions

    func perform() throws {
        let counts = try answer.show(SyncNow()) { [Self.line($0)] }
        if !answer.json { DeviceNewsLines.warn(counts.deviceNews) }
        if let failure = CommandFailure(openRecordsIn: counts) { throw failure }
    }

    package static func line(_ counts: SyncedCounts) -> String {
        "pushed \(counts.pushed), pulled \(counts.pulled), conflicts \(counts.conflicts)"
    }
}

package struct StatusCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the account, the device, and the state of sync.",
        discussion: """
            unsent is how many items and values have changes that are not on the server. The exit \
            status is 77 if the server refuses this device, which then does not sync, and 74 if \
            this device's disk is full or broken.
            """
    )

    @OptionGroup
    var answer: AnswerOptions

    @Flag(
        help: """
            For a job that looks after this device: end with a status other than 0 while anything \
            needs you, such as a paused sync, a full account, another key of the server, or a \
            device that was not unlocked since its start.
            """
    )
    var check = false

    func perform() throws {
        let status = try answer.show(GetStatus(), Self.lines)
        if let failure = (check ? status.alarm : nil) ?? status.failure { throw failure }
    }

    package static func lines(_ status: DeviceStatus) -> [String] {
        let integrityProblems = status.integrityProblems
        let integrity =
            "integrity    "
            + (integrityProblems.isEmpty ? "ok" : integrityProblems.joined(separator: "; "))
        // A refusal is reported when the command ends.
        let problem =
            status.refusal == nil
            ? status.standing.problem.map { ["problem      " + $0] } ?? [] : []
        guard let sync = status.sync else {
            let account =
                if status.standing.problem != nil {
                    "cannot be read"
                } else if status.lock.lock == .beforeFirstUnlock {
                    "can be read after the first unlock"
                } else {
                    "none on this device"
                }
            return ["account      " + account, line(status.lock), integrity] + problem
                + next(status)
        }
        let reasons = sync.quarantined.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let total = sync.quarantined.values.reduce(0, +)
        let lastSync = sync.lastSync?.moment.iso8601 ?? "never"
        var lines = [
            "account      \(sync.account.printable)",
            "device       \(sync.device.printable)",
            "server       \(sync.server)",
            "last sync    \(lastSync)",
            "unsent       \(sync.unsent)",
            "conflicts    \(sync.conflicts)",
            "quarantined  \(total)"
                + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"),
            integrity,
        ]
        if let bytes = sync.accountBytes { lines.append(account(bytes, of: sync)) }
        lines += DeviceNewsLines.status(sync.deviceNews)
        lines += OpenRecordLines.lines(notSent: sync.notSent, quarantined: sync.quarantinedItems)
        if sync.waiting > 0 {
            lines.append("waiting      \(sync.waiting) received, opened at the next unlock")
        }
        if sync.deletions > 0 {
            lines.append(
                "deleted      \(sync.deletions) on other devices: the rest stays until you decide"
            )
        }
        lines.append(line(status.lock))
        lines.append("connection   \(sync.connection)")
        if let since = sync.refusedSince {
            lines.append("refused      by the server since \(since.moment.iso8601)")
        }
        if let restored = sync.restored {
            let time = restored.ended.map { $0.moment.iso8601 + ": " } ?? ""
            lines.append("restored     " + time + restored.sentence)
        }
        if let end = sync.certificateEnd {
            lines.append("certificate  of the server ends \(end.moment.iso8601)")
        }
        if let paused = sync.paused { lines.append("paused       \(paused)") }
        return lines + problem + next(status)
    }

    /// The command to run next, if one can be named.
    private static func next(_ status: DeviceStatus) -> [String] {
        status.nextStep?.command.map { ["next         " + $0] } ?? []
    }

    /// How full the account is.
    private static func account(_ bytes: Int, of sync: SyncStatus) -> String {
        let text = "on server    " + ByteText.text(bytes)
        guard let bytesMax = sync.accountBytesMax else { return text + (sync.full ? ", full" : "") }
        let percent = bytes >= bytesMax ? 100 : Int(Double(bytes) / Double(bytesMax) * 100)
        let end = bytes >= bytesMax ? ", full" : ", too little room for what waits"
        return text + " of \(ByteText.text(bytesMax)) (\(percent)%)" + (sync.full ? end : "")
    }

    private static func line(_ status: LockStatus) -> String {
        let shown =
            status.lock == .beforeFirstUnlock
            ? "not unlocked since the start" : status.lock.rawValue
        guard status.passcode else { return "lock         \(shown), no passcode" }
        let after = status.lockAfterMinutes.map { ", by itself after \($0) min" }
        return "lock         \(shown), passcode set" + (after ?? "")
    }
}

extension DeviceStatus {
    /// The failure of a command on a device that the server refuses; nil if it does not.
    package var refusal: CommandFailure? {
        sync?.refusedSince.map { _ in standing.failure ?? .serverRefusesDevice }
    }

    /// Why `status` fails after its lines, also without `--check`: the server refuses the device,
    /// or the disk is full or broken.
    package var failure: CommandFailure? {
        refusal ?? standing.failure.flatMap { $0.exit == .diskTrouble ? $0 : nil }
    }
}

struct StopCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stops the home's daemon, if one runs."
    )

    /// How long a daemon may take to end.
    private static let endMilliseconds: Int32 = 8000
    /// How long a daemon that has locked the home may take until it accepts connections.
    private static let listenMilliseconds = 3000
    /// How long a running daemon may take to answer that it stops.
    private static let answerMilliseconds = 5000

    @OptionGroup
    var home: HomeOption

    func perform() throws {
        // The daemon identifies this program, which has no secrets.
        ProcessProtection.allowBeingLookedAt()
        // Without the default home, no daemon can run; one that was named must exist.
        if home.home == nil, AgentHome.missing(argument: nil) == nil,
            !AgentHome.exists(argument: nil)
        {
            return
        }
        let agentHome = try home.agentHome()
        guard let client = try Self.connect(agentHome) else { return }
        client.limitSilence(milliseconds: Self.answerMilliseconds)
        do throws(AgentError) {
            _ = try client.call(StopDaemon())
        } catch .connectionLost {
            // Another command stops it at the same moment.
        } catch .daemonSilent {
            throw try Self.deaf(agentHome, "does not answer")
        }
        // Its connections close first, then it unlocks the home, then the process is gone.
        let isGone =
            client.peer.processID > 0
            ? client.peer.waitUntilEnded(milliseconds: Self.endMilliseconds)
            // A process of another namespace has no number here.
            : try AgentLock.waitUntilFree(agentHome, milliseconds: Int(Self.endMilliseconds))
        guard isGone else {
            throw CommandFailure.tryAgain(
                "The daemon (process \(client.peer.processID)) was asked to stop and has not ended"
                    + " yet: wait a moment, and try again."
            )
        }
    }

    /// Connects to the daemon that has locked the home, even one that is just starting.
    ///
    /// - Returns: nil when no daemon has locked it.
    private static func connect(_ home: AgentHome) throws -> AgentClient? {
        let end = ContinuousClock.now + .milliseconds(listenMilliseconds)
        while true {
            do throws(AgentError) {
                return try AgentClient(home: home, startsDaemon: false)
            } catch {
                guard error == .daemonNotRunning else { throw error }
            }
            if try AgentLock.waitUntilFree(home, milliseconds: 50) { return nil }
            guard ContinuousClock.now < end else { throw try deaf(home, "accepts no connection") }
        }
    }

    private static func deaf(
        _ home: AgentHome,
        _ complaint: String
    ) throws(AgentError) -> CommandFailure {
        let process = try AgentLock.holder(of: home).map { " (process \($0))" } ?? ""
        return CommandFailure.tryAgain(
            "A daemon\(process) still holds this home directory and \(complaint): end that process,"
                + " or try again."
        )
    }
}
