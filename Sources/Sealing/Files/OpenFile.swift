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

/// A file that takes its place only when it is whole.
struct ReplacementFile: ~Copyable {
    private let folder: String
    private let temporaryPath: String
    private let targetPath: String
    private let replaces: Bool
    private let file: OpenFile
    private var isDone = false

    /// Begins it beside its place.
    ///
    /// `target`: where it is going to be, absolute. `replaces`: whether a file there may go.
    init(for target: String, replaces: Bool, name: String) throws(ProtectedFileError) {
        let slash = target.lastIndex(of: "/") ?? target.startIndex
        let folder = slash == target.startIndex ? "/" : String(target[..<slash])
        let temporaryPath = folder + "/." + name + ".new"
        let file = try OpenFile.creating(temporaryPath)
        self.folder = folder
        self.temporaryPath = temporaryPath
        targetPath = target
        self.replaces = replaces
        self.file = file
    }

    deinit {
        if !isDone { unsafe unlink(temporaryPath) }
    }

    borrowing func write(_ bytes: [UInt8]) throws(ProtectedFileError) {
        try file.write(bytes)
    }

    /// Puts it in its place, durably.
    mutating func finish(permissions: UInt32) throws(ProtectedFileError) {
        try file.finish(permissions: permissions)
        if replaces {
            guard unsafe rename(temporaryPath, targetPath) == 0 else {
                throw .unavailable(systemError: errno)
            }
            isDone = true
        } else {
            // Unlike a rename, a link never takes another file's place.
            guard unsafe link(temporaryPath, targetPath) == 0 else {
                throw errno == EEXIST ? .exists : .unavailable(systemError: errno)
            }
        }
        let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .unavailable(systemError: errno) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw .unavailable(systemError: errno) }
    }
}
