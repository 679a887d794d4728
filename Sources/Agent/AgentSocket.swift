internal import KSCLinux
internal import Glibc

/// The socket on which a daemon takes connections, under its name in the home.
///
/// Under the lock a socket of that name is the daemon's own, or nobody's. It is made again after it
/// was removed: without it no program could call the daemon, or start another one.
final class AgentSocket {
    private static let backlog: Int32 = 128

    private let lock: AgentLock
    private var socket: Descriptor
    var descriptor: Int32 { socket.number }
    /// Readable when something has left the socket's folder; -1 where that cannot be told.
    let watch: Int32

    /// Binds it, but takes no connection before ``listen()``.
    init(lock: AgentLock) throws(AgentError) {
        let path = lock.home.socketPath
        // What a killed daemon left.
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .system(errno: errno) }
        self.lock = lock
        socket = try Self.bound(to: path)
        // Where the system has no watch left, the socket is as good as long as it is there.
        watch = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        if watch >= 0 { watchFolder() }
    }

    deinit {
        if watch >= 0 { close(watch) }
    }

    /// Takes connections from now on.
    func listen() throws(AgentError) {
        guard Glibc.listen(descriptor, Self.backlog) == 0 else { throw .system(errno: errno) }
    }

    /// Makes it again when its name is gone, and its folder.
    ///
    /// Programs that connected to the old one have to be accepted before.
    ///
    /// Without the lock's name the home may be another daemon's by now, and it stays gone.
    func restore() {
        var events = [UInt8](repeating: 0, count: 4096)
        while unsafe read(watch, &events, events.count) > 0 {}
        guard lock.hasItsName else { return }
        let path = lock.home.socketPath
        // Where nothing is gone this does nothing, and the watch is the one that is there.
        guard (try? PrivateDirectory.make(folder)) != nil else { return }
        watchFolder()
        lock.restore()
        var status = stat()
        guard unsafe lstat(path, &status) != 0, errno == ENOENT else { return }
        // Where it cannot be made, as on a full disk, the next thing that goes is the next chance.
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
