internal import Foundation

/// A process, started with posix_spawn, whose own cost is small beside a process's.
struct Program {
    struct Failed: Error {}

    private let id: pid_t

    /// `output`: the file that takes what it prints; nobody reads it without one.
    init(_ program: String, _ arguments: [String], output: String = "/dev/null") throws {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var child: pid_t = 0
        guard unsafe posix_spawn(&child, program, &actions, nil, &words, environ) == 0 else {
            throw Failed()
        }
        id = child
    }

    /// Runs it to its end, which has to be a good one.
    static func run(_ program: String, _ arguments: [String], output: String = "/dev/null") throws {
        let program = try Program(program, arguments, output: output)
        while try !program.hasEnded(waiting: true) {}
    }

    /// What a process has used.
    struct Use {
        /// From its start to its end.
        let seconds: Double
        /// The most memory that it had at a time.
        let memoryBytes: Int
    }

    /// Runs it to its end, which has to be a good one.
    static func use(_ program: String, _ arguments: [String]) throws -> Use {
        let clock = ContinuousClock()
        let start = clock.now
        let program = try Program(program, arguments)
        // What `wait4` says of memory begins with that of the process that has started it.
        var memory = 0
        while try !program.hasEnded() {
            memory = max(memory, program.peakBytes ?? 0)
            usleep(1000)
        }
        return Use(seconds: (clock.now - start) / .seconds(1), memoryBytes: memory)
    }

    /// The most memory that it has had; nil once it has ended.
    private var peakBytes: Int? {
        // A process that has ended has no such file.
        guard let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let number = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
        else { return nil }
        return Int(number).map { $0 << 10 }
    }

    /// - Throws: ``Failed`` when it has ended with another code than 0.
    func hasEnded(waiting: Bool = false) throws -> Bool {
        var status: Int32 = 0
        let ended = unsafe waitpid(id, &status, waiting ? 0 : WNOHANG)
        if ended == 0 { return false }
        guard ended == id, status == 0 else { throw Failed() }
        return true
    }

    /// Asks it to end, and waits until it has.
    func stop() {
        kill(id, SIGTERM)
        var status: Int32 = 0
        unsafe waitpid(id, &status, 0)
    }
}
