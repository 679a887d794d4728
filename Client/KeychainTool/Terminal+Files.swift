internal import Glibc

// Files that commands write.
extension Terminal {
    /// Writes a file; a new one can be read by its user alone, since there may be keys in it.
    ///
    /// It is written beside its place and put there when it is whole: on a full disk what was there
    /// stays. What is no ordinary file, or not the user's alone, is written where it is.
    static func write(_ bytes: [UInt8], toFile path: String) throws(FileError) {
        // Where a link leads to, so that the link stays.
        let place = resolve(path) ?? path
        var status = stat()
        let isThere = unsafe lstat(place, &status) == 0
        if isThere {
            guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
                status.st_uid == geteuid(), unsafe access(place, W_OK) == 0
            else { return try overwrite(place, bytes) }
        }
        var name = Array((place + ".XXXXXX").utf8CString)
        let file = unsafe mkstemp(&name)
        guard file >= 0 else {
            // In a folder where nothing can be made, a file may be written all the same.
            guard isThere else { throw FileError(errno: errno) }
            return try overwrite(place, bytes)
        }
        let temporary = String(
            decoding: name.dropLast().map(UInt8.init(bitPattern:)),
            as: UTF8.self
        )
        do throws(FileError) {
            defer { close(file) }
            try send(bytes, to: file)
            try check(fchmod(file, isThere ? status.st_mode & 0o777 : 0o600))
            try check(fsync(file))
            try check(unsafe rename(temporary, place))
        } catch {
            unsafe unlink(temporary)
            throw error
        }
    }

    private static func overwrite(_ path: String, _ bytes: [UInt8]) throws(FileError) {
        let file = unsafe open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        guard file >= 0 else { throw FileError(errno: errno) }
        defer { close(file) }
        try send(bytes, to: file)
    }

    private static func send(_ bytes: [UInt8], to file: Int32) throws(FileError) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { all in
                unsafe Glibc.write(file, all.baseAddress?.advanced(by: sent), all.count - sent)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw FileError(errno: errno) }
            sent += count
        }
    }

    private static func check(_ result: Int32) throws(FileError) {
        guard result == 0 else { throw FileError(errno: errno) }
    }
}
