internal import Glibc
internal import Synchronization

/// The lock that makes a daemon the only one of its home.
///
/// To be taken before the database is opened and kept until the process ends. It is on a file and
/// on the home directory itself: the file can be removed, and directories cannot be locked on every
/// file system.
package final class AgentLock: Sendable {
    /// The exit code of a daemon that finds the home taken ("try again"): the program that
    /// started it then looks for the other one.
    package static let exitCodeWhenHeld: Int32 = 75

    private static let triesMax = 50

    package let home: AgentHome
    /// The process that held the home before and ended without a word: it crashed, or was killed.
    package let crashedHolder: Int32?
    private let file: Mutex<LockedFile>
    /// Nil where directories cannot be locked.
    private let directory: LockedFile?

    /// - Throws: ``AgentError/alreadyRunning`` when another process holds it.
    package init(home: AgentHome) throws(AgentError) {
        self.home = home
        let file = try LockedFile(Self.open(home))
        do throws(AgentError) {
            directory = try LockedFile(Self.openDirectory(home))
        } catch {
            guard error != .alreadyRunning else { throw error }
            directory = nil
        }
        crashedHolder = file.process
        file.write(process: getpid())
        self.file = Mutex(file)
    }

    deinit { noteEnd() }

    /// Notes that the process ends in order.
    package func noteEnd() { file.withLock { $0.write(process: nil) } }

    /// Whether the locked file or directory is still the one that others open by its path.
    var hasItsName: Bool {
        if let directory { return directory.has(name: home.path) }
        return file.withLock { $0.has(name: home.lockPath) }
    }

    /// Makes the lock file again after it was removed, while the directory's lock holds the home.
    func restore() {
        guard directory != nil, hasItsName else { return }
        file.withLock { file in
            // A process that checks whether the home is held locks the file for a moment.
            for _ in 0..<Self.triesMax where !file.has(name: home.lockPath) {
                // Where it cannot be made, the directory's lock is enough.
                guard let fresh = try? LockedFile(Self.open(home)) else {
                    usleep(1000)
                    continue
                }
                fresh.write(process: getpid())
                file = fresh
            }
        }
    }

    /// The process that holds this home, or held it until it crashed; nil when it is not known.
    package static func holder(of home: AgentHome) throws(AgentError) -> Int32? {
        try open(home).process
    }

    /// Whether some daemon holds this home now.
    package static func isHeld(_ home: AgentHome) throws(AgentError) -> Bool {
        let descriptor = try open(home)
        // Shared, so that two programs that check do not see each other.
        if flock(descriptor.number, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK { return true }
        // A directory that cannot be opened cannot be locked either.
        guard let directory = try? openDirectory(home) else { return false }
        return flock(directory.number, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Waits until no daemon holds this home, but no longer than this.
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

    private static func open(_ home: AgentHome) throws(AgentError) -> Descriptor {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        return try Descriptor(unsafe Glibc.open(home.lockPath, flags, 0o600))
    }

    private static func openDirectory(_ home: AgentHome) throws(AgentError) -> Descriptor {
        try Descriptor(unsafe Glibc.open(home.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    }
}

/// An open file, or a directory, that no other process can lock until this one lets go.
private final class LockedFile: Sendable {
    private let descriptor: Descriptor

    /// - Throws: ``AgentError/alreadyRunning`` when another process has locked it.
    init(_ descriptor: consuming Descriptor) throws(AgentError) {
        // A process that checks whether the home is held locks it for a moment.
        for wait in stride(from: Self.waitsMax, through: 0, by: -1) {
            guard flock(descriptor.number, LOCK_EX | LOCK_NB) != 0 else { break }
            guard errno == EWOULDBLOCK else { throw .system(errno: errno) }
            guard wait > 0 else { throw .alreadyRunning }
            usleep(1000)
        }
        self.descriptor = descriptor
    }

    private static let waitsMax = 5

    /// Whether this path leads to the locked file.
    func has(name: String) -> Bool {
        var own = stat()
        var named = stat()
        guard unsafe fstat(descriptor.number, &own) == 0, unsafe stat(name, &named) == 0 else {
            return false
        }
        return own.st_dev == named.st_dev && own.st_ino == named.st_ino
    }

    var process: Int32? { descriptor.process }

    /// For people alone: if the disk is full, the file does not say who holds the home.
    func write(process: Int32?) {
        let number = Array((process.map { "\($0)\n" } ?? "").utf8)
        _ = ftruncate(descriptor.number, 0)
        _ = unsafe pwrite(descriptor.number, number, number.count, 0)
    }
}

extension Descriptor {
    /// The process that a lock file names.
    fileprivate var process: Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe pread(number, &bytes, bytes.count, 0)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        return text.split(separator: "\n").first.flatMap { Int32($0) }
    }
}
