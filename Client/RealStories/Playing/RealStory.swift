internal import Foundation
internal import Glibc
internal import KSAgent
package import Simulation

/// Plays a story with a real server, a real home and daemon for each device, and real commands.
package final class RealStory {
    private static let password = "a long password of the story"

    let folder: String
    let processes: Processes
    let relay: Relay
    private let programs: String
    private let keepsTrace: Bool
    private let start = ContinuousClock.now
    private(set) var devices: [RealDevice] = []
    private var servers: [RealServer] = []
    private var backup: String?
    private var backupCount = 0
    private var isServerAway = false
    var outcome = RealOutcome()

    /// Plays a story, and ends everything that it started.
    ///
    /// - Parameters:
    ///   - file: the story.
    ///   - seed: decides what a lossy network loses.
    ///   - keepsTrace: whether the outcome has the commands.
    /// - Throws: ``PlayError`` where the programs are missing, or nothing can be started here.
    /// - Returns: the outcome.
    package static func play(
        _ file: StoryFile,
        seed: UInt64 = 1,
        keepsTrace: Bool = false
    ) throws -> RealOutcome {
        var outcome = RealOutcome()
        let plan: StoryPlan
        do throws(StoryPlan.SkippedLine) {
            plan = try StoryPlan(file)
        } catch {
            outcome.end = .skipped(error)
            return outcome
        }
        let story = try RealStory(plan, seed: seed, keepsTrace: keepsTrace)
        return try story.processes.guarding {
            defer { story.relay.stop() }
            story.play(plan)
            return story.outcome
        }
    }

    private init(_ plan: StoryPlan, seed: UInt64, keepsTrace: Bool) throws {
        self.keepsTrace = keepsTrace
        programs = try Self.findPrograms()
        folder = try Self.makeFolder()
        var environment = ProcessInfo.processInfo.environment.filter { name, _ in
            !name.hasPrefix("KEYCHAIN_SYNC_") && !name.hasPrefix("XDG_")
        }
        environment["HOME"] = folder
        // A command that finds no daemon must not start one that nobody ends.
        environment["KEYCHAIN_SYNC_DAEMON"] = "/bin/false"
        // Tests say here how long a key derivation takes.
        let wait = "KEYCHAIN_SYNC_TESTS_DERIVATION_MILLISECONDS"
        environment[wait] = ProcessInfo.processInfo.environment[wait]
        processes = Processes(folder: folder, environment: environment)
        let steps = plan.lines.flatMap(\.steps)
        relay = try Relay(serverCount: 1 + steps.count { $0 == .copyServer }, seed: seed)
        servers.append(RealServer(folder: folder, number: 0, relay: relay))
    }

    /// The folder of this program, if the others stand there too.
    private static func findPrograms() throws -> String {
        guard let own = AgentPeer.ownExecutable else {
            throw PlayError.system("this program's own path is unknown")
        }
        let folder = URL(filePath: own).deletingLastPathComponent().path
        for program in Command.Program.allCases {
            guard FileManager.default.isExecutableFile(atPath: "\(folder)/\(program.rawValue)")
            else { throw PlayError.programMissing(program.rawValue, folder: folder) }
        }
        return folder
    }

    private static func makeFolder() throws -> String {
        let files = FileManager.default
        // Short, since the path of a socket may have 107 bytes.
        let folder = files.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "story-" + UUID().uuidString.prefix(8)).path
        for path in [folder, folder + "/homes", folder + "/logs"] {
            try files.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        try Data((password + "\n").utf8).write(to: URL(filePath: folder + "/password"))
        return folder
    }

    // MARK: Playing

    private func play(_ plan: StoryPlan) {
        do {
            try server.start(path(.server), in: processes)
        } catch {
            return breakOff(plan.lines.first?.line.number ?? 1, "the start of the server", error)
        }
        for line in plan.lines {
            note("line \(line.line.number): \(line.line.text)")
            do {
                for step in line.steps { try carryOut(step, of: line.line) }
            } catch {
                return breakOff(line.line.number, line.line.text, error)
            }
        }
        do {
            outcome.devices = try ends()
        } catch {
            breakOff(plan.lines.last?.line.number ?? 1, "the end of the story", error)
        }
    }

    private func breakOff(_ line: Int, _ text: String, _ error: any Error) {
        outcome.end = .broken(line: line, text: text, reason: "\(error)")
    }

    func note(_ what: String) {
        guard keepsTrace else { return }
        let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        let digits = String(milliseconds % 1000)
        let rest = String(repeating: "0", count: 3 - digits.count) + digits
        outcome.trace.append("\(milliseconds / 1000).\(rest) \(what)")
    }

    private func carryOut(_ step: Step, of line: StoryLine) throws {
        switch step {
        case .command(let command): try carryOut(command)
        case .write(let device, let key, let write): try self.device(device).write(key, write)
        case .setLink(let device, let link): relay.setLink(link, of: device)
        case .startDaemon(let name):
            try device(name, orNew: true).start(path(.client), in: processes)
        case .killDaemon(let name): try device(name).kill()
        case .copyDatabase(let name): try device(name).copyDatabase()
        case .putDatabaseBack(let name): try device(name).putDatabaseBack()
        case .copyHome(let name, let other):
            relay.setLink(relay.link(of: name), of: other)
            try device(name).copyHome(to: device(other, orNew: true))
        case .setServerAway(let isAway):
            isServerAway = isAway
            relay.setServerAway(isAway)
        case .startServer: try server.start(path(.server), in: processes)
        case .stopServer: server.stop()
        case .removeStore: try server.removeStore()
        case .putStoreBack: try server.putStoreBack(newestBackup())
        case .copyServer: try copyServer()
        case .sync: try sync()
        case .advance(let milliseconds): advance(milliseconds)
        case .show:
            outcome.shown += try ends().flatMap { end in
                end.lines.map { "\(end.name): \($0)" }
            }
        case .expect(let question, let expected):
            outcome.expectationCount += 1
            let shown = try answer(question)
            guard shown != expected else { break }
            outcome.failures.append(.init(line, expected: expected, shown: shown))
        }
    }

    // MARK: Who is there

    var server: RealServer { servers[servers.count - 1] }

    func device(_ name: String) throws -> RealDevice { try device(name, orNew: false) }

    private func device(_ name: String, orNew mayBeNew: Bool) throws -> RealDevice {
        if let device = devices.first(where: { $0.name == name }) { return device }
        guard mayBeNew else { throw PlayError.system("there is no device \(name)") }
        let device = RealDevice(name, folder: folder, relay: relay)
        devices.append(device)
        return device
    }

    /// What the story has done to a device's way to the server; nil for nothing.
    func reach(of device: RealDevice) -> UnsentReason? {
        if !device.isRunning { return .killed }
        let link = relay.link(of: device.name)
        if link == .offline { return .offline }
        if isServerAway { return .serverAway }
        return link == .oneWay ? .oneWay : nil
    }

    private func newestBackup() throws -> String {
        guard let backup else { throw PlayError.noBackup }
        return backup
    }

    private func copyServer() throws {
        let other = RealServer(folder: folder, number: servers.count, relay: relay)
        try server.copyData(to: other)
        try server.start(path(.server), in: processes)
        servers.append(other)
        try other.start(path(.server), in: processes)
    }

    // MARK: Commands

    private func path(_ program: Command.Program) -> String {
        "\(programs)/\(program.rawValue)"
    }

    private func carryOut(_ command: Command) throws {
        guard let name = command.device else {
            let words = try command.words.map { try text($0, on: nil) }
            try checked(run(.server, words + ["--data", server.data]), command)
            return
        }
        if command.reachesServer { relay.setExempt(name, true) }
        defer { if command.reachesServer { relay.setExempt(name, false) } }
        let device = try device(name)
        let words = try command.words.map { try text($0, on: device) }
        try checked(run(command.program, on: device, words), command)
        let joins = ["login", "signup"].contains(words[0])
        if joins, let name = try status(of: device).name { device.accountName = name }
    }

    private func checked(_ result: Processes.Result, _ command: Command) throws {
        guard result.status != 0 else { return }
        let words = command.words.prefix(3).compactMap { word in
            if case .text(let text) = word { text } else { nil }
        }
        throw PlayError.commandFailed(
            ([command.program.rawValue] + words).joined(separator: " "),
            status: result.status,
            says: result.errors.trimmingCharacters(in: .newlines)
        )
    }

    private func text(_ word: Command.Word, on device: RealDevice?) throws -> String {
        switch word {
        case .text(let text): return text
        case .item(let name): return try item(name, on: named(device)).reference
        case .deletedItem(let name):
            let device = try named(device)
            let list = try read(.keychain, on: device, ["deleted", "--json"])
            guard let code = Answers.deletedCode(name, in: list) else {
                throw PlayError.noItem(name, device: device.name)
            }
            return code
        case .name(let other): return try self.device(other).accountName
        case .address: return server.address
        case .pin: return server.pin
        case .kit: return folder + "/kit"
        case .passwordFile: return folder + "/password"
        case .backup: return try newestBackup()
        case .newBackup:
            backupCount += 1
            backup = "\(folder)/backup-\(backupCount)"
            return try newestBackup()
        }
    }

    private func named(_ device: RealDevice?) throws -> RealDevice {
        guard let device else { throw PlayError.system("an item without a device") }
        return device
    }

    /// Runs a command of a device; its `--home` comes before words that are behind two hyphens.
    func run(
        _ program: Command.Program,
        on device: RealDevice,
        _ words: [String]
    ) throws -> Processes.Result {
        note("\(device.name): \(program.rawValue) \(words.joined(separator: " "))")
        var words = words
        let place = words.firstIndex(of: "--") ?? words.endIndex
        words.insert(contentsOf: ["--home", device.home], at: place)
        return try processes.run(path(program), words)
    }

    /// Runs a command of the server's operator.
    func run(_ program: Command.Program, _ words: [String]) throws -> Processes.Result {
        note("\(program.rawValue) \(words.joined(separator: " "))")
        return try processes.run(path(program), words)
    }
}
