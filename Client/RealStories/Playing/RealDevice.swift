internal import Foundation
internal import Glibc
internal import KSAgent
internal import KSKeyValues

/// One of the devices of a story: its home, and its daemon while that runs.
final class RealDevice {
    private static let startSeconds = 20.0
    private static let databaseNames = ["keychain.db", "keychain.db-wal", "keychain.db-shm"]

    let name: String
    let home: String
    private let folder: String
    private let relay: Relay
    private var process: RunningProcess?
    private var startCount = 0
    private var agentHome: AgentHome?
    /// The name by which the account knows it; a copy keeps that of its original.
    var accountName: String

    init(_ name: String, folder: String, relay: Relay) {
        (self.name, self.folder, self.relay) = (name, folder, relay)
        home = "\(folder)/homes/\(name)"
        accountName = name
    }

    var isRunning: Bool { process?.isRunning ?? false }

    // MARK: The daemon

    func start(_ path: String, in processes: Processes) throws {
        if isRunning { return }
        startCount += 1
        let agentHome = try AgentHome(argument: home)
        self.agentHome = agentHome
        try allowWrites()
        let process = try processes.start(
            path,
            ["daemon", "--home", home],
            log: "\(folder)/logs/\(name)-\(startCount)"
        )
        self.process = process
        relay.note(process.processID, of: name)
        let end = ContinuousClock.now + .seconds(Self.startSeconds)
        while ContinuousClock.now < end, process.isRunning {
            // It does not listen yet.
            if (try? AgentClient(home: agentHome, startsDaemon: false)) != nil { return }
            usleep(5000)
        }
        throw PlayError.daemonFailed(device: name, says: process.errors)
    }

    func kill() {
        process?.end(by: SIGKILL)
        process = nil
    }

    /// Lets this program write to the story's store, as an app of the device does.
    private func allowWrites() throws {
        let path = home + "/entitlements.json"
        guard let program = AgentPeer.ownExecutable,
            !FileManager.default.fileExists(atPath: path)
        else { return }
        let groups = ["keychain-access-groups": [Command.store]]
        let text = try JSONSerialization.data(withJSONObject: ["programs": [program: groups]])
        try text.write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Writes to a key, as an app of the device does.
    func write(_ key: String, _ write: EntryWrite) throws {
        guard let agentHome else { throw PlayError.daemonFailed(device: name, says: "") }
        let call = WriteKeyValues(
            store: Command.store,
            writes: [KeyWrite(key: key, .write(write)).encoded],
            writer: (0..<16).map { _ in UInt8.random(in: .min ... .max) },
            number: 1,
            isAtomic: true
        )
        let answer: WrittenKeyValues
        do throws(AgentError) {
            answer = try AgentClient(home: agentHome, startsDaemon: false).call(call)
        } catch {
            throw PlayError.daemonFailed(device: name, says: error.sentence)
        }
        if let refusal = answer.refusals.first { throw PlayError.system(refusal.sentence) }
    }

    // MARK: Copies

    private var databaseCopy: String { "\(folder)/copies/\(name)" }

    /// Copies the files of its database as they are at this moment, while its daemon stands still.
    func copyDatabase() throws {
        let files = FileManager.default
        if files.fileExists(atPath: databaseCopy) { try files.removeItem(atPath: databaseCopy) }
        try files.createDirectory(atPath: databaseCopy, withIntermediateDirectories: true)
        try standingStill {
            for name in Self.databaseNames where files.fileExists(atPath: "\(home)/\(name)") {
                try files.copyItem(atPath: "\(home)/\(name)", toPath: "\(databaseCopy)/\(name)")
            }
        }
    }

    func putDatabaseBack() throws {
        let files = FileManager.default
        for name in Self.databaseNames {
            let (old, kept) = ("\(home)/\(name)", "\(databaseCopy)/\(name)")
            if files.fileExists(atPath: old) { try files.removeItem(atPath: old) }
            if files.fileExists(atPath: kept) { try files.copyItem(atPath: kept, toPath: old) }
        }
    }

    /// Copies its home, for a device that is not there yet.
    func copyHome(to device: RealDevice) throws {
        let files = FileManager.default
        try files.createDirectory(
            atPath: device.home,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try standingStill {
            // Socket, lock and log belong to the daemon of this home.
            for name in try files.contentsOfDirectory(atPath: home) where name != "run" {
                try files.copyItem(atPath: "\(home)/\(name)", toPath: "\(device.home)/\(name)")
            }
        }
        device.accountName = accountName
    }

    private func standingStill(_ body: () throws -> Void) throws {
        process?.send(SIGSTOP)
        defer { process?.send(SIGCONT) }
        try waitUntilStopped()
        try body()
    }

    /// A process stops a moment after its signal.
    private func waitUntilStopped() throws {
        guard let process, process.isRunning else { return }
        for _ in 0..<1000 {
            let path = "/proc/\(process.processID)/stat"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let state = text.lastIndex(of: ")").map { text[$0...].dropFirst(2).first }
            if state == "T" { return }
            usleep(1000)
        }
    }
}
