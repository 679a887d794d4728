internal import KSCLinux
internal import Glibc

/// An open file descriptor, closed at the end of its owner's life.
struct Descriptor: ~Copyable {
    let number: Int32

    /// Takes the result of a system call that opens a file.
    init(_ number: Int32) throws(AgentError) {
        guard number >= 0 else { throw .system(errno: errno) }
        self.number = number
    }

    static func unixSocket(isBlocking: Bool) throws(AgentError) -> Descriptor {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let blocking = isBlocking ? 0 : Int32(SOCK_NONBLOCK.rawValue)
        return try Descriptor(socket(AF_UNIX, kind | blocking, 0))
    }

    deinit {
        close(number)
    }
}

/// The process at the other end of a connection, as it was when it connected.
///
/// A process may replace its program afterwards: this identifies honest programs, but stops no
/// attacker with the same user.
package struct AgentPeer: Sendable, Equatable {
    package let processID: Int32
    package let userID: UInt32
    /// The resolved path of its executable, also when that was replaced since.
    ///
    /// Nil if it cannot be read: the process has ended, is invisible to this one, or protects
    /// itself. Then it could be any program.
    package let executable: String?

    /// A process that is known by other means than a socket.
    package init(processID: Int32, userID: UInt32, executable: String?) {
        (self.processID, self.userID, self.executable) = (processID, userID, executable)
    }

    /// Reads them from the kernel.
    init(of descriptor: Int32) throws(AgentError) {
        var peer = keychain_peer()
        guard unsafe keychain_peer_of(descriptor, &peer) == 0 else { throw .system(errno: errno) }
        processID = peer.process_id
        userID = peer.user_id
        executable = Self.target(of: "/proc/\(peer.process_id)/exe")
    }

    /// Whether the process has been killed or has ended: it is about to go, or is gone.
    ///
    /// False where that cannot be found out.
    package var isEnding: Bool {
        guard let flags = Self.kernelFlags(of: processID) else {
            // The entry of an ended process is gone, but there may be no /proc at all.
            return kill(processID, 0) != 0 && errno == ESRCH
        }
        return flags & Self.exitingFlag != 0
    }

    /// Waits until the process is gone, but no longer than this.
    ///
    /// - Returns: whether it is gone. One that only its parent still has to take note of is.
    package func waitUntilEnded(milliseconds: Int32) -> Bool {
        let stepMilliseconds: Int32 = 5
        for _ in 0..<(milliseconds / stepMilliseconds) {
            if hasEnded { return true }
            usleep(UInt32(stepMilliseconds * 1000))
        }
        return hasEnded
    }

    private var hasEnded: Bool {
        guard let status = Self.kernelStatus(of: processID), status.count > Self.threadCountField
        else { return kill(processID, 0) != 0 && errno == ESRCH }
        // The first thread ends before the others, which still hold all files, locks included.
        let threadCount = Int(status[Self.threadCountField]) ?? 0
        return (status[0] == "Z" || status[0] == "X") && threadCount <= 1
    }

    private static func kernelFlags(of process: pid_t) -> UInt32? {
        guard let status = kernelStatus(of: process), status.count > 6 else { return nil }
        return UInt32(status[6])
    }

    /// State, parent, group, session, terminal, its group, flags, … (proc_pid_stat(5)); nil if they
    /// cannot be read.
    private static func kernelStatus(of process: pid_t) -> [Substring]? {
        let file = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = unsafe read(file, &bytes, bytes.count)
        // They are behind the name of the program, which can hold anything.
        guard let end = bytes.prefix(max(0, count)).lastIndex(of: UInt8(ascii: ")")) else {
            return nil
        }
        return String(decoding: bytes[(end + 1)..<count], as: UTF8.self).split(separator: " ")
    }

    /// Where ``kernelStatus(of:)`` has the number of threads that have not ended.
    private static let threadCountField = 17

    /// The kernel's PF_EXITING, set before anything that a process has open is closed.
    private static let exitingFlag: UInt32 = 4

    /// What the kernel adds to the path of a file that is there no more.
    private static let deletedSuffix = " (deleted)"

    /// The path of this program's executable when the property was first read.
    package static let ownExecutable: String? = target(of: "/proc/self/exe")

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &buffer, buffer.count)
        guard count > 0, count < buffer.count,
            let path = String(validating: buffer[..<count], as: UTF8.self)
        else { return nil }
        // After an update of its file, a running program must still count as the same program.
        return path.hasSuffix(deletedSuffix) ? String(path.dropLast(deletedSuffix.count)) : path
    }
}

/// Settings by which a process protects its memory from others and keeps it small.
package enum ProcessProtection {
    /// No core dumps, no `ptrace` and no `/proc/PID/mem` for other processes of the user.
    package static func forbidMemoryReading() {
        // It fails only for a value that it does not know.
        _ = keychain_set_dumpable(0)
    }

    /// Lets other processes of the user inspect this one, as the daemon does to identify callers;
    /// core dumps stay forbidden.
    package static func allowBeingLookedAt() {
        keychain_forbid_core_files()
        _ = keychain_set_dumpable(1)
    }

    /// Makes a crash end the process without output.
    ///
    /// Swift would write the registers and parts of the memory to standard error, and so into
    /// logs. A user who sets `SWIFT_BACKTRACE` gets that output.
    package static func crashSilently() {
        guard unsafe getenv("SWIFT_BACKTRACE") == nil else { return }
        for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] {
            _ = signal(number, SIG_DFL)
        }
    }

    /// Keeps the C library from making an arena of its own for every thread.
    package static func limitMemoryArenas() { _ = keychain_limit_arenas(2) }

    /// Gives freed memory back to the system.
    package static func giveMemoryBack() { keychain_give_memory_back() }
}
