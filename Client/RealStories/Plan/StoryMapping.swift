internal import KSKeyValues
internal import Simulation

/// What each form of a story's lines does to the real programs.
enum StoryMapping {
    static func steps(
        of line: StoryLine,
        _ context: StoryPlan.Context
    ) throws(Unplayable) -> [Step] {
        if line.isExpectation { return [try expectation(line)] }
        if line.pattern.hasPrefix("DEVICE kv ") { return [try keyValueStep(line)] }
        if let steps = timeSteps(line) ?? serverSteps(line) ?? machineSteps(line) { return steps }
        if let steps = try itemSteps(line) ?? accountSteps(line, context) { return steps }
        switch line.pattern {
        case "DEVICE clock DURATION":
            throw Unplayable("a real device has the clock of its machine")
        case "DEVICE disk-full", "DEVICE disk-free", "server disk-full", "server disk-free":
            throw Unplayable("the disk of this machine is not filled for a story")
        case "DEVICE crash-at-write NUMBER", "server crash-at-write NUMBER":
            throw Unplayable("only a power failure loses what a real disk has not synced")
        case "server remove-deleted":
            throw Unplayable("the server's own clock decides when it removes deleted records")
        default: throw Unplayable("no command of the real programs does this")
        }
    }

    private static func timeSteps(_ line: StoryLine) -> [Step]? {
        switch line.pattern {
        case "sync": [.sync]
        case "advance DURATION": [.advance(milliseconds: milliseconds(line.duration))]
        case "show": [.show]
        default: nil
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        Int(max(0, duration / .milliseconds(1)))
    }

    private static func machineSteps(_ line: StoryLine) -> [Step]? {
        let device = line.text("DEVICE")
        switch line.pattern {
        case "DEVICE offline": return [.setLink(device: device, .offline)]
        case "DEVICE online": return [.setLink(device: device, .open)]
        case "DEVICE one-way": return [.setLink(device: device, .oneWay)]
        case "DEVICE slow DURATION":
            let wanted = milliseconds(line.duration)
            let delay = min(wanted, StoryPlan.delayMillisecondsMax)
            return [.setLink(device: device, .slow(milliseconds: delay))]
        case "DEVICE lossy PERCENT":
            let percent = Int(line.number("PERCENT"))
            return [.setLink(device: device, .lossy(percent: percent))]
        case "DEVICE lock": return [.command(.client(device, "lock"))]
        case "DEVICE unlock": return [.command(.client(device, "unlock"))]
        case "DEVICE kill": return [.killDaemon(device)]
        case "DEVICE start": return [.startDaemon(device)]
        case "DEVICE copy": return [.copyDatabase(device)]
        case "DEVICE put-back":
            return [.killDaemon(device), .putDatabaseBack(device), .startDaemon(device)]
        case "DEVICE clone NAME":
            let name = line.text("NAME")
            return [.copyHome(of: device, to: name), .startDaemon(name)]
        default: return nil
        }
    }

    private static func accountSteps(
        _ line: StoryLine,
        _ context: StoryPlan.Context
    ) -> [Step]? {
        let device = line.text("DEVICE")
        switch line.pattern {
        case "devices NAME...":
            let names = line.texts("NAME")
            let joins = names.enumerated().flatMap { index, name -> [Step] in
                let isFirst = index == 0 && !context.hasAccount
                return [.startDaemon(name), .command(isFirst ? .signUp(name) : .logIn(name))]
            }
            return joins + [.sync]
        case "join NAME":
            let name = line.text("NAME")
            return [
                .startDaemon(name), .command(context.hasAccount ? .logIn(name) : .signUp(name)),
            ]
        case "DEVICE revoke OTHER":
            let other = Command.Word.name(line.text("OTHER"))
            return [.command(.client(device, "revoke", other, "--yes", reachesServer: true))]
        case "DEVICE leave":
            return [.command(.client(device, "logout", "--keep-items", reachesServer: true))]
        case "DEVICE leave-empty":
            return [.command(.client(device, "logout", "--discard-unsent", reachesServer: true))]
        case "DEVICE return": return [.command(.logIn(device))]
        case "DEVICE keep-deleted": return [.command(.client(device, "deletions", "keep"))]
        case "DEVICE accept-deletions":
            return [.command(.client(device, "deletions", "accept", "--yes"))]
        default: return nil
        }
    }

    private static func serverSteps(_ line: StoryLine) -> [Step]? {
        let device = line.text("DEVICE")
        switch line.pattern {
        case "server away": return [.setServerAway(true)]
        case "server back": return [.setServerAway(false)]
        case "server backup": return [.command(.operate("backup", .newBackup))]
        case "server restore":
            let restore = Command.operate("restore", .backup, "--force")
            return [.stopServer, .command(restore), .startServer]
        case "server put-back": return [.stopServer, .putStoreBack, .startServer]
        case "server empty": return [.stopServer, .removeStore, .startServer]
        case "server rebuild DEVICE":
            return [.command(.client(device, "server", "rebuild", "--yes", reachesServer: true))]
        case "server move": return [.stopServer, .copyServer]
        case "DEVICE move":
            return [.command(.client(device, "server", "set", .address, reachesServer: true))]
        default: return nil
        }
    }
}
