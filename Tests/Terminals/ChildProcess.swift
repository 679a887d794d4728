internal import Glibc
internal import KSCLinux

/// Starts programs as tests of terminals need them.
///
/// Foundation's `Process` waits for the descendants of a program too, and for what other threads
/// start at the same time.
package enum ChildProcess {
    /// Starts the program of the first word, a path, in a session of its own.
    ///
    /// Its files are a terminal, which becomes its controlling one, or `output` and nothing.
    ///
    /// - Returns: its process id, or nil if it could not be started.
    package static func start(
        _ words: [String],
        environment: [String: String],
        terminalPath: String? = nil,
        output: Int32? = nil
    ) -> Int32? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // The first terminal that the leader of a session opens becomes its controlling one.
        unsafe posix_spawn_file_actions_addopen(&actions, 0, terminalPath ?? "/dev/null", O_RDWR, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output ?? 0, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
        unsafe keychain_spawn_close_from(&actions, 3)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags =
            keychain_spawn_setsid | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
        unsafe posix_spawnattr_setflags(&attributes, flags)
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe arguments.append(nil)
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { name, value in
            unsafe strdup(name + "=" + value)
        }
        unsafe variables.append(nil)
        defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
        var child: pid_t = 0
        let code = unsafe posix_spawn(
            &child,
            words[0],
            &actions,
            &attributes,
            &arguments,
            &variables
        )
        return code == 0 ? child : nil
    }

    /// The output of a program from now on, and its process id.
    package static func startReading(
        _ words: [String],
        environment: [String: String]
    ) -> (process: Int32, output: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        guard let process = start(words, environment: environment, output: ends[1]) else {
            close(ends[0])
            return nil
        }
        return (process, ends[0])
    }

    /// Runs a program to its end.
    ///
    /// - Returns: its output, or nil if it fails.
    package static func run(_ words: [String], environment: [String: String]) -> String? {
        guard let (process, output) = startReading(words, environment: environment) else {
            return nil
        }
        defer { close(output) }
        let text = readText(output) { _ in false }
        var status: Int32 = 0
        return unsafe waitpid(process, &status, 0) == process && status == 0 ? text : nil
    }

    /// Reads up to the end, or until enough was read.
    package static func readText(_ file: Int32, until isEnough: ([UInt8]) -> Bool) -> String {
        var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while !isEnough(bytes), case let count = unsafe read(file, &part, part.count), count > 0 {
            bytes += part.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Ends a program and waits until it is gone.
    package static func end(_ process: Int32) {
        kill(process, SIGTERM)
        var status: Int32 = 0
        unsafe waitpid(process, &status, 0)
    }
}
