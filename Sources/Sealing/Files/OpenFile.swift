internal import Glibc

/// A file that is read or written in order, closed when its owner goes.
struct OpenFile: ~Copyable {
    private let descriptor: Int32

    /// What a change would show in.
    struct State: Equatable {
        let byteCount: Int64
        let modifiedSeconds: Int
        let modifiedNanoseconds: Int
        let inode: UInt64
        let linkCount: UInt64
        let permissions: UInt32
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Opens a regular file to read it.
    static func reading(_ path: String) throws(ProtectedFileError) -> OpenFile {
        // Not waiting for a writer, should it be a pipe.
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = unsafe open(path, flags)
        guard descriptor >= 0 else {
            throw errno == ELOOP ? .notRegular : .unavailable(systemError: errno)
        }
        let file = OpenFile(descriptor: descriptor)
        guard try file.status().st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        return file
    }

    /// Makes a new file, for its user alone.
    static func creating(_ path: String) throws(ProtectedFileError) -> OpenFile {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe open(path, flags, 0o600)
        guard descriptor >= 0 else {
            throw errno == EEXIST ? .exists : .unavailable(systemError: errno)
        }
        return OpenFile(descriptor: descriptor)
    }

    /// Makes a file that has no name yet, for its user alone: it goes with whoever holds it.
    ///
    /// - Returns: nil on a file system that has no such files.
    static func creatingUnnamed(in folder: String) throws(ProtectedFileError) -> OpenFile? {
        // O_TMPFILE, which is hidden unless _GNU_SOURCE is defined: the same on all machines that
        // Swift runs on.
        let unnamed = 0o20_000_000 | O_DIRECTORY
        let descriptor = unsafe open(folder, O_WRONLY | O_CLOEXEC | unnamed, 0o600)
        if descriptor >= 0 { return OpenFile(descriptor: descriptor) }
        // What older kernels and some file systems say.
        if [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) { return nil }
        throw .unavailable(systemError: errno)
    }

    /// Gives an unnamed file a name, which must not be taken.
    borrowing func link(to path: String) throws(ProtectedFileError) {
        let own = "/proc/self/fd/\(descriptor)"
        guard unsafe linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
            throw errno == EEXIST ? .exists : .unavailable(systemError: errno)
        }
    }

    /// Marks it as being in use, until it is closed or its process has ended.
    ///
    /// - Returns: false when somebody else uses it.
    borrowing func lock() -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    deinit {
        close(descriptor)
    }

    private borrowing func status() throws(ProtectedFileError) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw .unavailable(systemError: errno)
        }
        return status
    }

    borrowing func state() throws(ProtectedFileError) -> State {
        let status = try status()
        return State(
            byteCount: Int64(status.st_size),
            modifiedSeconds: status.st_mtim.tv_sec,
            modifiedNanoseconds: status.st_mtim.tv_nsec,
            inode: UInt64(status.st_ino),
            linkCount: UInt64(status.st_nlink),
            permissions: status.st_mode & 0o777
        )
    }

    /// Up to this many bytes, fewer only at the end.
    borrowing func read(_ count: Int) throws(ProtectedFileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let room = count - done
            let step = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress.map { unsafe $0 + done }, room)
            }
            if step < 0 && errno == EINTR { continue }
            guard step >= 0 else { throw .unavailable(systemError: errno) }
            guard step > 0 else { break }
            done += step
        }
        bytes.removeLast(count - done)
        return bytes
    }

    borrowing func seek(to offset: Int) throws(ProtectedFileError) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else {
            throw .unavailable(systemError: errno)
        }
    }

    borrowing func write(_ bytes: [UInt8]) throws(ProtectedFileError) {
        var done = 0
        while done < bytes.count {
            let step = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
                return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
            if step < 0 && errno == EINTR { continue }
            guard step > 0 else { throw .unavailable(systemError: errno) }
            done += step
        }
    }

    /// Gives it these permissions and makes it last.
    borrowing func finish(permissions: UInt32) throws(ProtectedFileError) {
        guard fchmod(descriptor, permissions) == 0, fsync(descriptor) == 0 else {
            throw .unavailable(systemError: errno)
        }
    }
}
