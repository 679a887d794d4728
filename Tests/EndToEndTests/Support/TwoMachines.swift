import Foundation
import KSTestPrograms
import Testing

/// Two network namespaces with a cable between them: one for a server, one for a laptop.
struct TwoMachines {
    private static let serverAddress = "10.77.0.1"
    private static let program = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let world: World
    private let ip: String
    private let server: String
    private let laptop: String

    /// Where the server listens.
    let listen = Self.serverAddress + ":0"
    /// What runs a program on the server's machine, or on the laptop.
    var onServer: [String] { [ip, "netns", "exec", server] }
    var onLaptop: [String] { [ip, "netns", "exec", laptop] }

    /// Whether this user may make network namespaces, and has a program for it.
    static func canMake() async throws -> Bool {
        try await World.with { world in
            guard let machines = try await make(in: world) else { return false }
            await machines.remove()
            return true
        }
    }

    /// Nil where this user may not make any.
    static func make(in world: World) async throws -> TwoMachines? {
        guard let ip = program else { return nil }
        let mark = "kst-" + UUID().uuidString.prefix(8).lowercased()
        let machines = TwoMachines(
            world: world,
            ip: ip,
            server: mark + "-server",
            laptop: mark + "-laptop"
        )
        do {
            try await machines.connect()
            return machines
        } catch is Refused {
            await machines.remove()
            return nil
        }
    }

    private struct Refused: Error {}

    private func run(_ words: String...) async throws {
        let result = try await RunningProgram(ip, words, folder: world.folder).result()
        guard result.status == 0 else { throw Refused() }
    }

    private func connect() async throws {
        for name in [server, laptop] { try await run("netns", "add", name) }
        try await run(
            "-n",
            server,
            "link",
            "add",
            "cable",
            "type",
            "veth",
            "peer",
            "name",
            "cable",
            "netns",
            laptop
        )
        try await run("-n", server, "addr", "add", Self.serverAddress + "/24", "dev", "cable")
        try await run("-n", laptop, "addr", "add", "10.77.0.2/24", "dev", "cable")
        for name in [server, laptop] {
            try await run("-n", name, "link", "set", "lo", "up")
            try await run("-n", name, "link", "set", "cable", "up")
        }
        // A namespace can be made where nothing may run in it.
        let test = try await RunningProgram(
            ip,
            ["netns", "exec", laptop, "/bin/true"],
            folder: world.folder
        ).result()
        guard test.status == 0 else { throw Refused() }
    }

    /// Gives the laptop another address, as another Wi-Fi does: what its connections send is lost.
    func moveLaptop() async throws {
        try await run("-n", laptop, "addr", "del", "10.77.0.2/24", "dev", "cable")
        try await run("-n", laptop, "addr", "add", "10.77.0.3/24", "dev", "cable")
    }

    func remove() async {
        // One that was not made cannot be removed.
        for name in [server, laptop] { try? await run("netns", "del", name) }
    }
}
