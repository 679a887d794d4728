internal import Glibc

/// An open file, which is closed when this value ends.
package struct OpenFile: ~Copyable {
    private let descriptor: Int32

    /// The properties of a file that show whether it was changed.
    package struct State: Equatable {
        package let byteCount: Int64
        let modifiedSeconds: Int
        let modifiedNanoseconds: Int
        let inode: UInt64
        package let linkCount: UInt64
        package let owner: UInt32
        package let permissions: UInt32
    }

    private init(_ descriptor: Int32) throws(FileError) {
        guard descriptor >= 0 else { throw .ofLastCall }
        self.descriptor = descriptor
    }

    /// Opens anything that can be read: a file, a pipe, a terminal.
    package init(reading path: String) throws(FileError) {
        try self.init(unsafe open(path, O_RDONLY | O_CLOEXEC))
    }

    /// Standard input, from its current position on.
    package static func standardInput() throws(FileError) -> OpenFile {
        try OpenFile(dup(STDIN_FILENO))
    }

    /// Opens a regular file for reading.
    ///
    /// - Throws: ``FileError/notRegular`` for anything else, and for a symbolic link unless
    ///   `followsLinks` is true.
    package static func reading(
        regular path: String,
        followsLinks: Bool = false
    ) throws(FileError) -> OpenFile {
        // O_NONBLOCK: opening a pipe must not wait for its writer.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
        let descriptor = unsafe open(path, flags)
        guard descriptor >= 0 || errno != ELOOP else { throw .notRegular }
        let file = try OpenFile(descriptor)
        guard try file.status().st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        return file
    }

    /// Makes a new file that only its user can access.
    package static func creating(_ path: String) throws(FileError) -> OpenFile {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        return try OpenFile(unsafe open(path, flags, 0o600))
    }

    /// Opens an existing file, and empties it.
    package static func overwriting(_ path: String) throws(FileError) -> OpenFile {
        try OpenFile(unsafe open(path, O_WRONLY | O_TRUNC | O_CLOEXEC))
    }

    /// Makes a file without a name that only its user can access; closing deletes it.
    ///
    /// - Returns: nil on a file system without unnamed files.
    static func creatingUnnamed(in folder: String) throws(FileError) -> OpenFile? {
        // O_TMPFILE, which is hidden unless _GNU_SOURCE is defined; it has this value on all
        // machines that Swift supports.
        let unnamed = 0o20_000_000 | O_DIRECTORY
        let descriptor = unsafe open(folder, O_WRONLY | O_CLOEXEC | unnamed, 0o600)
        // Older kernels and some file systems answer so.
        if descriptor < 0, [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) { return nil }
        return try OpenFile(descriptor)
    }

    /// Gives an unnamed file a name, which must not be taken.
    borrowing func link(to path: String) throws(FileError) {
        let own = "/proc/self/fd/\(descriptor)"
        guard unsafe linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
            throw .ofLastCall
        }
    }

    /// Locks the file until it is closed or its process has ended.
    ///
    /// - Returns: false if another process or open file has locked it.
    borrowing func lock() -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    deinit {
        close(descriptor)
    }

    private borrowing func status() throws(FileError) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .ofLastCall }
        return status
    }

    package borrowing func state() throws(FileError) -> State {
        let status = try status()
        return State(
            byteCount: Int64(status.st_size),
            modifiedSeconds: status.st_mtim.tv_sec,
            modifiedNanoseconds: status.st_mtim.tv_nsec,
            inode: UInt64(status.st_ino),
            linkCount: UInt64(status.st_nlink),
            owner: status.st_uid,
            permissions: status.st_mode & 0o777
        )
    }

    /// Reads this many bytes, or fewer at the end.
    package borrowing func read(_ count: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let room = count - done
            let step = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress.map { unsafe $0 + done }, room)
            }
            if step < 0 && errno == EINTR { continue }
            guard step >= 0 else { throw .ofLastCall }
            guard step > 0 else { break }
            done += step
        }
        bytes.removeLast(count - done)
        return bytes
    }

    /// Reads everything up to the end.
    ///
    /// - Throws: ``FileError/system(errno:)`` with EFBIG for more than `bytesMax` bytes.
    package borrowing func contents(bytesMax: Int) throws(FileError) -> [UInt8] {
        let stepBytes = 64 << 10
        var bytes: [UInt8] = []
        while true {
            let step = try read(stepBytes)
            bytes += step
            guard bytes.count <= bytesMax else { throw .system(errno: EFBIG) }
            guard step.count == stepBytes else { return bytes }
        }
    }

    package borrowing func seek(to offset: Int) throws(FileError) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { throw .ofLastCall }
    }

    package borrowing func write(_ bytes: [UInt8]) throws(FileError) {
        try Self.write(bytes, to: descriptor)
    }

    /// Writes all of the bytes to an open descriptor.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(FileError) {
        var done = 0
        while done < bytes.count {
            let step = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
                return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
            if step < 0 && errno == EINTR { continue }
            if step < 0 && errno == EAGAIN {
                // Another program made the stream non-blocking; this one waits for it.
                var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&event, 1, -1)
                continue
            }
            guard step > 0 else { throw .ofLastCall }
            done += step
        }
    }

    /// Syncs the file to the disk.
    package borrowing func synchronize() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw .ofLastCall }
    }

    /// Sets the permissions, whatever the process's mask is, and syncs the file to the disk.
    borrowing func finish(permissions: UInt32) throws(FileError) {
        guard fchmod(descriptor, permissions) == 0 else { throw .ofLastCall }
        try synchronize()
    }
}
