import Foundation
import KSTestPrograms
import Testing

/// Two network namespaces with a cable between them: one for a server, one for a laptop.
struct TwoMachines {
    private static let serverAddress = "10.77.0.1"
    private static let program = find("ip")
    private static let filter = find("nft")

    private static func find(_ name: String) -> String? {
        ["/usr/sbin/", "/sbin/", "/usr/bin/"].map { $0 + name }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
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
        try await output(words)
    }

    @discardableResult
    private func output(_ words: [String]) async throws -> String {
        let result = try await RunningProgram(ip, words, folder: world.folder).result()
        guard result.status == 0 else { throw Refused() }
        return result.output
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

    /// Whether there is a program that can drop the packets of some connections.
    static var canForgetConnections: Bool { filter != nil }

    /// Drops all packets of the present connections without a word, as a router does that has
    /// forgotten them.
    ///
    /// New ones come through.
    func forgetConnections() async throws {
        let nft = try #require(Self.filter)
        let table = try await output(["netns", "exec", laptop, "/bin/cat", "/proc/net/tcp"])
        // The second column is the local address and port, the fourth the state: 1 is established.
        let ports = table.split(separator: "\n").dropFirst().compactMap { line -> UInt16? in
            let columns = line.split(separator: " ")
            guard columns.count > 3, columns[3] == "01" else { return nil }
            return columns[1].split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
        }
        try #require(!ports.isEmpty)
        let forgotten = "{ " + ports.map(String.init).joined(separator: ", ") + " }"
        let rules = """
            add table inet router
            add chain inet router in { type filter hook input priority 0; }
            add chain inet router out { type filter hook output priority 0; }
            add rule inet router in tcp sport \(forgotten) drop
            add rule inet router out tcp dport \(forgotten) drop
            """
        try await output(["netns", "exec", server, nft, rules])
    }

    func remove() async {
        // One that was not made cannot be removed.
        for name in [server, laptop] { try? await run("netns", "del", name) }
    }
}
