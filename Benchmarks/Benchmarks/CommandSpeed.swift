internal import KSAgent
internal import Foundation

/// The built programs, as a script uses them: one process a look-up, and many through one socket.
struct CommandSpeed {
    private static let runs = 200

    let programs: String
    let home: String

    private var keychain: String { programs + "/keychain" }

    /// Puts the item there, which starts the daemon too.
    func prepare() throws {
        try Program.run(
            keychain,
            [
                "add-generic-password", "-U", "-s", "benchmark", "-a", "ada", "-w", "found",
                "--home", home,
            ]
        )
    }

    func stop() throws {
        try Program.run(programs + "/sync-client", ["stop", "--home", home])
    }

    /// A whole process, against one that does nothing.
    func processes() throws {
        let ours = try median {
            try Program.run(
                keychain,
                [
                    "find-generic-password", "-s", "benchmark", "-a", "ada", "-w", "--home", home,
                ]
            )
        }
        let bare = try median { try Program.run("/bin/true", []) }
        report(
            "a whole keychain find-generic-password -w",
            milliseconds: ours,
            bareMilliseconds: bare,
            aimMilliseconds: 10
        )
    }

    func lookUps() throws {
        let client = try AgentClient(home: try AgentHome(argument: home), startsDaemon: false)
        // An item of its own: it may not see the one that the command has put there.
        let names: AgentDictionary = ["svce": .string("socket"), "acct": .string("ada")]
        _ = try client.call(
            "item.add",
            [
                "class": .string("genp"), "attributes": .dictionary(names),
                "secret": .data(Array("found".utf8)),
            ]
        )
        let byCommand: AgentDictionary = [
            "class": .string("genp"),
            "attributes": .dictionary(names),
            "limit": .integer(1),
            "wantsSecret": .bool(true),
        ]
        let bySecItem: AgentDictionary = [
            "fn": .string("copy"),
            "query": [
                "class": .string("genp"), "svce": .string("socket"), "acct": .string("ada"),
                "m_Limit": .string("m_LimitOne"), "r_Data": .bool(true),
            ],
        ]
        var failures = 0
        func rate(_ call: String, _ arguments: AgentDictionary) -> Double {
            runsPerSecond(count: 5000) {
                // Counted: a failure is not a look-up.
                if (try? client.call(call, arguments)) == nil { failures += 1 }
            }
        }
        let echo = try Echo()
        let bare = runsPerSecond(count: 5000) { echo.send() }
        let commands = rate("item.find", byCommand)
        // One that says where to begin is left to the queue of look-ups.
        var byQueue = byCommand
        byQueue["skip"] = .integer(0)
        let queued = rate("item.find", byQueue)
        let functions = rate("secitem", bySecItem)
        precondition(failures == 0, "every look-up has to succeed")
        report("look-ups through the socket", ours: commands, bare: bare, aimRate: 15_000)
        print("    the same not answered on the socket's thread: \(Int(queued))/s")
        report("the same by SecItemCopyMatching", ours: functions, bare: bare, aimRate: 15_000)
    }

    private func median(_ body: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        var times: [Double] = []
        for _ in 0..<Self.runs {
            times.append(try clock.measure { try body() } / .milliseconds(1))
        }
        return times.sorted()[Self.runs / 2]
    }
}

/// What the sockets of this machine allow: as many bytes there and back as a look-up takes, with
/// somebody at the other end who does nothing but send them back.
private final class Echo {
    private static let byteCount = 256
    private let socket: Int32
    private var bytes = [UInt8](repeating: 1, count: byteCount)

    private struct Failed: Error {}

    init() throws {
        var ends: [Int32] = [0, 0]
        guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw Failed()
        }
        socket = ends[0]
        let other = ends[1]
        Thread.detachNewThread {
            var bytes = [UInt8](repeating: 0, count: Self.byteCount)
            while true {
                let count = unsafe read(other, &bytes, bytes.count)
                guard count > 0, unsafe write(other, bytes, count) == count else { break }
            }
            close(other)
        }
    }

    deinit {
        close(socket)
    }

    func send() {
        guard unsafe write(socket, bytes, bytes.count) == bytes.count else { return }
        var count = 0
        while count < bytes.count {
            let more = unsafe read(socket, &bytes, bytes.count)
            guard more > 0 else { return }
            count += more
        }
    }
}
