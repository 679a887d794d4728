internal import Agent
internal import Foundation

/// The built programs, as a script uses them: one process a look-up, and many through one socket.
struct CommandSpeed {
    private static let runs = 200

    let programs: String
    let home: String

    private var keychain: String { programs + "/keychain" }

    /// Puts the item there, which starts the daemon too.
    func prepare() throws {
        try run(
            keychain,
            [
                "add-generic-password", "-U", "-s", "benchmark", "-a", "ada", "-w", "found",
                "--home", home,
            ]
        )
    }

    func stop() throws {
        try run(programs + "/sync-client", ["stop", "--home", home])
    }

    /// A whole process, against one that does nothing.
    func processes() throws {
        let ours = try median {
            try run(
                keychain,
                [
                    "find-generic-password", "-s", "benchmark", "-a", "ada", "-w", "--home", home,
                ]
            )
        }
        let bare = try median { try run("/bin/true", []) }
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
        let arguments: AgentDictionary = [
            "class": .string("genp"),
            "attributes": .dictionary(names),
            "limit": .integer(1),
            "wantsSecret": .bool(true),
        ]
        var failures = 0
        let ours = runsPerSecond(count: 5000) {
            // Counted: a failure is not a look-up.
            if (try? client.call("item.find", arguments)) == nil { failures += 1 }
        }
        // The cheapest call there is: what the socket alone allows.
        let bare = runsPerSecond(count: 5000) {
            // An unknown call is refused, which is an answer too.
            _ = try? client.call("no such call")
        }
        precondition(failures == 0, "every look-up has to succeed")
        report("look-ups through the socket", ours: ours, bare: bare, aimRate: 15_000)
    }

    private func median(_ body: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        var times: [Double] = []
        for _ in 0..<Self.runs {
            times.append(try clock.measure { try body() } / .milliseconds(1))
        }
        return times.sorted()[Self.runs / 2]
    }

    private struct Failed: Error {}

    /// With posix_spawn, whose own cost is small beside a process's.
    private func run(_ program: String, _ arguments: [String]) throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var child: pid_t = 0
        guard unsafe posix_spawn(&child, program, &actions, nil, &words, environ) == 0 else {
            throw Failed()
        }
        var status: Int32 = 0
        guard unsafe waitpid(child, &status, 0) == child, status == 0 else { throw Failed() }
    }
}
