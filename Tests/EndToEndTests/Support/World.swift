import Foundation
import KSTestPrograms
import KSTestSupport
import Testing

/// A server and some devices in a folder of their own.
final class World: Sendable {
    static let account = "ada-of-the-test"
    static let kit = "kit.txt"
    static let password = "a long password of the account"

    let folder: String
    let server: Server

    private init(folder: String, serverPrograms: String) {
        self.folder = folder
        server = Server(folder: folder, programs: serverPrograms)
    }

    var serverData: String { server.data }
    var passwordFile: String { folder + "/password" }

    /// The Account Key from the kit of the sign-up.
    var accountKey: String {
        get throws {
            let kit = try String(contentsOfFile: path(Self.kit), encoding: .utf8)
            return String(try #require(kit.firstMatch(of: /K1(-[0-9A-Z]+)+/)).0)
        }
    }

    func device(
        _ name: String,
        derivation: Device.Derivation = .cheap,
        programs: String = Programs.folder
    ) -> Device {
        Device(name, world: self, derivation: derivation, programs: programs)
    }

    func path(_ name: String) -> String { folder + "/" + name }

    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        return path(name)
    }

    /// Runs a test in a world, and ends everything in it afterwards.
    ///
    /// `serverPrograms`: the folder of the server's program.
    static func with<Value>(
        serverPrograms: String = Programs.folder,
        _ body: (World) async throws -> Value
    ) async throws -> Value {
        // A store of this process must not start a daemon beside those of the world.
        TestDaemons.prepare()
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "kst-" + UUID().uuidString.prefix(8)).path
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let world = World(folder: folder, serverPrograms: serverPrograms)
        let result: Result<Value, any Error>
        do {
            try Data((password + "\n").utf8).write(to: URL(filePath: world.passwordFile))
            result = .success(try await body(world))
        } catch {
            result = .failure(error)
        }
        await world.end()
        try await remove(folder)
        return try result.get()
    }

    /// Removes the folder, although a store of this process may look for its daemon there meanwhile
    /// and make files.
    private static func remove(_ folder: String) async throws {
        for _ in 1...50 {
            do {
                return try FileManager.default.removeItem(atPath: folder)
            } catch {
                await pause(milliseconds: 100)
            }
        }
        try FileManager.default.removeItem(atPath: folder)
    }

    /// A world with a server, and an account on these devices; the first one signs up.
    static func withDevices(
        _ names: String...,
        body: (World, [Device]) async throws -> Void
    ) async throws {
        try await with { world in
            try await world.server.start()
            var devices: [Device] = []
            for name in names {
                let device = world.device(name)
                try await device.startDaemon()
                let isFirst = devices.isEmpty
                let result = try await isFirst ? device.signUp() : device.logIn()
                try #require(result.status == 0, "\(result)")
                devices.append(device)
            }
            try await body(world, devices)
        }
    }

    /// Ends all processes in this world's folder, also those that its programs started.
    private func end() async {
        for signal in [SIGTERM, SIGKILL] {
            for processID in Set(await startedProcessIDs).union(processIDs) {
                Foundation.kill(processID, signal)
            }
            // The second look, at all processes of the machine, takes long.
            let haveEnded = await eventually(seconds: 8) {
                await startedProcessIDs.isEmpty && processIDs.isEmpty
            }
            if haveEnded { return }
        }
    }

    /// The processes that were started here, without those that they started.
    private var startedProcessIDs: [Int32] {
        get async { await Programs.processIDs(startedIn: folder) }
    }

    /// The processes whose command line names this world's folder.
    var processIDs: [Int32] { Self.processIDs(below: folder) }

    static func processIDs(below folder: String) -> [Int32] {
        // Processes start and end during the search.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(Int32.init).filter { processID in
            let path = "/proc/\(processID)/cmdline"
            // It may have ended since the folder was read.
            guard let line = try? Data(contentsOf: URL(filePath: path)), !line.isEmpty else {
                return false
            }
            let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return words.contains { $0 == folder || $0.hasPrefix(folder + "/") }
        }
    }

    /// The names of the files below a folder that hold these bytes.
    static func files(below folder: String, holding text: String) throws -> [String] {
        let bytes = Data(text.utf8)
        var found: [String] = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            // Sockets and folders have no bytes.
            guard let data = try? Data(contentsOf: URL(filePath: folder + "/" + name)) else {
                continue
            }
            if data.range(of: bytes) != nil { found.append(name) }
        }
        return found
    }
}
