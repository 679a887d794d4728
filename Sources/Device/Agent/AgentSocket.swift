internal import KSCLinux
internal import Glibc

/// The socket on which a daemon takes connections, under its name in the home.
///
/// While the lock is held, a socket of that name is the daemon's own or left over. It is made again
/// after it was removed: without it no program could call the daemon, or start another one.
final class AgentSocket {
    private static let backlog: Int32 = 128

    private let lock: AgentLock
    private var socket: Descriptor
    var descriptor: Int32 { socket.number }
    /// Readable when something was removed from the socket's folder; -1 if there is no watch.
    let watch: Int32

    /// Binds it, but takes no connection before ``listen()``.
    init(lock: AgentLock) throws(AgentError) {
        let path = lock.home.socketPath
        // A killed daemon leaves its socket.
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .system(errno: errno) }
        self.lock = lock
        socket = try Self.bound(to: path)
        // If the system has no watch left, the socket works as long as nobody removes it.
        watch = inotify_init()
        guard watch >= 0 else { return }
        _ = fcntl(watch, F_SETFD, FD_CLOEXEC)
        _ = fcntl(watch, F_SETFL, O_NONBLOCK)
        watchFolder()
    }

    deinit {
        if watch >= 0 { close(watch) }
    }

    /// Takes connections from now on.
    func listen() throws(AgentError) {
        guard Glibc.listen(descriptor, Self.backlog) == 0 else { throw .system(errno: errno) }
    }

    /// Makes the socket and its folder again if they were removed.
    ///
    /// The loop must accept programs that connected to the old socket first.
    ///
    /// If the lock's path leads elsewhere, the home may be another daemon's: nothing is made then.
    func restore() {
        var events = [UInt8](repeating: 0, count: 4096)
        while unsafe read(watch, &events, events.count) > 0 {}
        guard lock.hasItsName else { return }
        let path = lock.home.socketPath
        // If nothing was removed, this changes nothing, and the watch stays the same.
        guard (try? PrivateDirectory.make(folder)) != nil else { return }
        watchFolder()
        lock.restore()
        var status = stat()
        guard unsafe lstat(path, &status) != 0, errno == ENOENT else { return }
        // If the socket cannot be made, as on a full disk, the next removal leads to another try.
        guard let fresh = try? Self.bound(to: path) else { return }
        guard Glibc.listen(fresh.number, Self.backlog) == 0 else { return }
        socket = fresh
    }

    private var folder: String {
        let path = lock.home.socketPath
        return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    private func watchFolder() {
        let gone = IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF
        _ = unsafe inotify_add_watch(watch, folder, UInt32(gone))
    }

    private static func bound(to path: String) throws(AgentError) -> Descriptor {
        let socket = try Descriptor.unixSocket(isBlocking: false)
        // The directory is the user's alone, so there is no moment at which others could connect.
        guard unsafe keychain_bind_unix(socket.number, path) == 0, unsafe chmod(path, 0o600) == 0
        else { throw .system(errno: errno) }
        return socket
    }
}
