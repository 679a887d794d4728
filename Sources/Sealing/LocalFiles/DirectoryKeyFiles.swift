internal import Glibc

/// Files in a directory that only their owner can read.
package struct DirectoryKeyFiles: KeyFileStorage {
    /// No file of ours comes near this; another one under its name is not read into memory.
    private static let fileBytesMax = 64 << 10

    private let path: String

    /// `path`: of a directory that exists.
    package init(path: String) {
        self.path = path
    }

    package func read(_ name: KeyFileName) throws(SealingError) -> [UInt8]? {
        let file = unsafe open(filePath(name.rawValue), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw unavailable(name)
        }
        defer { close(file) }
        try checkIsPrivate(file, name: name)
        var bytes = [UInt8](repeating: 0, count: Self.fileBytesMax + 1)
        var count = 0
        while count < bytes.count {
            let room = bytes.count - count
            let step = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(file, buffer.baseAddress.map { unsafe $0 + count }, room)
            }
            if step < 0 && errno == EINTR { continue }
            guard step >= 0 else { throw unavailable(name) }
            guard step > 0 else { break }
            count += step
        }
        guard count <= Self.fileBytesMax else { throw .keyFileDamaged(name) }
        return Array(bytes.prefix(count))
    }

    package func replace(_ name: KeyFileName, with bytes: [UInt8]) throws(SealingError) {
        let temporaryPath = filePath("." + name.rawValue + ".new")
        do throws(SealingError) {
            try writeDurably(bytes, to: temporaryPath, for: name)
            guard unsafe rename(temporaryPath, filePath(name.rawValue)) == 0 else {
                throw unavailable(name)
            }
        } catch {
            unsafe unlink(temporaryPath)
            throw error
        }
        try syncDirectory(for: name)
    }

    private func writeDurably(
        _ bytes: [UInt8],
        to temporaryPath: String,
        for name: KeyFileName
    ) throws(SealingError) {
        // A file left over from a crash goes first, so that nobody else can have it open for
        // reading.
        unsafe unlink(temporaryPath)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = unsafe open(temporaryPath, flags, 0o600)
        guard file >= 0 else { throw unavailable(name) }
        defer { close(file) }
        // Whatever the process's mask of permissions is.
        guard fchmod(file, 0o600) == 0 else { throw unavailable(name) }
        var done = 0
        while done < bytes.count {
            let step = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
                return unsafe write(file, rest.baseAddress, rest.count)
            }
            if step < 0 && errno == EINTR { continue }
            guard step > 0 else { throw unavailable(name) }
            done += step
        }
        guard fsync(file) == 0 else { throw unavailable(name) }
    }

    /// Makes the rename last.
    private func syncDirectory(for name: KeyFileName) throws(SealingError) {
        let directory = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw unavailable(name) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw unavailable(name) }
    }

    private func checkIsPrivate(_ file: Int32, name: KeyFileName) throws(SealingError) {
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw unavailable(name) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .keyFileDamaged(name) }
        guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw .keyFileOpenToOthers(name)
        }
    }

    private func unavailable(_ name: KeyFileName) -> SealingError {
        .keyFileUnavailable(name, systemError: errno)
    }

    private func filePath(_ file: String) -> String {
        path + "/" + file
    }
}
