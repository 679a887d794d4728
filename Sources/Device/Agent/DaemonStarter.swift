internal import Glibc

/// Finds programs on the disk.
package enum ProgramSearch {
    /// Finds the daemon's program: the one that KEYCHAIN_SYNC_DAEMON names, or else `sync-client`
    /// beside this program's file, or else on `PATH`.
    package static func daemon() -> String? {
        if let named = Environment.value("KEYCHAIN_SYNC_DAEMON") {
            return named.hasPrefix("/") && isExecutable(named) ? named : nil
        }
        if let own = AgentPeer.ownExecutable, let slash = own.lastIndex(of: "/") {
            let beside = own[...slash] + "sync-client"
            if isExecutable(String(beside)) { return String(beside) }
        }
        return onPath("sync-client")
    }

    /// Finds an executable file of this name in the absolute folders of `path`, by default `PATH`.
    package static func onPath(_ name: String, path: String? = nil) -> String? {
        (path ?? Environment.value("PATH") ?? "").split(separator: ":")
            .filter { $0.hasPrefix("/") }
            .map { $0 + "/" + name }
            .first(where: isExecutable)
    }

    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return false
        }
        return unsafe access(path, X_OK) == 0
    }
}

/// Starts a home's daemon, detached, and waits until it takes connections.
struct DaemonStarter {
    let home: AgentHome
    let program: String?
    let waitMilliseconds: Int

    /// Longer than the life of a daemon that cannot start, shorter than anyone notices.
    private static let pollMicroseconds: UInt32 = 2_000
    /// A started daemon gives up if it finds another one that is just stopping.
    private static let startsMax = 3

    func connect() throws(AgentError) -> Descriptor {
        guard let program = program ?? ProgramSearch.daemon() else { throw .daemonNotFound }
        let deadline = AgentListener.nowMilliseconds() + waitMilliseconds
        var starts = 1
        let log = DaemonLog(path: home.logPath)
        var child: pid_t? = try spawn(program)
        defer { if let child { DaemonReaper.takeEnd(of: child) } }
        while AgentListener.nowMilliseconds() < deadline {
            if let descriptor = try AgentClient.connect(to: home) { return descriptor }
            var status: Int32 = 0
            if let running = child, unsafe waitpid(running, &status, WNOHANG) == running {
                // The started daemon has ended. If another one holds the home, that one will listen
                // or end too.
                let exitCode = Self.exitCode(of: status)
                guard exitCode == AgentLock.exitCodeWhenHeld else {
                    throw .daemonFailed(exitCode: exitCode, reason: log.lastWord)
                }
                child = nil
            }
            if child == nil, try !AgentLock.isHeld(home) {
                guard starts < Self.startsMax else { throw .daemonSilent }
                starts += 1
                child = try spawn(program)
            }
            usleep(Self.pollMicroseconds)
        }
        throw .daemonSilent
    }

    private static func exitCode(of status: Int32) -> Int32 {
        // As in a shell: 128 and the signal's number for a process that was killed.
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// Starts the daemon in a session of its own, without this program's open files.
    private func spawn(_ program: String) throws(AgentError) -> pid_t {
        do throws(ChildProgram.NotStarted) {
            return try ChildProgram.start(
                [program, "daemon", "--home", home.path],
                files: [
                    .path("/dev/null", flags: O_RDONLY),
                    .path(home.logPath, flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW),
                    .descriptor(1),
                ],
                // A crash must not write registers and memory, which may hold secrets, into the
                // log.
                variables: ["SWIFT_BACKTRACE": "enable=no"],
                isDetached: true
            )
        } catch {
            throw .system(errno: error.number)
        }
    }
}
