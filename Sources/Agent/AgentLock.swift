internal import CLinux
internal import Glibc

/// The lock that makes a daemon the only one of its home.
///
/// To be taken before the database is opened and kept until the process ends.
package final class AgentLock: Sendable {
    /// What a daemon ends with when it finds the home taken ("try again"): who started it looks
    /// for the other one.
    package static let exitCodeWhenHeld: Int32 = 75

    package let home: AgentHome
    private let descriptor: Int32

    /// - Throws: ``AgentError/alreadyRunning`` when another process holds it.
    package init(home: AgentHome) throws(AgentError) {
        self.home = home
        descriptor = try Self.open(home)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // `deinit` closes the descriptor, and runs: a second time here might close a file that
            // another thread has opened in between.
            let reason = errno
            if reason == EWOULDBLOCK { throw .alreadyRunning }
            throw .system(errno: reason)
        }
        // For people alone: without room for it, it is not said who holds the home.
        let number = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = unsafe write(descriptor, number, number.count)
    }

    /// Whether the file that is locked is the one that others look at.
    var hasItsName: Bool {
        var own = stat()
        var named = stat()
        guard unsafe fstat(descriptor, &own) == 0, unsafe stat(home.lockPath, &named) == 0 else {
            return false
        }
        return own.st_dev == named.st_dev && own.st_ino == named.st_ino
    }

    /// The process that holds this home, or was the last to; nil when it is not known.
    package static func holder(of home: AgentHome) throws(AgentError) -> Int32? {
        let descriptor = try Descriptor(open(home))
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe read(descriptor.number, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return text.split(separator: "\n").first.flatMap { Int32($0) }
    }

    /// Whether some daemon holds this home now.
    static func isHeld(_ home: AgentHome) throws(AgentError) -> Bool {
        let descriptor = try Descriptor(open(home))
        // Shared, so that two programs that ask do not see each other.
        return flock(descriptor.number, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Waits until no daemon holds this home, as long as it takes at the most.
    ///
    /// - Returns: whether none holds it now.
    package static func waitUntilFree(
        _ home: AgentHome,
        milliseconds: Int
    ) throws(AgentError) -> Bool {
        let stepMilliseconds = 5
        for _ in 0..<(milliseconds / stepMilliseconds) {
            guard try isHeld(home) else { return true }
            usleep(UInt32(stepMilliseconds * 1000))
        }
        return try !isHeld(home)
    }

    private static func open(_ home: AgentHome) throws(AgentError) -> Int32 {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe Glibc.open(home.lockPath, flags, 0o600)
        guard descriptor >= 0 else { throw .system(errno: errno) }
        return descriptor
    }

    deinit {
        close(descriptor)
    }
}
